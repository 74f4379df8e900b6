/* SPDX-License-Identifier: BSD-3-Clause */
/* Experiments in memory, and what fuzz-merge does to them. */
#ifndef TEST_FUZZ_CHANGE_H
#define TEST_FUZZ_CHANGE_H

#include <stddef.h>
#include <stdint.h>

#include "../lib/fuzz.h"

struct file {
	char *path; /* below the case's folder */
	uint8_t *data;
	size_t size;
};

struct one { /* a folder with experiments */
	char *name;
	char *experiment; /* the one to be merged */
	struct file *files;
	size_t count;
};

struct corpus {
	struct one *cases;
	size_t count;
};

void fuzz_load_corpus(struct corpus *corpus, const char *folder);
/* Puts number `number` into the folder `to`; what: the experiment in it that is to be read. */
void fuzz_make(const struct corpus *corpus, unsigned long long number, const char *to, char *what, size_t size);
/* How long a file is as far as it has anything but zeroes. */
size_t fuzz_end(const struct file *file);
/* Puts the case there with one of its files cut. */
void fuzz_truncate(const struct one *one, size_t file, size_t length, const char *to, char *what, size_t size);

#endif
