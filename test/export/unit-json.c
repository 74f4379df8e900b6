/* SPDX-License-Identifier: BSD-3-Clause */
/* The JSON sink, fed by hand: one event of each kind, and names that have to be escaped. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "export/json/sink.h"
#include "merge/merge.h"
#include "../lib/tap.h"

#define START 1000

static struct hyb_merge merge;
static volatile sig_atomic_t stop;
static struct hyb_gregion region = { .name = (char *)"MPI_Send", .id = 3 };
static const uint64_t counts[HYB_KCOUNTS] = { 1, 2, 3, 4, 5, UINT64_MAX };
static struct hyb_gmetric whole, signed_whole = { .def.type = HYB_METRIC_INT64 }, real = { .def.type = HYB_METRIC_DOUBLE };
static struct hyb_gmetric *of_kernel[HYB_KCOUNTS] = { &whole, &whole, &whole, &whole, &whole, &whole };
static struct hyb_gmetric *of_all_types[] = { &whole, &signed_whole, &real, &real, &real, &real };
static const struct hyb_gmetric_class kernel = { .kernel = true, .count = HYB_KCOUNTS, .members = of_kernel, .id = 1 };
static const struct hyb_gmetric_class all_types = { .count = 6, .members = of_all_types };
/* The last four: -2.5, 0.1, infinity, no number. */
static const uint64_t values[] = { UINT64_MAX, UINT64_MAX, UINT64_C(0xc004000000000000), UINT64_C(0x3fb999999999999a),
				   UINT64_C(0x7ff0000000000000), UINT64_C(0x7ff8000000000000) };
static const struct hyb_kernel_node node = { .first_chain = 100, .first_metric = 5 };
static const uint32_t args[] = { 7, 8 };
static const struct hyb_attribute attributes[] = {
	{ HYB_ATTRIBUTE_ERROR, (uint64_t)-5 },
	{ HYB_ATTRIBUTE_ABANDONED, 0x101 },
	{ HYB_ATTRIBUTE_POLLED_UNTIL, START + 50 },
	{ HYB_ATTRIBUTE_KERNEL_NEXT, 9 },
	{ HYB_ATTRIBUTE_KERNEL_DEVICE, 2 },
};

/* Events and what becomes of them, without track and time. */
static const struct {
	struct hyb_merge_event event;
	const char *line;
} cases[] = {
	{ { .kind = HYB_KIND_ENTER, .region = &region }, "\"enter\",\"region\":3" },
	{ { .kind = HYB_KIND_LEAVE, .region = &region, .attributes = attributes, .attribute_count = 5 },
	  "\"leave\",\"region\":3,\"attributes\":{\"MPI error\":-5,\"abandoned\":1,\"polled until\":50,\"next task\":9,"
	  "\"block device\":2}" },
	{ { .kind = HYB_KIND_OFF }, "\"off\"" },
	{ { .kind = HYB_KIND_ON }, "\"on\"" },
	{ { .kind = HYB_KIND_PROGRAM_BEGIN, .program = { 6, 2, args } },
	  "\"program_begin\",\"program\":6,\"arguments\":[7,8]" },
	{ { .kind = HYB_KIND_PROGRAM_BEGIN, .program = { 6, 0, NULL } }, "\"program_begin\",\"program\":6,\"arguments\":[]" },
	{ { .kind = HYB_KIND_PROGRAM_END, .status = { true, -1 } }, "\"program_end\",\"status\":-1" },
	{ { .kind = HYB_KIND_PROGRAM_END, .status = { false, 1 } }, "\"program_end\"" },
	{ { .kind = HYB_KIND_METRIC, .metric = { &all_types, values, 0 } },
	  "\"metric\",\"class\":0,\"values\":[18446744073709551615,-1,-2.5,0.10000000000000001,null,null]" },
	{ { .kind = HYB_KIND_METRIC, .metric = { &kernel, counts, 0 } },
	  "\"metric\",\"class\":1,\"voluntary_switches\":1,\"involuntary_switches\":2,\"minor_faults\":3,\"major_faults\":4,"
	  "\"ran_ns\":5,\"waited_ns\":18446744073709551615,\"values\":[1,2,3,4,5,18446744073709551615]" },
	{ { .kind = HYB_KIND_SAMPLE, .sample = { &node, 7, 1, UINT64_MAX } },
	  "\"sample\",\"chain\":107,\"of\":6,\"weight\":18446744073709551615" },
	{ { .kind = HYB_KIND_SAMPLE, .sample = { &node, UINT32_MAX, 0, 1 } }, "\"sample\",\"of\":5,\"weight\":1" },
	{ { .kind = HYB_KIND_SEND, .message = { .comm = 1, .peer = 2, .tag = 3, .bytes = 4 } },
	  "\"send\",\"communicator\":1,\"peer\":2,\"tag\":3,\"bytes\":4" },
	{ { .kind = HYB_KIND_ISEND,
	    .message = { .comm = 1, .peer = 2, .tag = 3, .bytes = 4, .partitioned = true, .request = 5, .number = 6,
			 .other_begin = START - 7, .other_end = START + 8 } },
	  "\"isend\",\"communicator\":1,\"peer\":2,\"tag\":3,\"bytes\":4,\"partitioned\":true,\"request\":5,\"number\":6,"
	  "\"other_begin\":-7,\"other_end\":8" },
	{ { .kind = HYB_KIND_RECV }, "\"recv\",\"communicator\":0,\"peer\":0,\"tag\":0,\"bytes\":0" },
	{ { .kind = HYB_KIND_IRECV, .message = { .request = 5 } },
	  "\"irecv\",\"communicator\":0,\"peer\":0,\"tag\":0,\"bytes\":0,\"request\":5" },
	{ { .kind = HYB_KIND_IRECV_REQUEST, .request = 5 }, "\"irecv_request\",\"request\":5" },
	{ { .kind = HYB_KIND_ISEND_COMPLETE, .request = 5 }, "\"isend_complete\",\"request\":5" },
	{ { .kind = HYB_KIND_REQUEST_TEST, .request = 5 }, "\"request_test\",\"request\":5" },
	{ { .kind = HYB_KIND_REQUEST_CANCELLED, .request = 5 }, "\"request_cancelled\",\"request\":5" },
	{ { .kind = HYB_KIND_COLLECTIVE_BEGIN }, "\"collective_begin\"" },
	{ { .kind = HYB_KIND_COLLECTIVE_END,
	    .collective = { .op = HYB_COLL_BCAST, .comm = 1, .root = 2, .sent = 3, .received = 4, .number = 5,
			    .first_begin = START, .last_begin = START + 9, .last_end = START + 12 } },
	  "\"collective_end\",\"operation\":\"bcast\",\"communicator\":1,\"root\":2,\"sent\":3,\"received\":4,\"number\":5,"
	  "\"first_begin\":0,\"last_begin\":9,\"last_end\":12" },
	{ { .kind = HYB_KIND_COLLECTIVE_END, .collective = { .op = HYB_COLL_NEIGHBOR_ALLTOALLW, .root = HYB_ROOT_NONE } },
	  "\"collective_end\",\"operation\":\"neighbor_alltoallw\",\"communicator\":0,\"sent\":0,\"received\":0" },
	{ { .kind = HYB_KIND_COLLECTIVE_REQUEST, .request = 5 }, "\"collective_request\",\"request\":5" },
	{ { .kind = HYB_KIND_COLLECTIVE_COMPLETE,
	    .collective = { .op = HYB_COLL_REDUCE, .root = HYB_ROOT_THIS_GROUP, .request = 5 } },
	  "\"collective_complete\",\"operation\":\"reduce\",\"communicator\":0,\"root_is\":\"this group\",\"sent\":0,"
	  "\"received\":0,\"request\":5" },
	{ { .kind = HYB_KIND_RMA_OP,
	    .rma = { .what = HYB_RMA_FETCH_AND_OP, .flags = HYB_RMA_SUM | HYB_RMA_REQUEST, .win = 1, .target = 2, .sent = 3,
		     .received = 4, .id = 5 } },
	  "\"rma_op\",\"operation\":\"fetch and op\",\"window\":1,\"target\":2,\"sent\":3,\"received\":4,\"id\":5,"
	  "\"with_request\":true,\"sum\":true" },
	{ { .kind = HYB_KIND_RMA_DONE_BLOCKING, .rma = { .win = 1, .id = 5 } }, "\"rma_done\",\"window\":1,\"id\":5" },
	{ { .kind = HYB_KIND_RMA_DONE_REQUEST, .rma = { .win = 1, .id = 5 } }, "\"rma_done_request\",\"window\":1,\"id\":5" },
	{ { .kind = HYB_KIND_RMA_DONE_REMOTE, .rma = { .win = 1, .id = 5 } }, "\"rma_done_remote\",\"window\":1,\"id\":5" },
	{ { .kind = HYB_KIND_RMA_COLLECTIVE_BEGIN }, "\"rma_collective_begin\"" },
	{ { .kind = HYB_KIND_RMA_COLLECTIVE_END, .rma = { .what = HYB_RMA_CREATE, .flags = HYB_RMA_ALLOCATED, .win = 1 } },
	  "\"rma_collective_end\",\"window\":1,\"operation\":\"create\",\"allocated\":true" },
	{ { .kind = HYB_KIND_RMA_COLLECTIVE_END, .rma = { .what = HYB_RMA_FENCE, .flags = HYB_RMA_FIRST, .win = 1 } },
	  "\"rma_collective_end\",\"window\":1,\"operation\":\"fence\",\"first\":true" },
	{ { .kind = HYB_KIND_WIN_CREATE, .rma = { .win = 1 } }, "\"window_create\",\"window\":1" },
	{ { .kind = HYB_KIND_WIN_DESTROY, .rma = { .win = 1 } }, "\"window_destroy\",\"window\":1" },
	{ { .kind = HYB_KIND_RMA_GROUP_SYNC, .rma = { .what = HYB_RMA_POST, .win = 1, .group = 2 } },
	  "\"rma_group_sync\",\"window\":1,\"operation\":\"post\",\"group\":2" },
	{ { .kind = HYB_KIND_RMA_LOCK_REQUEST, .rma = { .win = 1, .target = UINT32_MAX, .flags = HYB_RMA_SHARED } },
	  "\"rma_lock_request\",\"window\":1,\"all\":true,\"shared\":true" },
	{ { .kind = HYB_KIND_RMA_LOCK_ACQUIRED, .rma = { .win = 1, .target = 2 } },
	  "\"rma_lock_acquired\",\"window\":1,\"target\":2" },
	{ { .kind = HYB_KIND_RMA_LOCK_RELEASED, .rma = { .win = 1, .target = 2 } },
	  "\"rma_lock_released\",\"window\":1,\"target\":2" },
	{ { .kind = HYB_KIND_RMA_SYNC, .rma = { .win = 1, .target = 2 } }, "\"rma_sync\",\"window\":1,\"target\":2" },
	{ { .kind = HYB_KIND_IO_CREATE, .io = { .handle = 1, .flags = HYB_IO_RDWR | HYB_IO_CREATE | HYB_IO_APPEND } },
	  "\"io_create\",\"handle\":1,\"access\":\"read and write\",\"create\":true,\"append\":true" },
	{ { .kind = HYB_KIND_IO_DESTROY, .io = { .handle = 1 } }, "\"io_destroy\",\"handle\":1" },
	{ { .kind = HYB_KIND_IO_DELETE, .io = { .file = 2 } }, "\"io_delete\",\"file\":2" },
	{ { .kind = HYB_KIND_IO_SEEK, .io = { .handle = 1, .offset = (uint64_t)-8, .reached = 9, .flags = HYB_IO_FROM_END } },
	  "\"io_seek\",\"handle\":1,\"offset\":-8,\"from\":\"end\",\"reached\":9" },
	{ { .kind = HYB_KIND_IO_BEGIN,
	    .io = { .handle = 1, .what = HYB_IO_WRITE, .bytes = 2, .id = 3, .flags = HYB_IO_COLLECTIVE, .begun = true } },
	  "\"io_begin\",\"handle\":1,\"operation\":\"write\",\"bytes\":2,\"id\":3,\"collective\":true,\"begun\":true" },
	{ { .kind = HYB_KIND_IO_ISSUED, .io = { .handle = 1, .id = 3 } }, "\"io_issued\",\"handle\":1,\"id\":3" },
	{ { .kind = HYB_KIND_IO_COMPLETE, .io = { .handle = 1, .id = 3, .bytes = 2 } },
	  "\"io_complete\",\"handle\":1,\"bytes\":2,\"id\":3" },
	{ { .kind = HYB_KIND_IO_CANCELLED, .io = { .handle = 1, .id = 3 } }, "\"io_cancelled\",\"handle\":1,\"id\":3" },
	{ { .kind = HYB_KIND_IO_MEETING, .io = { .handle = 1, .what = HYB_IO_VIEW } }, "\"io_meeting\",\"handle\":1" },
	{ { .kind = HYB_KIND_FORK, .threads = 4 }, "\"fork\",\"threads\":4" },
	{ { .kind = HYB_KIND_JOIN }, "\"join\"" },
	{ { .kind = HYB_KIND_TEAM_BEGIN, .team = 1 }, "\"team_begin\",\"team\":1" },
	{ { .kind = HYB_KIND_TEAM_END, .team = HYB_COMM_NONE }, "\"team_end\"" },
	{ { .kind = HYB_KIND_TASK_CREATE, .task = { 1, 2, 3 } }, "\"task_create\",\"team\":1,\"creator\":2,\"task\":3" },
	{ { .kind = HYB_KIND_TASK_SWITCH, .task = { HYB_COMM_NONE, 0, 0 } }, "\"task_switch\",\"creator\":0,\"task\":0" },
	{ { .kind = HYB_KIND_TASK_COMPLETE, .task = { 1, 2, 3 } }, "\"task_complete\",\"team\":1,\"creator\":2,\"task\":3" },
	{ { .kind = HYB_KIND_LOCK_ACQUIRED, .lock = { 1, 2 } }, "\"lock_acquired\",\"lock\":1,\"order\":2" },
	{ { .kind = HYB_KIND_LOCK_RELEASED, .lock = { 1, 2 } }, "\"lock_released\",\"lock\":1,\"order\":2" },
};

#define CASES (sizeof(cases) / sizeof(cases[0]))

/* The first event is from before the first process. */
static bool feed(const struct hyb_sink_ops *ops, struct hyb_sink *sink)
{
	const struct hyb_track track = { .kind = HYB_TRACK_THREAD, .location = 0 };
	struct hyb_merge_event event;
	uint64_t events = 0;
	void *state;
	size_t i;
	bool ok = !ops->open(sink, &track, &state);

	for (i = 0; ok && i < CASES; i++) {
		event = cases[i].event;
		event.time = START - 1 + (int64_t)i;
		ok = !ops->event(state, &event);
	}
	return ok && !ops->close(state, &events) && events == CASES;
}

static char *find_events(char *text)
{
	char *found = strstr(text, "{\"track\":0,\"time\":");

	return found ? found : text + strlen(text);
}

static void compare(char *text)
{
	bool seen[HYB_KINDS] = { false };
	char expected[512], *line = strtok(find_events(text), "\n");
	size_t i;

	for (i = 0; i < CASES; i++) {
		snprintf(expected, sizeof(expected), "{\"track\":0,\"time\":%lld,\"event\":%s}", (long long)i - 1, cases[i].line);
		if (!tap(line && !strcmp(line, expected), "%.*s", (int)strcspn(cases[i].line, ","), cases[i].line))
			printf("# %s\n# %s\n", expected, line ? line : "-");
		line = strtok(NULL, "\n");
		seen[cases[i].event.kind] = true;
	}
	tap(!line, "and no more");
	for (i = 0; i < HYB_KINDS && seen[i];)
		i++;
	tap_equal((long long)i, HYB_KINDS, "each kind of event is there");
}

/* What programs name things, and how that is in JSON. */
static void add_names(struct hyb_model *m)
{
	struct hyb_gregion *r;

	hyb_names_add(&m->hosts, "a \"quoted\" host\\");
	hyb_names_add(&m->names, "tab\tline\nbell\a, \303\244 and \344");
	r = hyb_regions_get(&m->regions, "\360\237\220\235</script>\177\342\200\250\r", HYB_ROLE_P2P, HYB_PARADIGM_MPI, 0);
	r->used = true;
	hyb_regions_number(&m->regions);
}

static void find_names(const char *text)
{
	tap(strstr(text, "{\"define\":\"host\",\"id\":0,\"name\":\"a \\\"quoted\\\" host\\\\\"}\n") != NULL, "quotes");
	tap(strstr(text, "{\"define\":\"text\",\"id\":0,\"text\":\"tab\\tline\\nbell\\u0007, \303\244 and ?\"}\n") != NULL,
	    "controls, and what is no UTF-8");
	tap(strstr(text, "\"name\":\"\360\237\220\235</script>\177\342\200\250\\r\",\"paradigm\":\"mpi\"") != NULL,
	    "everything else as it is");
}

static char *read_all(const char *path)
{
	FILE *file = fopen(path, "r");
	char *text = calloc(1, 1 << 20);
	size_t n = file ? fread(text, 1, (1 << 20) - 1, file) : 0;

	if (file)
		fclose(file);
	text[n] = '\0';
	return text;
}

int main(void)
{
	const struct hyb_model_options options = { .dirs = NULL };
	const struct hyb_sink_ops *ops = &hyb_json_sink;
	struct hyb_model_thread thread = { .number = 0 };
	struct hyb_process source = { .manifest.pid = 42 };
	struct hyb_model_process process = { .source = &source, .threads = &thread, .thread_count = 1, .args = NULL };
	char dir[] = "/tmp/hybmon-unit-XXXXXX", *path, *text;
	struct hyb_sink *sink;

	if (!ops->free) {
		puts("1..0 # SKIP this build lacks jansson");
		return 0;
	}
	if (!mkdtemp(dir) || asprintf(&path, "%s/%s", dir, hyb_sink_main_part(ops)) < 0)
		return 1;
	tap(!hyb_model_init(&merge.model, &options), "an empty model");
	merge.output.tmp = dir;
	merge.options.stop = &stop;
	merge.model.first = merge.start = START;
	merge.model.processes = &process;
	merge.model.process_count = 1;
	add_names(&merge.model);
	tap(!ops->begin(ops, &merge, &sink) && feed(ops, sink) && !ops->end(sink), "events of all kinds");
	ops->free(sink);
	text = read_all(path);
	find_names(text);
	compare(text);
	free(text);
	merge.model.process_count = 0;
	merge.model.processes = NULL;
	hyb_model_free(&merge.model);
	unlink(path);
	rmdir(dir);
	free(path);
	return tap_done();
}
