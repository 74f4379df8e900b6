/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The tables of records in doc/trace-format.md are made of src/format/records.tbl.h, which has all records of format.h.
 * `unit-records --print` writes the tables, to be put into the document.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/tap.h"
#include "format/format.h"

#define SOURCE_MAX (1u << 20)

struct part { /* of a record: what a field of it means */
	int word; /* -1: the field is not told by words */
	unsigned int high, low;
	const char *meaning; /* NULL: there are no more */
};

struct row {
	const char *name;
	int size;	    /* in words; 0: it is not always the same */
	const char *words;  /* then this says it */
	const char *with;   /* for records of the kernel: when there is one */
	const char *meaning;
	const struct part *parts;
};

#define F(when, how, key, where, meaning) { where, meaning },
#define ID -1, 0, 0
#define OF(type, member) ID
#define GOT(type, member) ID
#define GOT_BITS(type, member, high, low) ID
#define BITS(word, high, low) word, high, low
#define WORD(word) word, 63, 0
#define DETAIL(high, low) 1, high, low
#define MESSAGE_FIELDS
#define MEMBERS_FIELDS
#define TRANSFER_FIELDS
#define NET_FIELDS(bytes, family, protocol, socket) \
	{ DETAIL(23, 16), family }, { DETAIL(15, 0), protocol }, { WORD(2), bytes }, { WORD(3), socket },
#define BLOCK_FIELDS(device, bytes, sector, flags) \
	{ DETAIL(23, 0), flags }, { BITS(2, 63, 32), device }, { BITS(2, 31, 0), bytes }, { WORD(3), sector },
#define PARTS(...) (const struct part[]){ __VA_ARGS__ { ID, NULL } }
#define SIZE_OF(type) (((type) >> 5 & 3) == HYB_SIZE_VAR ? 0 : ((type) >> 5 & 3) + 1)
#define ROW(type, words, with, meaning, ...) \
	{ #type, SIZE_OF(HYB_##type), words, with, meaning, PARTS(__VA_ARGS__) },

static const struct row timed[] = {
#define HYB_TIMED_ROW(type, words, meaning, text, fields) ROW(type, words, NULL, meaning, fields)
#define LAYOUT_TIMED(...) ROW(__VA_ARGS__)
#define LAYOUT_ATTACHED(...)
#define HYB_LAYOUT(group, type, words, with, meaning, fields) LAYOUT_##group(type, words, with, meaning, fields)
#include "format/records.tbl.h"
	{ NULL }
};
#undef LAYOUT_TIMED
#undef LAYOUT_ATTACHED

static const struct row attached[] = {
#define HYB_ATTACHED_ROW(type, words, with, meaning, text, fields) ROW(type, words, with, meaning, fields)
#define LAYOUT_TIMED(...)
#define LAYOUT_ATTACHED(...) ROW(__VA_ARGS__)
#define HYB_LAYOUT(group, type, words, with, meaning, fields) LAYOUT_##group(type, words, with, meaning, fields)
#include "format/records.tbl.h"
	{ NULL }
};

static const struct row definitions[] = {
#define HYB_DEFINITION(type, least, meaning, text, fields) { #type, 0, NULL, NULL, meaning, PARTS() },
#include "format/records.tbl.h"
	{ NULL }
};

static const struct row kernel[] = {
#define HYB_KERNEL_ROW(what, part, label, names, text, when, fields) { #what, 0, NULL, when, "", PARTS(fields) },
#include "format/records.tbl.h"
	{ NULL }
};

static const struct row files[] = {
#define HYB_IO_ROW(what, words, flags, text, fields) { text, 0, words, NULL, flags, PARTS() },
#include "format/records.tbl.h"
	{ NULL }
};

static void put_part(FILE *to, const struct part *p, bool first, unsigned int top)
{
	if (p->high == p->low)
		fprintf(to, "%s%u: ", first ? "bit " : "", p->high);
	else if (p->high != top || p->low)
		fprintf(to, "%s%u-%u: ", first ? "bits " : "", p->high, p->low);
	fputs(p->meaning, to);
}

/* As "bits 55-32: communicator, 31-0: the root; word 1: the request". True if there was something. */
static bool put_word(FILE *to, const struct row *r, int word, unsigned int top, const char *before)
{
	bool any = false;

	for (const struct part *p = r->parts; p->meaning; p++) {
		if (p->word != word || !*p->meaning)
			continue;
		fputs(any ? ", " : before, to);
		put_part(to, p, !any, top);
		any = true;
	}
	return any;
}

static void put_words(FILE *to, const struct row *r, int first, const char *before)
{
	char begin[32];

	for (int word = first; word < 16; word++) {
		snprintf(begin, sizeof(begin), word ? "%sword %d: " : "%s", before, word);
		if (put_word(to, r, word, 63, begin))
			before = "; ";
	}
}

static void put_meaning(FILE *to, const struct row *r)
{
	fputs(r->meaning, to);
	put_words(to, r, 0, *r->meaning ? "; " : "");
}

/* Whether the row has that of the one after it. */
static bool shares(const struct row *r)
{
	bool told = *r->meaning || (r->words && *r->words && !r->size) || (r->with && *r->with);

	for (const struct part *p = r->parts; p->meaning; p++)
		told |= *p->meaning != 0;
	return !told;
}

static void put_timed(FILE *to, const struct row *r)
{
	fprintf(to, r->size ? " %d | " : " ", r->size);
	if (!r->size)
		fprintf(to, "%s | ", r->words);
	put_meaning(to, r);
}

static void put_attached(FILE *to, const struct row *r)
{
	fprintf(to, r->size ? " %d |" : "", r->size);
	if (!r->size)
		fprintf(to, " %s |", r->words);
	fprintf(to, *r->with ? " %s | " : " | ", r->with);
	put_meaning(to, r);
}

static void put_definition(FILE *to, const struct row *r)
{
	fprintf(to, " %s", r->meaning);
}

static void put_kernel(FILE *to, const struct row *r)
{
	put_word(to, r, 1, 23, " ");
	fputs(" |", to);
	put_words(to, r, 2, " ");
}

static void put_file(FILE *to, const struct row *r)
{
	fprintf(to, *r->words ? " %s |" : " |", r->words);
	if (*r->meaning)
		fprintf(to, " %s", r->meaning);
}

static const struct table {
	const char *head;
	const struct row *rows;
	void (*put)(FILE *to, const struct row *r);
} tables[] = {
	{ "| timed | words | meaning |", timed, put_timed },
	{ "| attached | words | with | meaning |", attached, put_attached },
	{ "| what | words after the file | flags |", files, put_file },
	{ "| what | detail | words from word 2 on |", kernel, put_kernel },
	{ "| definition | holds |", definitions, put_definition },
};

static void put_table(FILE *to, const struct table *t)
{
	fprintf(to, "%s\n|", t->head);
	for (const char *c = strchr(t->head + 1, '|'); c; c = strchr(c + 1, '|'))
		fputs("---|", to);
	putc('\n', to);
	for (const struct row *r = t->rows; r->name; r++) {
		fprintf(to, "| %s", r->name);
		for (; shares(r) && r[1].name; r++)
			fprintf(to, ", %s", r[1].name);
		if (t->rows == kernel && *r->with)
			fprintf(to, ": %s", r->with);
		fputs(" |", to);
		t->put(to, r);
		fputs(" |\n", to);
	}
}

/* A file of the source folder, which make tells; NULL: it is not there. */
static char *read_source(const char *name)
{
	const char *source = getenv("srcdir");
	char *text = calloc(1, SOURCE_MAX), path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", source ? source : ".", name);
	f = fopen(path, "re");
	if (!tap(f && text && fread(text, 1, SOURCE_MAX - 1, f) > 0, "%s is there", name))
		exit(tap_done());
	fclose(f);
	return text;
}

static bool has_row(const struct row *rows, const char *name, size_t length)
{
	while (rows->name && (strlen(rows->name) != length || strncmp(rows->name, name, length)))
		rows++;
	return rows->name;
}

/* Each name in the enumeration of records has a row, except for what is never published. */
static void check_names(const char *header)
{
	static const char attached_type[] = "HYB_ATTACHED(", timed_type[] = "HYB_TIMED(";
	unsigned int count = 0;

	for (const char *line = strstr(header, "enum hyb_record_type {"); line && strncmp(line, "\n};", 3);
	     line = strchr(line + 1, '\n')) {
		const char *name = line + strlen("\n\tHYB_"), *type = strchr(name, '=');
		const size_t length = strcspn(name, " \t");
		const bool definition = !strncmp(name, "DEF_", 4);

		if (strncmp(line, "\n\tHYB_", 6) || !type || !strncmp(name, "STANDING", length))
			continue;
		count++;
		type += 2;
		if (definition)
			tap(has_row(definitions, name + 4, length - 4), "%.*s has a row", (int)length, name);
		else if (!strncmp(type, timed_type, strlen(timed_type)))
			tap(has_row(timed, name, length), "%.*s has a row", (int)length, name);
		else if (!strncmp(type, attached_type, strlen(attached_type)))
			tap(has_row(attached, name, length), "%.*s has a row", (int)length, name);
	}
	tap(count > 80, "all %u records of src/format/format.h are looked at", count);
}

static void check_table(const struct table *t, const char *document, bool print)
{
	char *text = NULL;
	size_t size = 0;
	FILE *to = open_memstream(&text, &size);

	if (!to)
		exit(99);
	put_table(to, t);
	fclose(to);
	if (print)
		puts(text);
	else if (!tap(strstr(document, text) != NULL, "the table %s is in doc/trace-format.md", t->head))
		puts("# put there the one that test/source/unit-records --print writes");
	free(text);
}

int main(int argc, char **argv)
{
	const bool print = argc > 1 && !strcmp(argv[1], "--print");
	char *document = print ? NULL : read_source("doc/trace-format.md");
	char *header = print ? NULL : read_source("src/format/format.h");

	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		check_table(&tables[i], document, print);
	if (print)
		return 0;
	check_names(header);
	free(document);
	free(header);
	return tap_done();
}
