/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of events, by libpfm4; see pfm.h. What is declared here is the library's interface since its version 4.0. */
#include "core/counters/pfm.h"

#include <dlfcn.h>
#include <string.h>

#include "core/sys/text.h"
#include "core/counters/counter.h"

#define PFM_SUCCESS		0
#define PFM_OS_PERF_EVENT	1
#define PFM_PLM3		8	/* user mode */
#define PMUS			1024	/* more than there are numbers of */

struct encoding {
	struct perf_event_attr *attr;
	char **name;
	size_t size;
	int index;
	int cpu;
	int flags;
	int pad;
};

struct event_info {
	const char *name;
	const char *description;
	const char *same_as;
	size_t size;
	uint64_t code;
	int pmu;
	int type;
	int index;
	int attributes;
	int reserved;
	unsigned int flags;
};

struct pmu_info {
	const char *name;
	const char *description;
	size_t size;
	int pmu;
	int type;
	int events;
	int first;
	int encoding;
	int counters;
	int fixed;
	unsigned int flags;	/* 1: it is here */
};

static struct {
	const char *missing;
	bool tried;
	int (*initialize)(void);
	const char *(*strerror)(int err);
	int (*encode)(const char *name, int mode, int os, void *encoding);
	int (*find)(const char *name);
	int (*event)(int index, int os, struct event_info *info);
	int (*pmu)(int pmu, struct pmu_info *info);
	int (*next)(int index);
} pfm;

static const char *load(void)
{
	static const struct {
		const char *name;
		void *function;
	} functions[] = {
		{ "pfm_initialize", &pfm.initialize }, { "pfm_strerror", &pfm.strerror },
		{ "pfm_get_os_event_encoding", &pfm.encode }, { "pfm_find_event", &pfm.find },
		{ "pfm_get_event_info", &pfm.event }, { "pfm_get_pmu_info", &pfm.pmu },
		{ "pfm_get_event_next", &pfm.next },
	};
	void *library = dlopen("libpfm.so.4", RTLD_NOW);
	int err;

	if (!library)
		return "libpfm4, which knows such names, is not here";
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		void *found = dlsym(library, functions[i].name);

		if (!found)
			return "libpfm.so.4 is none that hybmon knows";
		*(void **)functions[i].function = found;
	}
	err = pfm.initialize();
	return err == PFM_SUCCESS ? NULL : pfm.strerror(err);
}

static const char *missing(void)
{
	if (!pfm.tried)
		pfm.missing = load();
	pfm.tried = true;
	return pfm.missing;
}

const char *hyb_pfm_find(const char *name, struct perf_event_attr *attr, const char **description)
{
	struct encoding encoding = { .attr = attr, .size = sizeof(encoding) };
	struct event_info info = { .size = sizeof(info) };
	int err, index;

	if (missing())
		return missing();
	memset(attr, 0, sizeof(*attr));
	err = pfm.encode(name, PFM_PLM3, PFM_OS_PERF_EVENT, &encoding);
	if (err != PFM_SUCCESS)
		return pfm.strerror(err);
	attr->size = sizeof(*attr);
	*description = "";
	index = pfm.find(name);
	if (index >= 0 && pfm.event(index, PFM_OS_PERF_EVENT, &info) == PFM_SUCCESS && info.description)
		*description = hyb_counter_text(info.description);
	return NULL;
}

static void visit_pmu(const struct pmu_info *pmu, void (*visit)(const char *, const char *, void *), void *context)
{
	char name[256];

	for (int at = pmu->first; at >= 0; at = pfm.next(at)) {
		struct event_info info = { .size = sizeof(info) };

		if (pfm.event(at, PFM_OS_PERF_EVENT, &info) != PFM_SUCCESS || !info.name)
			continue;
		hyb_text_format(name, sizeof(name), "%s::%s", pmu->name, info.name);
		visit(name, info.description ? info.description : "", context);
	}
}

const char *hyb_pfm_each(void (*visit)(const char *name, const char *description, void *context), void *context)
{
	if (missing())
		return missing();
	for (int i = 0; i < PMUS; i++) {
		struct pmu_info pmu = { .size = sizeof(pmu) };

		if (pfm.pmu(i, &pmu) == PFM_SUCCESS && pmu.flags & 1)
			visit_pmu(&pmu, visit, context);
	}
	return NULL;
}
