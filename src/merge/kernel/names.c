/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of what the kernel does: regions and strings of the model, each looked up once; and sums over them. */
#include "merge/kernel/reading.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "reader/containers/array.h"

#define STACK_MAX 8192 /* bytes of a call chain */

struct sum {
	struct hyb_model_process *process;
	struct hyb_kernel_sum sum;
};

uint64_t hyb_reading_string(struct hyb_reading *k, const char *text)
{
	uint32_t number;

	if (k->needs) {
		number = hyb_names_add(&k->needs->texts, text);
	} else {
		pthread_mutex_lock(&k->m->kernel.lock);
		number = hyb_names_add(&k->m->model.names, text);
		pthread_mutex_unlock(&k->m->kernel.lock);
	}
	if (number != HYB_NAME_NONE)
		return number;
	k->err = -ENOMEM;
	return HYB_KSTRING_NONE;
}

void hyb_reading_number(struct hyb_reading *k, struct hyb_gregion *region)
{
	const uint64_t id = (uint64_t)(uintptr_t)region;
	struct hyb_gregion **grown;

	if (!k->needs) {
		hyb_regions_id(&k->m->model.regions, region);
		return;
	}
	if (hyb_id_map_get(k->needed, id) != HYB_ID_NONE)
		return;
	grown = hyb_array_room(k->needs->regions, &k->needs->room, k->needs->count, sizeof(*grown));
	if (!grown || hyb_id_map_add(k->needed, id, k->needs->count)) {
		k->err = -ENOMEM;
		return;
	}
	k->needs->regions = grown;
	grown[k->needs->count++] = region;
}

uint64_t hyb_reading_region_string(struct hyb_reading *k, const struct hyb_gregion *region)
{
	size_t place = hyb_id_map_get(k->string_map, (uint64_t)(uintptr_t)region);
	uint64_t string;

	if (place != HYB_ID_NONE)
		return place;
	string = hyb_reading_string(k, region->name);
	if (string != HYB_KSTRING_NONE && hyb_id_map_add(k->string_map, (uint64_t)(uintptr_t)region, string))
		k->err = -ENOMEM;
	return string;
}

int64_t hyb_reading_mapped(const struct hyb_reading *k, const struct hyb_kplace *place)
{
	const uint64_t start = place->mapping->def.start;

	return start ? hyb_ns_add((int64_t)start, k->offset) : k->node->since;
}

const char *hyb_reading_file(const struct hyb_reading *k, const struct hyb_kplace *place, int64_t *since)
{
	const char *path = place->mapping->path;
	const bool vdso = k->vdso && !strcmp(path, "[vdso]");

	*since = vdso ? 0 : hyb_reading_mapped(k, place);
	return vdso ? k->vdso : path;
}

const char *hyb_reading_generated(struct hyb_reading *k, const struct hyb_kplace *place)
{
	char host[256] = "";

	gethostname(host, sizeof(host) - 1);
	if (strcmp(host, k->node->model->source->manifest.host))
		return NULL;
	return hyb_jits_name(&k->jits, place->mapping->tgid, hyb_reading_mapped(k, place), place->address);
}

/* What debug information and symbols say of a program's address: hyb_kplace_name. */
static bool name_place(void *pass, const struct hyb_kplace *place, FILE *to)
{
	struct hyb_reading *k = pass;
	const struct hyb_def_mapping *m = &place->mapping->def;
	const char *name, *file;
	int64_t since;

	if (!place->generated) {
		file = hyb_reading_file(k, place, &since);
		return hyb_sources_frame(k->m->model.sources, file, since, place->address - m->address + m->offset,
					 place->behind, to);
	}
	name = hyb_reading_generated(k, place);
	if (name)
		fprintf(to, "%s [generated code]", name);
	return name != NULL;
}

/* Long ones end at a function: readers are not made for texts of pages. */
static void cut(char *text, size_t most)
{
	char *last;

	if (strlen(text) <= most)
		return;
	text[most] = '\0';
	last = strrchr(text, '<');
	if (last && (size_t)(last - text) + sizeof("< ...") <= most)
		strcpy(last, "< ...");
}

uint64_t hyb_reading_stack(struct hyb_reading *k, uint64_t id, uint64_t time)
{
	uint64_t string = HYB_KSTRING_NONE;
	char *text = NULL;
	size_t place, size;
	bool known;
	FILE *to;

	if (!id)
		return HYB_KSTRING_NONE;
	place = hyb_id_map_get(k->stack_map, id);
	if (place != HYB_ID_NONE)
		return place;
	to = open_memstream(&text, &size);
	known = to && !hyb_kdefs_stack(&k->defs, id, time, name_place, k, to);
	if (!to || fclose(to)) {
		k->err = -ENOMEM;
	} else if (known) {
		cut(text, STACK_MAX);
		string = hyb_reading_string(k, text);
	}
	free(text);
	if (string != HYB_KSTRING_NONE && hyb_id_map_add(k->stack_map, id, string))
		k->err = -ENOMEM;
	return string;
}

static struct hyb_gregion *make_region(struct hyb_reading *k, uint32_t what, uint32_t number)
{
	const unsigned int names = hyb_label_names(what);

	return hyb_regions_get_event(&k->m->model.regions, what, number, names ? hyb_kdefs_name(&k->defs, names, number) : NULL);
}

struct hyb_gregion *hyb_reading_region(struct hyb_reading *k, uint32_t what, uint32_t number)
{
	uint64_t id = (uint64_t)what << 32 | number;
	size_t place = hyb_id_map_get(k->region_map, id);
	struct hyb_gregion **regions;

	if (place != HYB_ID_NONE)
		return k->regions[place];
	regions = hyb_array_room(k->regions, &k->region_room, k->region_count, sizeof(*regions));
	if (!regions) {
		k->err = -ENOMEM;
		return NULL;
	}
	k->regions = regions;
	k->regions[k->region_count] = make_region(k, what, number);
	if (!k->regions[k->region_count] || hyb_id_map_add(k->region_map, id, k->region_count)) {
		k->err = -ENOMEM;
		return NULL;
	}
	return k->regions[k->region_count++];
}

uint64_t hyb_reading_device(struct hyb_reading *k, uint32_t device)
{
	const char *name = hyb_kdefs_name(&k->defs, HYB_NAME_DEVICE, device);
	char text[32];

	snprintf(text, sizeof(text), "%lu:%lu", (unsigned long)(device >> 20), (unsigned long)(device & 0xfffff));
	return hyb_reading_string(k, name ? name : text);
}

void hyb_reading_sum(struct hyb_reading *k, struct hyb_model_process *p, struct hyb_gregion *region,
		     int64_t begin, int64_t end)
{
	uint64_t hash = hyb_mix((uint64_t)(uintptr_t)region ^ hyb_mix((uint64_t)(uintptr_t)p));
	const struct sum key = { p, { .region = region } };
	struct sum *s;

	if (!p->timed || begin > p->last || end < p->first)
		return;
	s = hyb_table_find(&k->sums, hash, &key);
	if (!s) {
		s = hyb_table_add(&k->sums, hash);
		if (!s) {
			k->err = -ENOMEM;
			return;
		}
		*s = key;
		__atomic_store_n(&region->used, true, __ATOMIC_RELAXED); /* read when all nodes are */
	}
	s->sum.count++;
	s->sum.ns += (end < p->last ? end : p->last) - (begin > p->first ? begin : p->first);
}

static bool same_sum(const void *entry, const void *key)
{
	const struct sum *a = entry, *b = key;

	return a->process == b->process && a->sum.region == b->sum.region;
}

void hyb_reading_sums_init(struct hyb_reading *k)
{
	hyb_table_init(&k->sums, sizeof(struct sum), same_sum);
}

/* Adds what one node's streams say of a process to what others' say. */
static bool add_sum(struct hyb_kernel_process *p, const struct hyb_kernel_sum *sum)
{
	struct hyb_kernel_sum *grown;
	size_t i;

	for (i = 0; i < p->sum_count && p->sums[i].region != sum->region; i++)
		;
	if (i == p->sum_count) {
		grown = hyb_array_room(p->sums, &p->sum_room, i, sizeof(*grown));
		if (!grown)
			return false;
		p->sums = grown;
		p->sums[p->sum_count++] = (struct hyb_kernel_sum){ .region = sum->region };
	}
	p->sums[i].count += sum->count;
	p->sums[i].ns += sum->ns;
	return true;
}

void hyb_reading_sums_give(struct hyb_reading *k)
{
	const struct hyb_gregion *out[2] = { hyb_reading_region(k, HYB_KERNEL_SWITCH, 0),
					     hyb_reading_region(k, HYB_KERNEL_SWITCH, 1) };
	struct hyb_kernel_process *p;
	const struct sum *s;
	uint32_t i;

	pthread_mutex_lock(&k->m->kernel.lock);
	for (i = 0; i < k->sums.count; i++) {
		s = hyb_table_at(&k->sums, i);
		p = &hyb_merge_of(k->m, s->process)->kernel;
		if (s->sum.region == out[0] || s->sum.region == out[1]) {
			p->out[s->sum.region == out[1]].count += s->sum.count;
			p->out[s->sum.region == out[1]].ns += s->sum.ns;
		} else if (!add_sum(p, &s->sum)) {
			k->err = -ENOMEM;
		}
	}
	pthread_mutex_unlock(&k->m->kernel.lock);
	hyb_table_free(&k->sums);
}

/* Of threads, where the kernel tells no more of them. */
struct hyb_gmetric_class *hyb_kernel_define_counts(struct hyb_gmetrics *g)
{
	static const struct hyb_metric counts[HYB_KCOUNTS] = {
		[HYB_KCOUNT_VOLUNTARY] = { .name = "voluntary switches", .unit = "#", .base = 10,
					   .description = "how often the thread waited" },
		[HYB_KCOUNT_INVOLUNTARY] = { .name = "involuntary switches", .unit = "#", .base = 10,
					     .description = "how often another one took its CPU" },
		[HYB_KCOUNT_MINOR] = { .name = "page faults (minor)", .unit = "#", .base = 10,
				       .description = "resolved without waiting for I/O" },
		[HYB_KCOUNT_MAJOR] = { .name = "page faults (major)", .unit = "#", .base = 10,
				       .description = "that waited for I/O" },
		[HYB_KCOUNT_RAN] = { .name = "time on CPUs", .unit = "s", .base = 10, .exponent = -9,
				     .description = "of the thread" },
		[HYB_KCOUNT_WAITED] = { .name = "time waiting for a CPU", .unit = "s", .base = 10, .exponent = -9,
					.description = "ready to run, while others had it" },
	};

	return hyb_gmetrics_add_kernel(g, counts, HYB_KCOUNTS);
}
