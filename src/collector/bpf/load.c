/* SPDX-License-Identifier: BSD-3-Clause */
/* Loading and attaching the programs in the kernel; see load.h. */
#include "collector/bpf/load.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/config/config.h"
#include "core/sys/text.h"
#include "collector/bpf/library.h"
#include "collector/common/event.h"
#include "collector/common/memory-limit.h"
#include "collector/common/task.h"

#define SWITCH_ARGUMENTS 5	/* of sched_switch since 5.18, with the first one, which all tracepoints have */
/* Entries of the profile at most. One that is not used takes 16 bytes. What has no entry is counted. */
#define THREADS		(128u << 10)
#define SUMS		(256u << 10)
#define LEAST_THREADS	1024
#define ENTRY		64	/* bytes that the kernel adds to each entry */
#define REQUESTS	(16u << 10)	/* to block devices, under way: more than their queues have room for */

extern const unsigned char hyb_bpf_object[], hyb_bpf_object_end[]; /* object.S */

static struct {
	struct bpf_object *object;
	struct bpf_link **links;
	size_t link_count;
	struct hyb_bpf_shared *shared;
	struct hyb_bpf_cpu *cpus;
	size_t cpus_size;
	uint32_t groups;
	char said[160];		/* the first complaint of libbpf, which is the most exact */
} load;

/*
 * Each program has the name of its tracepoint. Those without a group are always needed. Ends of interrupts come first: an
 * interrupt in between would have a begin alone.
 */
static const struct {
	const char *name;
	uint32_t group;
	bool some;		/* not every kernel has it, so nothing is said if it is not there */
} programs[] = {
	{ "sched_process_fork", 0, false },
	{ "sched_prepare_exec", 0, true },
	{ "sched_process_exec", 0, false },
	{ "sched_process_exit", 0, false },
	{ "sched_process_free", 0, false },
	{ "task_rename", 0, false },
	{ "sched_switch", HYB_KERNEL_SCHED, false },
	{ "sched_waking", HYB_KERNEL_SCHED, false },
	{ "sched_migrate_task", HYB_KERNEL_SCHED, false },
	{ "signal_generate", HYB_KERNEL_SIGNAL, false },
	{ "signal_deliver", HYB_KERNEL_SIGNAL, false },
	{ "sys_enter", HYB_KERNEL_SYSCALL, false },
	{ "sys_exit", HYB_KERNEL_SYSCALL, false },
	{ "irq_handler_exit", HYB_KERNEL_IRQ, false },
	{ "irq_handler_entry", HYB_KERNEL_IRQ, false },
	{ "local_timer_exit", HYB_KERNEL_IRQ, true },
	{ "local_timer_entry", HYB_KERNEL_IRQ, true },
	{ "irq_work_exit", HYB_KERNEL_IRQ, true },
	{ "irq_work_entry", HYB_KERNEL_IRQ, true },
	{ "call_function_exit", HYB_KERNEL_IRQ, true },
	{ "call_function_entry", HYB_KERNEL_IRQ, true },
	{ "call_function_single_exit", HYB_KERNEL_IRQ, true },
	{ "call_function_single_entry", HYB_KERNEL_IRQ, true },
	{ "thermal_apic_exit", HYB_KERNEL_IRQ, true },
	{ "thermal_apic_entry", HYB_KERNEL_IRQ, true },
	{ "softirq_exit", HYB_KERNEL_IRQ, false },
	{ "softirq_entry", HYB_KERNEL_IRQ, false },
	{ "sock_send_length", HYB_KERNEL_NET, false },
	{ "sock_recv_length", HYB_KERNEL_NET, false },
	{ "tcp_retransmit_skb", HYB_KERNEL_NET, false },
	{ "block_rq_issue", HYB_KERNEL_BLOCK, false },
	{ "block_rq_requeue", HYB_KERNEL_BLOCK, false },
	{ "block_rq_complete", HYB_KERNEL_BLOCK, false },
};

static const struct {
	const char *name;
	uint64_t config;
} faults[] = {
	{ "fault_begin", PERF_COUNT_SW_PAGE_FAULTS },
	{ "fault_minor", PERF_COUNT_SW_PAGE_FAULTS_MIN },
	{ "fault_major", PERF_COUNT_SW_PAGE_FAULTS_MAJ },
};

#define COUNT_OF(a) (sizeof(a) / sizeof((a)[0]))

static int keep_said(enum libbpf_print_level level, const char *format, va_list arguments)
{
	if (level == LIBBPF_WARN && !load.said[0]) {
		hyb_text_vformat(load.said, sizeof(load.said), format, arguments);
		load.said[strcspn(load.said, "\n")] = 0;
	}
	return 0;
}

static void choose(const char *name, bool wanted)
{
	struct bpf_program *program = bpf_object__find_program_by_name(load.object, name);

	if (program)
		bpf_program__set_autoload(program, wanted);
}

/* A program whose tracepoint this kernel lacks would keep all others from being loaded. */
static void choose_programs(const struct btf *kernel, uint32_t groups)
{
	char type[64];

	for (size_t i = 0; i < COUNT_OF(programs); i++) {
		bool wanted = !programs[i].group || programs[i].group & groups;

		snprintf(type, sizeof(type), "btf_trace_%s", programs[i].name);
		if (wanted && btf__find_by_name_kind(kernel, type, BTF_KIND_TYPEDEF) <= 0) {
			if (!programs[i].some)
				hyb_source_missing(programs[i].name, "this kernel does not have it");
			wanted = false;
		}
		choose(programs[i].name, wanted);
	}
	for (size_t i = 0; i < COUNT_OF(faults); i++)
		choose(faults[i].name, groups & HYB_KERNEL_FAULT);
}

static unsigned int arguments_of(const struct btf *kernel, const char *name)
{
	const struct btf_type *type;
	int id = btf__find_by_name_kind(kernel, name, BTF_KIND_TYPEDEF);

	/* typedef void (*btf_trace_<name>)(...) */
	type = id > 0 ? btf__type_by_id(kernel, (__u32)id) : NULL;
	type = type ? btf__type_by_id(kernel, type->type) : NULL;
	type = type && btf_is_ptr(type) ? btf__type_by_id(kernel, type->type) : NULL;
	return type && btf_is_func_proto(type) ? btf_vlen(type) : 0;
}

/* The offset of a per-CPU variable among all of these, -1: it is not known. */
static int64_t offset_of(const struct btf *kernel, const char *name)
{
	int section = btf__find_by_name_kind(kernel, ".data..percpu", BTF_KIND_DATASEC);
	const struct btf_type *type = section > 0 ? btf__type_by_id(kernel, (__u32)section) : NULL;
	const struct btf_var_secinfo *variables = type ? btf_var_secinfos(type) : NULL;

	for (unsigned int i = 0; type && i < btf_vlen(type); i++) {
		const struct btf_type *variable = btf__type_by_id(kernel, variables[i].type);

		if (variable && !strcmp(btf__name_by_offset(kernel, variable->name_off), name))
			return variables[i].offset;
	}
	return -1;
}

/* From a CPU's run queue to its preemption counter. In Linux 6.2 to 6.14 a struct has it, after a pointer. */
static int64_t find_preempt(const struct btf *kernel)
{
	int64_t queue = offset_of(kernel, "runqueues");
	int64_t counter = offset_of(kernel, "__preempt_count");

	if (counter < 0) {
		counter = offset_of(kernel, "pcpu_hot");
		counter += counter < 0 ? 0 : (int64_t)sizeof(void *);
	}
	return queue < 0 || counter < 0 ? 0 : counter - queue;
}

/* The map of a section. NULL: its only variable is not as large here as in the programs. */
static struct bpf_map *section(const char *name, size_t size)
{
	struct bpf_map *map = bpf_object__find_map_by_name(load.object, name);

	return map && bpf_map__value_size(map) == size ? map : NULL;
}

/* The inode of this pid namespace, which programs compare. 0: the first one, where tasks have the kernel's numbers. */
static uint32_t own_namespace(void)
{
	struct stat st;

	return hyb_tasks_first_namespace() || stat("/proc/self/ns/pid", &st) ? 0 : (uint32_t)st.st_ino;
}

/* How many threads there is memory for, if all of them had all events. */
static uint32_t most_threads(void)
{
	const uint64_t each = sizeof(struct hyb_bpf_frames) + sizeof(struct hyb_bpf_place) + 2 * ENTRY +
			      SUMS / THREADS * (sizeof(struct hyb_bpf_profile) + ENTRY);
	uint32_t most = THREADS;

	while (most > LEAST_THREADS && !hyb_memory_take(most * each))
		most /= 2;
	return most;
}

/* The maps of the profile have room when there is one. */
static int set_up_profile(void)
{
	struct bpf_map *frames = bpf_object__find_map_by_name(load.object, "frames");
	struct bpf_map *profile = bpf_object__find_map_by_name(load.object, "profile");
	struct bpf_map *blocks = bpf_object__find_map_by_name(load.object, "blocks");
	struct bpf_map *places = bpf_object__find_map_by_name(load.object, "places");
	uint32_t most = most_threads();
	int err;

	if (!frames || !profile || !blocks || !places)
		return -EINVAL;
	err = bpf_map__set_max_entries(frames, most);
	if (!err)
		err = bpf_map__set_max_entries(places, most);
	if (!err)
		err = bpf_map__set_max_entries(blocks, HYB_BPF_BLOCKS);
	if (!err)
		err = bpf_map__set_max_entries(profile, SUMS / THREADS * most);
	return err;
}

static int set_up(const struct hyb_collect_request *wish, const struct btf *kernel, uint32_t count)
{
	struct hyb_bpf_settings settings = {
		.preempt = find_preempt(kernel),
		.collector = (uint32_t)getpid(),
		.pid_namespace = own_namespace(),
		.user = getuid(),
		.wake = (uint32_t)(wish->buffer / 4),
		.all = wish->tasks == HYB_KERNEL_ALL,
		.chains = !!(wish->events & HYB_KERNEL_CALLCHAIN),
		.trace = wish->profile != HYB_KERNEL_PROFILE_ONLY,
		.profile = wish->profile != HYB_KERNEL_PROFILE_NO,
		.state_given = arguments_of(kernel, "btf_trace_sched_switch") >= SWITCH_ARGUMENTS,
	};
	struct bpf_map *rodata = section(".rodata", sizeof(settings));
	struct bpf_map *rings = bpf_object__find_map_by_name(load.object, "rings");
	struct bpf_map *cpus = bpf_object__find_map_by_name(load.object, "cpus");
	struct bpf_map *requests = bpf_object__find_map_by_name(load.object, "requests");
	int err;

	if (!rodata || !rings || !cpus || !requests ||
	    !section(".bss", sizeof(struct hyb_bpf_shared)))
		return -EINVAL;
	err = bpf_map__set_initial_value(rodata, &settings, sizeof(settings));
	if (!err)
		err = bpf_map__set_max_entries(rings, count);
	if (!err)
		err = bpf_map__set_max_entries(cpus, count);
	if (!err && wish->events & HYB_KERNEL_BLOCK)
		err = bpf_map__set_max_entries(requests, REQUESTS);
	if (!err && wish->profile != HYB_KERNEL_PROFILE_NO)
		err = set_up_profile();
	return err;
}

static void *map_shared(const char *name, size_t size)
{
	int fd = bpf_map__fd(bpf_object__find_map_by_name(load.object, name));
	void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	return at == MAP_FAILED ? NULL : at;
}

static int map_all(const int *rings, uint32_t count)
{
	int outer = bpf_map__fd(bpf_object__find_map_by_name(load.object, "rings"));
	int err = 0;

	for (uint32_t i = 0; i < count && !err; i++) {
		if (rings[i] >= 0)
			err = bpf_map_update_elem(outer, &i, &rings[i], BPF_ANY);
	}
	if (err)
		return err;
	load.cpus_size = count * sizeof(*load.cpus);
	load.shared = map_shared(".bss", sizeof(*load.shared));
	load.cpus = map_shared("cpus", load.cpus_size);
	return load.shared && load.cpus ? 0 : -ENOMEM;
}

int hyb_bpf_load(const struct hyb_collect_request *wish, const int *rings, uint32_t count)
{
	LIBBPF_OPTS(bpf_object_open_opts, options, .object_name = "hybmon");
	struct btf *kernel;
	int err;

	libbpf_set_print(keep_said);
	load.groups = wish->events;
	kernel = btf__load_vmlinux_btf();
	if (!kernel)
		return -errno;
	load.object = bpf_object__open_mem(hyb_bpf_object, (size_t)(hyb_bpf_object_end - hyb_bpf_object), &options);
	err = load.object ? 0 : -errno;
	if (!err) {
		choose_programs(kernel, wish->events);
		err = set_up(wish, kernel, count);
	}
	btf__free(kernel);
	if (!err)
		err = bpf_object__load(load.object);
	if (!err)
		err = map_all(rings, count);
	if (!err)
		return 0;
	hyb_bpf_unload();
	if (err == -EPERM || !load.said[0])
		return err;
	hyb_source_missing("bpf", load.said);
	return -ECANCELED;
}

/* A program is attached as long as its link is there. */
static int keep_link(struct bpf_link *link)
{
	struct bpf_link **more;

	if (!link)
		return -errno;
	more = realloc(load.links, (load.link_count + 1) * sizeof(struct bpf_link *));
	if (!more) {
		bpf_link__destroy(link);
		return -ENOMEM;
	}
	load.links = more;
	load.links[load.link_count++] = link;
	return 0;
}

static int attach_fault(const char *name, uint64_t config, uint32_t cpu)
{
	struct bpf_program *program = bpf_object__find_program_by_name(load.object, name);
	struct perf_event_attr attr;
	struct bpf_link *link;
	int fd, err;

	hyb_event_init(&attr, PERF_TYPE_SOFTWARE, config);
	fd = hyb_event_open(&attr, -1, (int)cpu, -1);
	if (fd < 0)
		return fd;
	link = program ? bpf_program__attach_perf_event(program, fd) : NULL;
	err = keep_link(link);
	/* A link owns the descriptor. */
	if (!link)
		close(fd);
	return err;
}

void hyb_bpf_attach_cpu(uint32_t number)
{
	for (size_t i = 0; i < COUNT_OF(faults) && load.groups & HYB_KERNEL_FAULT; i++) {
		int err = attach_fault(faults[i].name, faults[i].config, number);

		if (err)
			hyb_source_missing("fault", hyb_text_errno(-err));
	}
}

int hyb_bpf_attach(void)
{
	for (size_t i = 0; i < COUNT_OF(programs); i++) {
		struct bpf_program *program = bpf_object__find_program_by_name(load.object, programs[i].name);
		int err;

		if (!program || !bpf_program__autoload(program))
			continue;
		err = keep_link(bpf_program__attach(program));
		if (err && !programs[i].group)
			return err;
		if (err)
			hyb_source_missing(programs[i].name, hyb_text_errno(-err));
	}
	return 0;
}

void hyb_bpf_detach(void)
{
	for (size_t i = 0; i < load.link_count; i++)
		bpf_link__destroy(load.links[i]);
	free(load.links);
	load.links = NULL;
	load.link_count = 0;
}

void hyb_bpf_unload(void)
{
	hyb_bpf_detach();
	if (load.shared)
		munmap(load.shared, sizeof(*load.shared));
	if (load.cpus)
		munmap(load.cpus, load.cpus_size);
	if (load.object)
		bpf_object__close(load.object);
	load.shared = NULL;
	load.cpus = NULL;
	load.object = NULL;
}

int hyb_bpf_side(uint64_t *size)
{
	struct bpf_map *map = bpf_object__find_map_by_name(load.object, "side");

	*size = bpf_map__max_entries(map);
	return bpf_map__fd(map);
}

int hyb_bpf_map(const char *name)
{
	return bpf_map__fd(bpf_object__find_map_by_name(load.object, name));
}

struct hyb_bpf_shared *hyb_bpf_shared(void)
{
	return load.shared;
}

struct hyb_bpf_cpu *hyb_bpf_cpu(uint32_t number)
{
	return &load.cpus[number];
}

uint64_t hyb_bpf_missed(void)
{
	struct bpf_program *program;
	uint64_t missed = 0;

	bpf_object__for_each_program(program, load.object) {
		struct bpf_prog_info info = { .type = 0 };
		__u32 size = sizeof(info);

		if (bpf_program__fd(program) >= 0 && !bpf_obj_get_info_by_fd(bpf_program__fd(program), &info, &size))
			missed += info.recursion_misses;
	}
	return missed;
}
