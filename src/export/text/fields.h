/* SPDX-License-Identifier: BSD-3-Clause */
/* The fields of a record as a table describes them (format/records.tbl.h), and what prints them. */
#ifndef HYB_EXPORT_TEXT_FIELDS_H
#define HYB_EXPORT_TEXT_FIELDS_H

#include "export/text/names.h"

struct print_line { /* a record that is printed, and whose it is */
	const struct print_options *options;
	struct print_process *process;
	const uint64_t *words;
	uint32_t count;	     /* of them */
	uint32_t least;	     /* of them come before text and lists that belong to the record */
	const void *decoded; /* what the reader made of the words, for fields that are told by it */
	uint64_t id;
	uint64_t time;
};

enum print_when {
	PRINT_ALWAYS,
	PRINT_NEVER,   /* it is for the document only */
	PRINT_TIMES,   /* not with --no-times */
	PRINT_SET,     /* it is not 0 */
	PRINT_KNOWN,   /* some of its bits are 0 */
	PRINT_NATURAL, /* its highest bit is 0 */
};

enum print_how {
	PRINT_NOTHING, /* the key is all there is */
	PRINT_NUMBER,
	PRINT_SIGNED,
	PRINT_HEX,
	PRINT_KEY,     /* hexadecimal, with all digits */
	PRINT_TIME,    /* a raw time of the process's counter */
	PRINT_REQUEST,
	PRINT_TASK,    /* of OpenMP: thread.count, as it was given out; the implicit one has none */
	PRINT_DEVICE,  /* the host has the number -1 */
	PRINT_NAME,    /* by a list, or the number if it has no name for it */
	PRINT_ENTRY,   /* of a list; for larger numbers the last one */
	PRINT_BITS,    /* by a list, with commas between them */
	PRINT_MODES,   /* those that the list has, with | between them; "-" for none */
	PRINT_REGION,  /* a number of the process's definitions */
	PRINT_COMM,
	PRINT_FILE,
	PRINT_WIN,
	PRINT_TEXT,
	PRINT_BYTES,   /* after the record, so many */
	PRINT_WORD,    /* the same as a word of at most `count` */
	PRINT_MEMBERS, /* so many world ranks after the record */
	PRINT_WORDS,   /* all after the record */
	PRINT_SPECIAL, /* by its own function */
};

enum print_from { PRINT_FROM_ID, PRINT_FROM_WORDS, PRINT_FROM_DECODED };

struct print_value;

struct print_field {
	const char *key; /* NULL: there are no more fields */
	enum print_when when;
	enum print_how how;
	void (*show)(const struct print_value *v);
	const char *const *names; /* a list: by value, or by bit */
	uint32_t count;		  /* of them; or what else the function needs to know */
	enum print_from from;
	uint32_t at; /* bytes from its begin */
	uint8_t size;
	uint8_t low; /* bits */
	uint8_t bits;
};

struct print_value {
	const struct print_line *line;
	const struct print_field *field;
	uint64_t value;
};

void print_fields(const struct print_line *line, const struct print_field *fields);
/* A value as its field says, without the key. */
void print_put_value(const struct print_value *v);

#define PRINT_COUNT_OF(a) (sizeof(a) / sizeof((a)[0]))

#endif
