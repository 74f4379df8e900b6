/* SPDX-License-Identifier: BSD-3-Clause */
/* Perf events of a thread; see perf.h. */
#include "core/counters/perf.h"

#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>

#include "core/sys/memory.h"
#include "core/sys/sys.h"
#include "core/counters/page.h"

#define NO_FD		(-1)
#define READ_HEAD	3	/* words before the values: how many, time enabled, time running */
#define READ_EACH	2	/* words of a value: it, and the event's id */
#define FORMAT (PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING | PERF_FORMAT_ID)

/* An event of a thread. */
struct event {
	int fd;
	uint64_t id;
	uint64_t value;		/* the last one that was read */
	uint64_t before;	/* what was counted by descriptors that the program closed */
	struct perf_event_mmap_page *page;
};

struct hyb_perf {
	bool direct;
	uint64_t *words;	/* for reading a group */
	struct event events[];
};

size_t hyb_perf_size(const struct hyb_perf_plan *plan)
{
	return sizeof(struct hyb_perf) + plan->count * sizeof(struct event) +
	       (READ_HEAD + READ_EACH * plan->count) * sizeof(uint64_t);
}

/* Whether the descriptor is still that event's; its number may be another file's by now. */
static bool is_ours(const struct event *event)
{
	uint64_t id = 0;

	return event->fd != NO_FD && !HYB_SYS(ioctl, event->fd, PERF_EVENT_IOC_ID, &id, 0, 0, 0) && id == event->id;
}

/* A descriptor or -errno. A group begins switched off, and is not put on the processor in parts. */
static int open_event(const struct hyb_perf_plan *plan, const struct perf_event_attr *given, int leader)
{
	struct perf_event_attr attr = *given;
	long fd;

	attr.read_format = FORMAT;
	attr.disabled = leader == NO_FD;
	attr.pinned = leader == NO_FD && !plan->multiplex;
	attr.sample_period = 0;
	attr.inherit = 0;
	fd = HYB_SYS(perf_event_open, &attr, 0, -1, leader, PERF_FLAG_FD_CLOEXEC, 0);
	return fd < 0 ? (int)fd : (int)hyb_sys_high_descriptor(fd);
}

/* Only what needs no privilege beyond: some of the kernel's own events happen in the kernel alone. */
static bool is_kernels_only(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_SOFTWARE &&
	       (attr->config == PERF_COUNT_SW_CONTEXT_SWITCHES || attr->config == PERF_COUNT_SW_CPU_MIGRATIONS);
}

static bool is_clock(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_SOFTWARE &&
	       (attr->config == PERF_COUNT_SW_CPU_CLOCK || attr->config == PERF_COUNT_SW_TASK_CLOCK);
}

static int trial_leader(const struct hyb_perf_plan *plan)
{
	for (uint32_t i = 0; i < plan->count; i++) {
		if (plan->terms[i].group == plan->groups - 1)
			return plan->terms[i].trial;
	}
	return NO_FD;
}

static int try_term(const struct hyb_perf_plan *plan, struct hyb_perf_term *term, int leader, bool *user)
{
	int fd = open_event(plan, &term->attr, leader);

	*user = false;
	if ((fd == -EACCES || fd == -EPERM) && !term->attr.exclude_kernel && !is_kernels_only(&term->attr)) {
		term->attr.exclude_kernel = 1;
		term->attr.exclude_hv = 1;
		*user = !is_clock(&term->attr);
		fd = open_event(plan, &term->attr, leader);
	}
	term->trial = fd;
	return fd < 0 ? fd : 0;
}

static bool has_room(struct hyb_perf_plan *plan)
{
	uint32_t room = plan->room ? 2 * plan->room : 16;
	struct hyb_perf_term *terms;

	if (plan->count < plan->room)
		return true;
	terms = hyb_alloc(room * sizeof(*terms));
	if (!terms)
		return false;
	if (plan->count)
		memcpy(terms, plan->terms, plan->count * sizeof(*terms));
	plan->terms = terms;
	plan->room = room;
	return true;
}

int hyb_perf_add(struct hyb_perf_plan *plan, const struct perf_event_attr *attr, bool *user)
{
	struct hyb_perf_term *term;
	int leader = trial_leader(plan);
	int err, alone;

	*user = false;
	if (!has_room(plan))
		return -ENOMEM;
	term = &plan->terms[plan->count];
	term->attr = *attr;
	term->group = plan->groups - (leader != NO_FD);
	err = try_term(plan, term, leader, user);
	if (err && leader != NO_FD) {
		/* If it can be counted alone, it is the others that it does not go with. */
		term->attr = *attr;
		term->group = plan->groups;
		alone = try_term(plan, term, NO_FD, user);
		if (!alone && !plan->multiplex && err != -E2BIG) {
			hyb_sys_close(term->trial);
			return -EBUSY;
		}
		err = alone;
	}
	if (err)
		return err;
	plan->groups = term->group + 1;
	plan->count++;
	return 0;
}

void hyb_perf_shorten(struct hyb_perf_plan *plan, uint32_t count)
{
	while (plan->count > count)
		hyb_sys_close(plan->terms[--plan->count].trial);
	plan->groups = plan->count ? plan->terms[plan->count - 1].group + 1 : 0;
}

void hyb_perf_settle(struct hyb_perf_plan *plan)
{
	for (uint32_t i = 0; i < plan->count; i++)
		hyb_sys_close(plan->terms[i].trial);
}

#if defined(__x86_64__)
static uint64_t read_register(uint32_t index)
{
	return (uint64_t)__builtin_ia32_rdpmc((int)index);
}

static bool read_pages(const struct hyb_perf_plan *plan, struct hyb_perf *perf)
{
	for (uint32_t i = 0; i < plan->count; i++) {
		struct event *event = &perf->events[i];

		if (!hyb_page_read(event->page, read_register, &event->value))
			return false;
	}
	return true;
}

/* Only where it is all that is needed: the kernel's own events are in no register. */
static bool wants_pages(const struct hyb_perf_plan *plan)
{
	for (uint32_t i = 0; i < plan->count; i++) {
		if (plan->terms[i].attr.type == PERF_TYPE_SOFTWARE || plan->multiplex)
			return false;
	}
	return plan->count > 0;
}
#else
static bool read_pages(const struct hyb_perf_plan *plan, struct hyb_perf *perf)
{
	(void)plan;
	(void)perf;
	return false;
}

static bool wants_pages(const struct hyb_perf_plan *plan)
{
	(void)plan;
	return false;
}
#endif

#define PAGE 4096u	/* of x86 */

static void unmap_pages(const struct hyb_perf_plan *plan, struct hyb_perf *perf)
{
	for (uint32_t i = 0; i < plan->count; i++) {
		if (perf->events[i].page)
			hyb_sys_unmap(perf->events[i].page, PAGE);
		perf->events[i].page = NULL;
	}
}

static bool map_pages(const struct hyb_perf_plan *plan, struct hyb_perf *perf)
{
	for (uint32_t i = 0; i < plan->count; i++) {
		perf->events[i].page = hyb_sys_map(perf->events[i].fd, 0, PAGE);
		if (!perf->events[i].page || !hyb_page_allows(perf->events[i].page)) {
			unmap_pages(plan, perf);
			return false;
		}
	}
	return true;
}

static void close_event(struct event *event)
{
	if (is_ours(event))
		hyb_sys_close(event->fd);
	event->fd = NO_FD;
}

/* The events of one group, the first of which is number `first`. */
static int open_group(const struct hyb_perf_plan *plan, struct hyb_perf *perf, uint32_t first, uint32_t end)
{
	int leader = NO_FD;

	for (uint32_t i = first; i < end; i++) {
		struct event *event = &perf->events[i];

		event->fd = open_event(plan, &plan->terms[i].attr, leader);
		if (event->fd < 0)
			return event->fd;
		event->id = 0;
		HYB_SYS(ioctl, event->fd, PERF_EVENT_IOC_ID, &event->id, 0, 0, 0);
		if (leader == NO_FD)
			leader = event->fd;
	}
	return (int)HYB_SYS(ioctl, leader, PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP, 0, 0, 0);
}

static uint32_t group_end(const struct hyb_perf_plan *plan, uint32_t first)
{
	uint32_t end = first + 1;

	while (end < plan->count && plan->terms[end].group == plan->terms[first].group)
		end++;
	return end;
}

static int open_all(const struct hyb_perf_plan *plan, struct hyb_perf *perf)
{
	int err = 0;

	for (uint32_t i = 0; i < plan->count; i++)
		perf->events[i].fd = NO_FD;
	for (uint32_t first = 0; first < plan->count && !err; first = group_end(plan, first))
		err = open_group(plan, perf, first, group_end(plan, first));
	if (err) {
		hyb_perf_close(plan, perf);
		return err;
	}
	perf->direct = wants_pages(plan) && map_pages(plan, perf);
	return 0;
}

int hyb_perf_open(const struct hyb_perf_plan *plan, struct hyb_perf *perf)
{
	memset(perf, 0, hyb_perf_size(plan));
	perf->words = (uint64_t *)&perf->events[plan->count];
	return open_all(plan, perf);
}

void hyb_perf_close(const struct hyb_perf_plan *plan, struct hyb_perf *perf)
{
	unmap_pages(plan, perf);
	for (uint32_t i = 0; i < plan->count; i++)
		close_event(&perf->events[i]);
}

/* What it would have been had it been counted all the time. */
static uint64_t scaled(uint64_t value, uint64_t enabled, uint64_t running, uint64_t last)
{
	if (running >= enabled)
		return value;
	return running ? (uint64_t)((unsigned __int128)value * enabled / running) : last;
}

static int read_group(struct hyb_perf *perf, uint32_t first, uint32_t end)
{
	const uint64_t *words = perf->words;
	uint64_t n = end - first;
	size_t size = (READ_HEAD + READ_EACH * n) * sizeof(*words);
	long got = hyb_sys_read(perf->events[first].fd, perf->words, size);

	if (!got)
		return -EBUSY;
	if (got != (long)size || words[0] != n || words[READ_HEAD + 1] != perf->events[first].id)
		return -EBADF;
	for (uint32_t i = first; i < end; i++, words += READ_EACH)
		perf->events[i].value = scaled(words[READ_HEAD], perf->words[1], perf->words[2], perf->events[i].value);
	return 0;
}

static int read_groups(const struct hyb_perf_plan *plan, struct hyb_perf *perf)
{
	int err = 0;

	for (uint32_t first = 0; first < plan->count && !err; first = group_end(plan, first))
		err = read_group(perf, first, group_end(plan, first));
	return err;
}

static int reopen(const struct hyb_perf_plan *plan, struct hyb_perf *perf)
{
	hyb_perf_close(plan, perf);
	for (uint32_t i = 0; i < plan->count; i++) {
		perf->events[i].before += perf->events[i].value;
		perf->events[i].value = 0;
	}
	return open_all(plan, perf);
}

int hyb_perf_read(const struct hyb_perf_plan *plan, struct hyb_perf *perf, uint64_t *values, bool *reopened)
{
	int err = 0;

	*reopened = false;
	if (!perf->direct || !read_pages(plan, perf))
		err = read_groups(plan, perf);
	if (err == -EBADF) {
		*reopened = true;
		err = reopen(plan, perf);
	}
	if (err)
		return err;
	for (uint32_t i = 0; i < plan->count; i++)
		values[i] = perf->events[i].before + perf->events[i].value;
	return 0;
}

bool hyb_perf_is_direct(const struct hyb_perf *perf)
{
	return perf->direct;
}
