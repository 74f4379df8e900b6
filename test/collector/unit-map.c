/* SPDX-License-Identifier: BSD-3-Clause */
/* The collector's smaller parts: descriptions of tracepoints, and maps. */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

#include "collector/common/map.h"
#include "collector/perf/tracefs.h"
#include "../lib/tap.h"

static const char description[] =
	"name: some_event\n"
	"ID: 372\n"
	"format:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n"
	"\n"
	"\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
	"\tfield:pid_t pid;\toffset:24;\tsize:4;\tsigned:1;\n"
	"\tfield:__data_loc char[] name;\toffset:28;\tsize:4;\tsigned:0;\n"
	"\tfield:const void * skaddr;\toffset:32;\tsize:8;\tsigned:0;\n"
	"\tfield:unsigned long args[6];\toffset:40;\tsize:48;\tsigned:0;\n"
	"\n"
	"print fmt: \"pid=%d\", REC->pid\n";

static void descriptions(void)
{
	static const char *const fields[] = { "prev_comm", "pid", "name", "skaddr", "missing", NULL };
	static const char *const comm[] = { "comm", NULL };
	struct hyb_tracepoint t;
	unsigned char raw[96] = { 0 };
	int32_t pid = -7;
	uint32_t location = 88 | 5 << 16;

	tap(!hyb_tracefs_parse(description, fields, &t) && t.id == 372, "a tracepoint has its number");
	tap(t.fields[0].offset == 8 && t.fields[0].size == 16 && t.fields[1].offset == 24 && t.fields[1].is_signed &&
		    t.fields[2].is_location && t.fields[3].size == 8, "and its fields");
	tap(!t.fields[4].size, "one that it lacks has no size");
	memcpy(raw + 8, "a name", 7);
	memcpy(raw + 24, &pid, sizeof(pid));
	memcpy(raw + 28, &location, sizeof(location));
	memcpy(raw + 88, "eth0", 5);
	tap_equal(hyb_field_get(&t.fields[1], raw, sizeof(raw)), -7, "a negative number is one");
	tap_equal(hyb_field_get(&t.fields[1], raw, 27), 0, "what the record does not reach is 0");
	tap_equal(hyb_field_get(&t.fields[4], raw, sizeof(raw)), 0, "and so is what there is not");
	tap(!strcmp(hyb_field_text(&t.fields[0], raw, sizeof(raw)), "a name"), "text in place");
	tap(!strcmp(hyb_field_text(&t.fields[2], raw, sizeof(raw)), "eth0"), "text by its location");
	tap(!hyb_field_text(&t.fields[2], raw, 92), "not beyond the record");
	raw[92] = 'x';
	tap(!hyb_field_text(&t.fields[2], raw, sizeof(raw)), "nor without an end");
	tap(!hyb_tracefs_parse(description, comm, &t) && !t.fields[0].size, "a name's end is not the name");
	tap(hyb_tracefs_parse("nothing\n", comm, &t) == -EINVAL, "what has no number is no tracepoint");
}

static void maps(void)
{
	struct hyb_map map = { 0 };
	static char values[5000];
	bool found = true;

	tap(!hyb_map_get(&map, 0), "an empty map has nothing");
	for (uint64_t i = 0; i < sizeof(values); i++)
		hyb_map_put(&map, i * 4096, &values[i]);
	for (uint64_t i = 0; i < sizeof(values); i++)
		found &= hyb_map_get(&map, i * 4096) == &values[i];
	tap(found && map.count == sizeof(values), "all that was put there is found");
	tap(!hyb_map_get(&map, 1), "nothing else is");
	hyb_map_put(&map, 0, &values[9]);
	tap(hyb_map_get(&map, 0) == &values[9] && map.count == sizeof(values), "the last one holds");
	/* Keys that have one place and are next to each other: what is taken out leaves no hole in front of others. */
	found = true;
	for (uint64_t i = 0; i < sizeof(values); i++) {
		if (i % 3)
			found &= hyb_map_take(&map, i * 4096) == &values[i];
	}
	tap(found && !hyb_map_take(&map, 4096) && map.count == (sizeof(values) + 2) / 3, "what is taken is gone");
	for (uint64_t i = 1; i < sizeof(values); i++)
		found &= hyb_map_get(&map, i * 4096) == (i % 3 ? NULL : &values[i]);
	tap(found, "and all else is found");
	for (uint64_t i = 0; i < 1000000; i++) {
		hyb_map_put(&map, ~i, &values[0]);
		hyb_map_take(&map, ~i);
	}
	tap(map.room <= 4 * sizeof(values), "what comes and goes takes no room");
	free(map.entries);
}

int main(void)
{
	descriptions();
	maps();
	return tap_done();
}
