/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where in the source an address of the program is: from debug information, else from the symbol it lies in, else its
 * place in the object. Thread-safe.
 */
#ifndef HYB_READER_SYMBOLS_SOURCE_H
#define HYB_READER_SYMBOLS_SOURCE_H

#include <stdio.h>

#include "reader/streams/defs.h"
#include "reader/streams/diag.h"

/* Where in the program something is, as far as that is known. */
struct hyb_place {
	const char *file; /* NULL: not known */
	uint32_t line;
	const char *symbol; /* of a function, as the linker has it; NULL: not known */
};

struct hyb_sources;

/*
 * dirs: recordings. A program or library is read from the folder `binaries` of the first that has a file of its name,
 * otherwise from where it was when it ran: so a recording can be read on another machine. dirs and diag must outlive
 * the result. Returns NULL without memory.
 */
struct hyb_sources *hyb_sources_new(const struct hyb_diag *diag, const char *const *dirs, size_t dir_count);
void hyb_sources_free(struct hyb_sources *s);
/*
 * Where an address is, `at` bytes from where the object begins: where is for people ("solver.c:17"). Both stay valid
 * as long as s. 0 or -ENOMEM.
 */
int hyb_sources_find(struct hyb_sources *s, const struct hyb_object *object, uint64_t at, const char **where,
		     struct hyb_place *place);
/* The same for a function of which that is one byte behind the begin: its name, as people write it. */
int hyb_sources_function(struct hyb_sources *s, const struct hyb_object *object, uint64_t at, const char **name,
			 struct hyb_place *place);
/*
 * The same with functions, those inlined there, too, the innermost first: "g (a.h:3) < f (a.c:7)"; without debug
 * information "f+0x1f (libf.so)", without symbols "libf.so+0x1234". 0 or -ENOMEM.
 */
int hyb_sources_call(struct hyb_sources *s, const struct hyb_object *object, uint64_t at, const char **text);
/*
 * Writes what is at an offset in a file that was mapped as code since some time (ns of system time), for a call chain:
 * functions that are inlined there, too, the innermost first: "g (a.h:3) < f (a.c:7)"; without debug information
 * "f+0x1f (libf.so)". behind: it follows a call, which is what is meant. False: nothing is known of it, and nothing
 * was written.
 */
bool hyb_sources_frame(struct hyb_sources *s, const char *path, int64_t since, uint64_t offset, bool behind, FILE *to);

/* A function at an address, or one that is inlined there. Texts are valid during the call. */
struct hyb_source_frame {
	const char *function;
	const char *file; /* where in the source; NULL: not known, and the symbol is all there is */
	uint32_t line;
	uint64_t offset; /* of the address from the symbol's begin */
	const char *path; /* of the binary */
};

typedef void (*hyb_source_visit)(void *arg, const struct hyb_source_frame *frame);

/* The same for those who need more than text: visits each function, the innermost first. Nothing is kept. */
bool hyb_sources_functions(struct hyb_sources *s, const char *path, int64_t since, uint64_t offset, bool behind,
			   hyb_source_visit visit, void *arg);

#endif
