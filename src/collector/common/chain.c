/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Call chains; see chain.h. /proc/kallsyms names the kernel's functions, if this user may see their addresses. The
 * program's functions are left to readers: definitions tell them which file was mapped where.
 */
#include "collector/common/chain.h"

#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/common/address.h"
#include "collector/common/map.h"
#include "collector/common/source.h"
#include "core/record/definitions.h"

#define DEPTH_MAX	256

struct symbol {
	uint64_t address;
	char *name;
};

static struct {
	struct hyb_map ids;		/* number of the chain, by the hash of what is in it */
	uint64_t count;
	struct symbol *symbols;		/* of the kernel, by address */
	size_t symbol_count;
	struct hyb_map met;		/* the kernel's addresses in chains */
	struct hyb_map named;		/* functions that are defined, by address */
	struct hyb_map processes;	/* whose /proc/N/maps was read */
} chains;

static int by_address(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	return x->address < y->address ? -1 : x->address > y->address;
}

static int add_symbol(size_t *room, uint64_t address, const char *name)
{
	if (chains.symbol_count == *room) {
		size_t more = *room ? 2 * *room : 4096;
		struct symbol *symbols = realloc(chains.symbols, more * sizeof(*symbols));

		if (!symbols)
			return -1;
		chains.symbols = symbols;
		*room = more;
	}
	chains.symbols[chains.symbol_count].address = address;
	chains.symbols[chains.symbol_count].name = strdup(name);
	return chains.symbols[chains.symbol_count++].name ? 0 : -1;
}

static void read_symbols(void)
{
	FILE *f = fopen("/proc/kallsyms", "re");
	char line[512], name[256], type;
	uint64_t address;
	size_t room = 0;

	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%" SCNx64 " %c %255s", &address, &type, name) != 3 || !address ||
		    !strchr("tTwW", type))
			continue;
		if (add_symbol(&room, address, name))
			break;
	}
	if (f)
		fclose(f);
	if (chains.symbol_count)
		qsort(chains.symbols, chains.symbol_count, sizeof(*chains.symbols), by_address);
}

/* Defines the function that the address lies in, if it is known. */
static void name_address(uint64_t address)
{
	size_t low = 0, high = chains.symbol_count;
	struct hyb_def_symbol def = { .size = 0 };
	const struct symbol *s;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (chains.symbols[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return;
	s = &chains.symbols[low - 1];
	def.address = s->address;
	if (low < chains.symbol_count && chains.symbols[low].address - s->address < UINT32_MAX)
		def.size = (uint32_t)(chains.symbols[low].address - s->address);
	if (hyb_address_hidden()) {
		/* The name is no secret, but its address is: so each hashed address has the name for itself. */
		def.address = hyb_address_hide(address);
		def.size = 1;
	}
	if (hyb_map_get(&chains.named, def.address))
		return;
	hyb_map_put(&chains.named, def.address, chains.symbols);
	def.name_length = (uint32_t)strlen(s->name);
	hyb_def_record(HYB_DEF_SYMBOL, chains.named.count, &def, sizeof(def), s->name, def.name_length);
}

void hyb_chain_name_functions(void)
{
	if (!chains.met.count)
		return;
	if (!chains.symbol_count)
		read_symbols();
	if (!chains.symbol_count) {
		hyb_source_missing("callchain", "names of the kernel's functions: /proc/kallsyms has no addresses for this user; "
				   "as root: sysctl kernel.kptr_restrict=0 kernel.perf_event_paranoid=1, or give "
				   "hybmon-collect CAP_SYSLOG, too");
		return;
	}
	for (size_t i = 0; i < chains.met.room; i++) {
		if (chains.met.entries[i].value)
			name_address(chains.met.entries[i].key);
	}
}

/* The kernel's addresses, then the program's. What follows other marks (a guest's) is left out. */
static struct hyb_def_stack sort_out(const uint64_t *chain, uint64_t count, uint64_t *addresses)
{
	struct hyb_def_stack def = { .kernel = 0 };
	uint64_t whose = PERF_CONTEXT_USER;
	uint32_t n = 0;

	for (uint64_t i = 0; i < count && n < DEPTH_MAX; i++) {
		if (chain[i] >= (uint64_t)PERF_CONTEXT_MAX) {
			whose = chain[i];
			continue;
		}
		if (whose == (uint64_t)PERF_CONTEXT_KERNEL && !def.user)
			def.kernel++;
		else if (whose == (uint64_t)PERF_CONTEXT_USER)
			def.user++;
		else
			continue;
		addresses[n++] = chain[i];
	}
	return def;
}

uint64_t hyb_chain_define(const uint64_t *chain, uint64_t count, uint32_t tgid)
{
	uint64_t addresses[DEPTH_MAX];
	struct hyb_def_stack def = sort_out(chain, count, addresses);
	uint32_t n = def.kernel + def.user;
	uint64_t hash = UINT64_C(0xcbf29ce484222325);
	uintptr_t id;

	if (!n)
		return 0;
	def.tgid = def.user ? tgid : 0;
	for (uint32_t i = 0; i < n; i++)
		hash = (hash ^ addresses[i]) * UINT64_C(0x9e3779b97f4a7c15) ^ hash >> 29;
	hash = (hash ^ ((uint64_t)def.tgid << 32 | def.kernel)) * UINT64_C(0x9e3779b97f4a7c15);
	/* 64 bits of hash stand for the chain: among a million chains two have the same in one of 10^7 runs. */
	id = (uintptr_t)hyb_map_get(&chains.ids, hash);
	if (id)
		return id;
	id = ++chains.count;
	if (hyb_map_put(&chains.ids, hash, (void *)id))
		return 0;
	for (uint32_t i = 0; i < def.kernel; i++) {
		hyb_map_put(&chains.met, addresses[i], &chains);
		addresses[i] = hyb_address_hide(addresses[i]);
	}
	hyb_def_record(HYB_DEF_STACK, id, &def, sizeof(def), addresses, n * sizeof(*addresses));
	return id;
}

void hyb_chain_add_mapping(uint32_t tgid, uint64_t now, uint64_t address, uint64_t length, uint64_t offset,
			   const char *path)
{
	struct hyb_def_mapping def = {
		.start = now,
		.address = address,
		.length = length,
		.offset = offset,
		.path_length = strnlen(path, HYB_DEF_TAIL),
	};

	hyb_def_record(HYB_DEF_MAPPING, tgid, &def, sizeof(def), path, def.path_length);
}

void hyb_chain_add_process(uint32_t tgid, uint64_t now)
{
	char path[64], line[4608], name[4096], access[8];
	/* A process that comes again has executed another program. */
	uint64_t since = hyb_map_get(&chains.processes, tgid) ? now : 0;
	uint64_t from, to, offset;
	FILE *f;

	hyb_map_put(&chains.processes, tgid, &chains);
	snprintf(path, sizeof(path), "/proc/%u/maps", tgid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f)) {
		int n = sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %*s %*s %4095[^\n]", &from, &to, access, &offset,
			       name);

		/* perf's records call memory without a file so. */
		if (n >= 4 && strchr(access, 'x'))
			hyb_chain_add_mapping(tgid, since, from, to - from, offset, n == 5 ? name : "//anon");
	}
	if (f)
		fclose(f);
}
