/* SPDX-License-Identifier: BSD-3-Clause */
#include "export/text/names.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void print_put_bytes(const char *text, size_t length)
{
	hyb_printable_put(stdout, text, length, "\"\\");
}

void print_put_word(const char *text)
{
	bool quote = !*text || strpbrk(text, " \"\\");

	if (quote)
		putchar('"');
	print_put_bytes(text, strlen(text));
	if (quote)
		putchar('"');
}

void print_put_part(const void *text, uint64_t length, size_t most)
{
	char word[1024];

	if (most > sizeof(word) - 1)
		most = sizeof(word) - 1;
	if (length > most)
		length = most;
	memcpy(word, text, length);
	word[length] = 0;
	print_put_word(word);
}

void print_put_seconds(int64_t ns)
{
	uint64_t abs = ns < 0 ? -(uint64_t)ns : (uint64_t)ns;

	printf("%s%" PRIu64 ".%09" PRIu64, ns < 0 ? "-" : "", abs / 1000000000, abs % 1000000000);
}

void print_put_time(const struct print_process *p, uint64_t raw)
{
	print_put_seconds((int64_t)((uint64_t)hyb_clock_ns(p->clock, raw) - (uint64_t)p->start));
}

void print_put_members(const uint32_t *ranks, uint32_t count)
{
	if (!count)
		putchar('-');
	for (uint32_t i = 0; i < count;) {
		uint32_t last = i;

		while (last + 1 < count && ranks[last + 1] == ranks[last] + 1)
			last++;
		printf("%s%u", i ? "," : "", ranks[i]);
		if (last > i)
			printf("%c%u", last > i + 1 ? '-' : ',', ranks[last]);
		i = last + 1;
	}
}

void print_put_bits(const char *const *names, size_t count, uint32_t bits, const char *separator)
{
	const char *before = "";

	for (size_t i = 0; i < 32; i++) {
		if (!(bits >> i & 1))
			continue;
		if (i < count)
			printf("%s%s", before, names[i]);
		else
			printf("%s0x%x", before, 1u << i);
		before = separator;
	}
}

void print_put_request(uint64_t request)
{
	printf("%" PRIu64 ".%" PRIu64, request >> HYB_REQUEST_THREAD_SHIFT,
	       request & ((UINT64_C(1) << HYB_REQUEST_THREAD_SHIFT) - 1));
}

void print_put_comm(const struct print_process *p, uint64_t id)
{
	const struct hyb_comm *comm = p->defs ? hyb_defs_comm(p->defs, id) : NULL;
	char buf[32];

	print_put_word(hyb_comm_name(comm, id, buf, sizeof(buf)));
}

void print_put_win(const struct print_process *p, uint64_t id)
{
	char buf[32];

	print_put_word(hyb_win_name(p->defs ? hyb_defs_win(p->defs, id) : NULL, id, buf, sizeof(buf)));
}

void print_put_file(const struct print_process *p, uint64_t id)
{
	const struct hyb_file *file = p->defs ? hyb_defs_file(p->defs, id) : NULL;

	if (file && file->name[0])
		print_put_word(file->name);
	else
		printf("file?%" PRIu64, id);
}

void print_put_text(const struct print_process *p, uint64_t id)
{
	const char *text = p->defs ? hyb_texts_find(&p->defs->texts, id) : NULL;

	if (text)
		print_put_word(text);
	else
		printf("text?%" PRIu64, id);
}

void print_put_address(const struct hyb_object *object, uint64_t address)
{
	const char *name;

	if (!address)
		return;
	if (!object) {
		printf(" @0x%" PRIx64, address);
		return;
	}
	name = strrchr(object->path, '/');
	fputs(" @", stdout);
	print_put_word(name ? name + 1 : object->path);
	printf("+0x%" PRIx64, address - object->base);
}

void print_put_place(const struct print_process *p, const struct hyb_region *region)
{
	print_put_address(region->object ? hyb_defs_object(p->defs, region->object) : NULL, region->address);
}

void print_put_site(const struct print_process *p, uint64_t address, uint64_t time)
{
	print_put_address(address && p->defs ? hyb_defs_object_of(p->defs, address, time) : NULL, address);
}

/* Where the region is, as the program itself says. */
static void put_source(const struct hyb_region *region)
{
	const char *slash = region->file ? strrchr(region->file, '/') : NULL;
	const char *file = slash ? slash + 1 : region->file;

	if (!file || !(*file || region->line))
		return;
	fputs(" @", stdout);
	print_put_bytes(file, strlen(file));
	if (region->line)
		printf(":%u", region->line);
}

const struct hyb_region *print_find_region(const struct print_process *p, uint64_t id)
{
	return p->defs ? hyb_defs_region(p->defs, id) : NULL;
}

void print_put_region(const struct print_process *p, uint64_t id)
{
	const struct hyb_region *region = print_find_region(p, id);

	if (!region) {
		printf("region?%" PRIu64, id);
		return;
	}
	print_put_bytes(region->name, strlen(region->name));
	put_source(region);
	print_put_place(p, region);
}
