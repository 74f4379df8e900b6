/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernel's own events by name, and what its answers mean; see perf.h. */
#include <errno.h>
#include <string.h>
#include <strings.h>

#include "core/sys/sys.h"
#include "core/sys/text.h"
#include "core/counters/perf.h"

#define PREFIX "perf::"

static const struct software {
	const char *name;
	const char *other;	/* as the kernel's headers have it, behind PERF_COUNT_SW_ */
	const char *unit;
	const char *description;
	uint64_t config;
} software[] = {
	{ "CPU-CLOCK", "CPU_CLOCK", "s", "time that the thread was on a CPU", PERF_COUNT_SW_CPU_CLOCK },
	{ "TASK-CLOCK", "TASK_CLOCK", "s", "CPU time of the thread", PERF_COUNT_SW_TASK_CLOCK },
	{ "PAGE-FAULTS", "PAGE_FAULTS", "#", "page faults", PERF_COUNT_SW_PAGE_FAULTS },
	{ "FAULTS", "PAGE_FAULTS", "#", "page faults", PERF_COUNT_SW_PAGE_FAULTS },
	{ "MINOR-FAULTS", "PAGE_FAULTS_MIN", "#", "page faults without input or output", PERF_COUNT_SW_PAGE_FAULTS_MIN },
	{ "MAJOR-FAULTS", "PAGE_FAULTS_MAJ", "#", "page faults that waited for input", PERF_COUNT_SW_PAGE_FAULTS_MAJ },
	{ "CONTEXT-SWITCHES", "CONTEXT_SWITCHES", "#", "context switches of the thread", PERF_COUNT_SW_CONTEXT_SWITCHES },
	{ "CS", "CONTEXT_SWITCHES", "#", "context switches of the thread", PERF_COUNT_SW_CONTEXT_SWITCHES },
	{ "CPU-MIGRATIONS", "CPU_MIGRATIONS", "#", "moves of the thread to another CPU", PERF_COUNT_SW_CPU_MIGRATIONS },
	{ "MIGRATIONS", "CPU_MIGRATIONS", "#", "moves of the thread to another CPU", PERF_COUNT_SW_CPU_MIGRATIONS },
	{ "ALIGNMENT-FAULTS", "ALIGNMENT_FAULTS", "#", "accesses that the kernel aligned",
	  PERF_COUNT_SW_ALIGNMENT_FAULTS },
	{ "EMULATION-FAULTS", "EMULATION_FAULTS", "#", "instructions that the kernel emulated",
	  PERF_COUNT_SW_EMULATION_FAULTS },
};

#define SOFTWARE (sizeof(software) / sizeof(software[0]))

bool hyb_perf_software(const char *name, struct perf_event_attr *attr, const char **unit, const char **description)
{
	static const char kernels[] = "PERF_COUNT_SW_";

	if (!strncasecmp(name, PREFIX, strlen(PREFIX)))
		name += strlen(PREFIX);
	else if (strncasecmp(name, kernels, strlen(kernels)))
		return false;
	for (size_t i = 0; i < SOFTWARE; i++) {
		bool long_name = !strncasecmp(name, kernels, strlen(kernels));

		if (strcasecmp(long_name ? name + strlen(kernels) : name, long_name ? software[i].other : software[i].name))
			continue;
		memset(attr, 0, sizeof(*attr));
		attr->type = PERF_TYPE_SOFTWARE;
		attr->size = sizeof(*attr);
		attr->config = software[i].config;
		*unit = software[i].unit;
		*description = software[i].description;
		return true;
	}
	return false;
}

const char *hyb_perf_software_name(unsigned int n)
{
	static const char *const names[] = {
		"perf::TASK-CLOCK", "perf::CPU-CLOCK", "perf::PAGE-FAULTS", "perf::MINOR-FAULTS", "perf::MAJOR-FAULTS",
		"perf::CONTEXT-SWITCHES", "perf::CPU-MIGRATIONS", "perf::ALIGNMENT-FAULTS", "perf::EMULATION-FAULTS",
	};

	return n < sizeof(names) / sizeof(names[0]) ? names[n] : NULL;
}

static const char *why_forbidden(const struct perf_event_attr *attr)
{
	char text[16];

	if (hyb_sys_read_file("/proc/sys/kernel/perf_event_paranoid", text, sizeof(text)) <= 0)
		return "this kernel has no perf events";
	if (attr->type == PERF_TYPE_SOFTWARE && text[0] != '-' && text[0] >= '2')
		return "this user may not count what happens in the kernel; it takes kernel.perf_event_paranoid=1 or CAP_PERFMON";
	if (text[0] != '-' && text[0] > '2')
		return "this user may count nothing; it takes kernel.perf_event_paranoid=2 or CAP_PERFMON";
	return "this user may not count it, or a container's filter forbids perf_event_open";
}

const char *hyb_perf_why(int err, const struct perf_event_attr *attr)
{
	switch (err) {
	case -EACCES:
	case -EPERM:
		return why_forbidden(attr);
	case -ENOENT:
	case -ENODEV:
	case -EOPNOTSUPP:
		return "this machine has no such hardware counter, as most virtual machines";
	case -EINVAL:
		return "the kernel does not count it for one thread";
	case -ENOSYS:
		return "this kernel has no perf events";
	case -EMFILE:
	case -ENFILE:
		return "there are no descriptors left; it takes a higher limit (ulimit -n)";
	default:
		return hyb_text_errno(-err);
	}
}
