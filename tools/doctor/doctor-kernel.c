/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks of hybmon doctor: what the kernel shows to this user. */
#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/xattr.h>
#include <unistd.h>
#if __has_include(<linux/perf_event.h>)
#include <linux/perf_event.h>
#endif

#include "core/config/config.h"
#include "tools/doctor/doctor.h"
#include "tools/common/tool.h"
#include "tools/common/lacking.h"
#include "core/sys/capability.h"
#include "tools/run/prepare.h"

#define PARANOID	"/proc/sys/kernel/perf_event_paranoid"
#define TRACEFS		"/sys/kernel/tracing"
#define BTF		"/sys/kernel/btf/vmlinux"

static uint64_t effective_capabilities(void)
{
	FILE *f = fopen("/proc/self/status", "re");
	unsigned long long mask = 0;
	char line[256];

	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "CapEff: %llx", &mask) == 1)
			break;
	}
	if (f)
		fclose(f);
	return mask;
}

static bool has(unsigned int capability)
{
	uint64_t mask = effective_capabilities();

	/* CAP_SYS_ADMIN is what these were before they had names of their own */
	return mask >> capability & 1 || mask >> CAP_SYS_ADMIN & 1;
}

void hyb_check_capabilities(void)
{
	bool perfmon = has(CAP_PERFMON), bpf = has(CAP_BPF);

	hyb_doctor_say(perfmon && bpf ? HYB_HEALTH_YES : perfmon || bpf ? HYB_HEALTH_PARTLY : HYB_HEALTH_NO, NULL,
		       "this user has%s CAP_PERFMON, has%s CAP_BPF", perfmon ? "" : " not", bpf ? "" : " not");
}

/* What levels above 2 forbid differs between distributions, and containers forbid more: so it is tried. */
static bool own_events(void)
{
#ifdef PERF_ATTR_SIZE_VER0
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = PERF_ATTR_SIZE_VER0,
		.config = PERF_COUNT_SW_PAGE_FAULTS,
		.disabled = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	long fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);

	if (fd >= 0)
		close((int)fd);
	return fd >= 0;
#else
	return false;
#endif
}

void hyb_check_perf(void)
{
	static const char advice[] = "as root: sysctl kernel.perf_event_paranoid=-1, or give the user CAP_PERFMON";
	FILE *f = fopen(PARANOID, "re");
	int level;
	bool known = f && fscanf(f, "%d", &level) == 1;

	if (f)
		fclose(f);
	if (!known)
		hyb_doctor_say(HYB_HEALTH_NO, "use a kernel with CONFIG_PERF_EVENTS", "there is no " PARANOID);
	else if (!own_events())
		hyb_doctor_say(HYB_HEALTH_NO, advice, "none (kernel.perf_event_paranoid is %d)%s", level,
			       level <= 2 || has(CAP_PERFMON) ? ": a container's filter of system calls forbids them" : "");
	else if (has(CAP_PERFMON) || level < 0)
		hyb_doctor_say(HYB_HEALTH_YES, NULL, "of all processes (kernel.perf_event_paranoid is %d)", level);
	else if (!level)
		hyb_doctor_say(HYB_HEALTH_PARTLY, advice, "of all CPUs, without tracepoints (kernel.perf_event_paranoid is 0)");
	else
		hyb_doctor_say(HYB_HEALTH_PARTLY, advice, "of own threads only (kernel.perf_event_paranoid is %d)",
			       level);
}

void hyb_check_tracefs(void)
{
	if (!access(TRACEFS "/events/sched/sched_switch/id", R_OK))
		hyb_doctor_say(HYB_HEALTH_YES, NULL, TRACEFS "/events can be read");
	else if (errno == EACCES)
		hyb_doctor_say(HYB_HEALTH_NO, "as root: mount -o remount,gid=GROUP,mode=0750 " TRACEFS
			       ", with a group that the user is in", TRACEFS " may not be read by this user");
	else
		hyb_doctor_say(HYB_HEALTH_NO, "as root: mount -t tracefs tracefs " TRACEFS,
			       TRACEFS "/events is not there");
}

void hyb_check_btf(void)
{
	if (!access(BTF, R_OK))
		hyb_doctor_say(HYB_HEALTH_YES, NULL, BTF);
	else
		hyb_doctor_say(HYB_HEALTH_NO, "use a kernel with CONFIG_DEBUG_INFO_BTF", BTF " is not there, so no bpf "
			       "programs that fit any kernel");
}

/* Whether the file has the capability by itself, whoever runs it. */
static bool file_has(const char *path, unsigned int capability)
{
	struct vfs_ns_cap_data data;
	ssize_t n = getxattr(path, "security.capability", &data, sizeof(data));

	if (n < (ssize_t)XATTR_CAPS_SZ_2 || !(data.magic_etc & VFS_CAP_FLAGS_EFFECTIVE))
		return false;
	return data.data[capability / 32].permitted >> capability % 32 & 1;
}

/* Confidentiality is what keeps programs in the kernel from reading its memory, root's as well. */
static bool is_locked_down(void)
{
	FILE *f = fopen("/sys/kernel/security/lockdown", "re");
	char line[128] = "";

	if (f && !fgets(line, sizeof(line), f))
		line[0] = 0;
	if (f)
		fclose(f);
	return strstr(line, "[confidentiality]");
}

static bool has_libbpf(void)
{
	void *library = dlopen("libbpf.so.1", RTLD_LAZY | RTLD_LOCAL);

	if (library)
		dlclose(library);
	return library;
}

/*
 * What the collector's source of that name needs; kernel.unprivileged_bpf_disabled is about programs of another kind.
 */
void hyb_check_bpf(void)
{
	char *library = hyb_prepare_library();
	char *path = library ? hyb_prepare_collector(library) : NULL;
	bool may_bpf = has(CAP_BPF) || (path && file_has(path, CAP_BPF));
	bool may_perfmon = has(CAP_PERFMON) || (path && file_has(path, CAP_PERFMON));
	char *advice = NULL;

	if (path && asprintf(&advice, "as root: setcap cap_bpf,cap_perfmon+ep %s", path) < 0)
		advice = NULL;
	if (hyb_build_lacks(HYB_OPTIONAL_BPF))
		hyb_doctor_lacks(HYB_HEALTH_NO, HYB_OPTIONAL_BPF);
	else if (!has_libbpf())
		hyb_doctor_say(HYB_HEALTH_NO, "install libbpf 1.0 or later (Debian: libbpf1)", "libbpf.so.1 cannot be loaded");
	else if (access(BTF, R_OK))
		hyb_doctor_say(HYB_HEALTH_NO, "use a kernel with CONFIG_DEBUG_INFO_BTF", "programs need " BTF);
	else if (is_locked_down())
		hyb_doctor_say(HYB_HEALTH_NO, "boot without lockdown=confidentiality",
			       "the kernel is locked down: no program may read what happens in it");
	else if (may_bpf && may_perfmon)
		hyb_doctor_say(HYB_HEALTH_YES, NULL, "HYBMON_KERNEL=bpf: what the kernel does on all CPUs, filtered "
			       "there; sums of it, in profiles by region (HYBMON_KERNEL_PROFILE)");
	else
		hyb_doctor_say(HYB_HEALTH_NO, advice, "%s%s%s: kernel.unprivileged_bpf_disabled=0 would not be enough",
			       may_bpf ? "" : "no CAP_BPF", may_bpf || may_perfmon ? "" : ", ",
			       may_perfmon ? "" : "no CAP_PERFMON");
	free(advice);
	free(path);
	free(library);
}

/* What the collector says that it would record, with the words of its manifest; its first line behind them. */
static void report(const char *path, char *said, const char *advice)
{
	static const struct {
		const char *name;
		const char *what;
	} sources[] = {
		{ "bpf", "what the kernel does on all CPUs" },
		{ "perf", "what the kernel does on all CPUs" },
		{ "self", "what threads may know of themselves" },
	};
	const char *source = strstr(said, "source: ") + 8;
	const char *what = "";
	bool all = strncmp(source, "self", 4);

	for (size_t i = 0; i < sizeof(sources) / sizeof(sources[0]); i++)
		if (!strncmp(source, sources[i].name, strlen(sources[i].name)))
			what = sources[i].what;
	hyb_doctor_say(all ? HYB_HEALTH_YES : HYB_HEALTH_PARTLY, all ? NULL : advice, "HYBMON_KERNEL=%.*s: %s, by %s",
		       (int)strcspn(source, "\n"), source, what, path);
	if (strncmp(source, "bpf", 3))
		hyb_doctor_say(HYB_HEALTH_PARTLY, NULL, "HYBMON_KERNEL_PROFILE: in profiles (HYBMON_MODE) only what threads may know of "
			       "themselves; all of it needs the source bpf, or the service");
	for (char *line = strtok(said, "\n"); line; line = strtok(NULL, "\n")) {
		if (!strncmp(line, "missing: ", 9))
			hyb_doctor_say(HYB_HEALTH_PARTLY, NULL, "%s", line);
	}
}

/* Asks the collector itself: what it can have depends on its own rights, which may be more than this user's. */
void hyb_check_collector(void)
{
	char *library = hyb_prepare_library();
	char *path = library ? hyb_prepare_collector(library) : NULL;
	char *events = hyb_tool_format("--events=%u", hyb_config.kernel_events);
	char try[] = "--try";
	char *argv[] = { path, try, events, NULL };
	char *advice = path ? hyb_tool_format("as root: setcap cap_perfmon+ep %s", path) : NULL;
	char *said = NULL;

	if (!path || access(path, X_OK))
		hyb_doctor_say(HYB_HEALTH_NO, "build hybmon with linux/perf_event.h, and install it again",
			       "%s is not there: HYBMON_KERNEL records nothing", path ? path : "hybmon-collect");
	else
		said = hyb_tool_output(argv);
	if (said && strstr(said, "source: "))
		report(path, said, advice);
	else if (path && !access(path, X_OK))
		hyb_doctor_say(HYB_HEALTH_NO, "run it with --try to see why; where it has capabilities that a container does not "
			       "give, as root: setcap -r on it", "%s cannot record anything", path);
	free(said);
	free(advice);
	free(events);
	free(path);
	free(library);
}

/* Whether a job of this user would be served by it; a connection without a word is none of its business. */
void hyb_check_service(void)
{
	const char *path = hyb_config.kernel_service;
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int err;

	snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
	err = fd < 0 || connect(fd, (const struct sockaddr *)&address, sizeof(address)) ? errno : 0;
	if (fd >= 0)
		close(fd);
	if (!*path)
		hyb_doctor_say(HYB_HEALTH_NO, NULL, "HYBMON_KERNEL_SERVICE is empty: it is not asked");
	else if (err == EACCES)
		hyb_doctor_say(HYB_HEALTH_NO, "as root: let this user into its group", "this user may not come to %s", path);
	else if (err)
		hyb_doctor_say(HYB_HEALTH_NO, "as root: systemctl enable --now hybmon-collect, or hybmon-collect --service, gives "
			       "all users the kernel's events of their own processes", "none at %s: jobs start their own collectors",
			       path);
	else if (!geteuid())
		hyb_doctor_say(HYB_HEALTH_YES, NULL, "%s serves others; root's jobs start their own collectors", path);
	else
		hyb_doctor_say(HYB_HEALTH_YES, NULL, "%s is asked before the job's own collector is started", path);
}
