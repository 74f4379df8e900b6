/* SPDX-License-Identifier: BSD-3-Clause */
/* A report as one document: times of each thread, who waited where, and what each wait goes back to. */
#include "export/documents/report.h"

#include "analysis/report/machine.h"
#include "analysis/report/report.h"
#include "export/documents/document.h"
#include "export/documents/report-causes.h"
#include "export/documents/report-flat.h"
#include "export/documents/report-traffic.h"
#include "export/json/value.h"

#define VERSION 1 /* of the schema: changes when what was there means something else */

static const char *const times[HYB_TIMES] = {
	[HYB_TIME_COMPUTE] = "computation", [HYB_TIME_MPI] = "mpi", [HYB_TIME_OMP_WAIT] = "openmp_wait",
	[HYB_TIME_OMP_IDLE] = "openmp_idle",
	[HYB_TIME_KERNEL] = "kernel", [HYB_TIME_VOLUNTARY] = "voluntary", [HYB_TIME_INVOLUNTARY] = "involuntary",
	[HYB_TIME_PAUSED] = "not_recorded",
};
static const char *const waits[HYB_WAITS] = {
	[HYB_WAIT_LATE_SENDER] = "late_sender", [HYB_WAIT_LATE_RECEIVER] = "late_receiver",
	[HYB_WAIT_BARRIER] = "barrier", [HYB_WAIT_ALL] = "all", [HYB_WAIT_LATE_ROOT] = "late_root",
	[HYB_WAIT_EARLY_ROOT] = "early_root", [HYB_WAIT_FENCE] = "fence",
	[HYB_WAIT_LATE_POST] = "late_post", [HYB_WAIT_LATE_COMPLETE] = "late_complete",
	[HYB_WAIT_WINDOW_LOCK] = "window_lock", [HYB_WAIT_FILE] = "file_operation",
	[HYB_WAIT_HANDLE] = "create_free_end",
	[HYB_WAIT_OMP_BARRIER] = "omp_barrier", [HYB_WAIT_OMP_LOCK] = "omp_lock",
	[HYB_WAIT_OMP_TASK] = "omp_task", [HYB_WAIT_OMP_IDLE] = "omp_idle",
};

const char *hyb_json_wait_name(enum hyb_wait_kind wait)
{
	return waits[wait];
}

/* An object of times, by name. */
static json_t *sums(const char *const *names, const int64_t *ns, int count)
{
	json_t *all = json_object();

	for (int i = 0; all && i < count; i++) {
		if (json_object_set_new(all, names[i], number((uint64_t)ns[i]))) {
			json_decref(all);
			all = NULL;
		}
	}
	return all;
}

static json_t *pack_spot(const struct hyb_report *r, const struct hyb_spot *s)
{
	static const char *const kinds[] = {
		[HYB_SPOT_REGION] = "region", [HYB_SPOT_BEFORE] = "before", [HYB_SPOT_PAUSED] = "not_recorded",
		[HYB_SPOT_TOP] = "thread",
	};
	const char *detail = s->detail >= HYB_SPOT_STOPPED ? NULL : hyb_names_text(&r->merge.model.names, s->detail);
	const enum hyb_time_class class = hyb_spot_is_kernel(s) ? hyb_kernel_class(s->region) : HYB_TIME_COMPUTE;
	const bool off = class == HYB_TIME_INVOLUNTARY;
	json_t *what = class == HYB_TIME_KERNEL || class == HYB_TIME_COMPUTE ? NULL : json_string(off ? "involuntary" : "voluntary");

	return json_pack("{ss,so*,so*,so*,so*,so*,so*}", "kind", hyb_spot_is_kernel(s) ? "kernel" : kinds[s->kind], "name",
			 text_if(s->region, s->region ? s->region->name : ""), "at",
			 text_if(detail && !off, detail ? detail : ""), "by", text_if(detail && off, detail ? detail : ""),
			 "off", what, "holder", off ? hyb_json_holder(detail) : NULL, "stopped", s->detail == HYB_SPOT_STOPPED ? json_true() : NULL);
}

/* The outermost first, without the thread itself. */
static json_t *list_spots(const struct hyb_report *r, uint32_t spot)
{
	json_t *path = json_array();

	while (path && spot != HYB_SPOT_ROOT && spot != HYB_SPOT_NONE) {
		const struct hyb_spot *s = hyb_spots_at(&r->steps.spots, spot);

		if (json_array_insert_new(path, 0, pack_spot(r, s))) {
			json_decref(path);
			path = NULL;
		}
		spot = s->parent;
	}
	return path;
}

/* Adds to an object who the thread is. */
static json_t *of_thread(const struct hyb_report *r, uint32_t track, json_t *object)
{
	const struct hyb_model_process *p = &r->merge.model.processes[r->merge.model.process_of[track]];
	json_t *who = json_pack("{so,so,so*,so}", "track", number(track), "process", number(r->merge.model.process_of[track]), "rank",
				number_if(p->ranked, p->group), "thread",
				number(p->threads[track - p->first_track].number));

	if (!object || !who || json_object_update(object, who)) {
		json_decref(object);
		object = NULL;
	}
	json_decref(who);
	return object;
}

/* NULL: it is not known. */
static json_t *usage(const struct hyb_report *r, uint32_t track)
{
	struct hyb_report_usage u;

	if (!hyb_report_usage_of(r, track, &u))
		return NULL;
	return json_pack("{so,so,so*}", "length", number((uint64_t)u.time), "cpu", number((uint64_t)u.cpu), "delayed",
			 u.delayed >= 0 ? number((uint64_t)u.delayed) : NULL);
}

static json_t *list_threads(const struct hyb_report *r)
{
	json_t *threads = json_array();

	for (size_t i = 0; i < r->steps.track_count; i++) {
		const struct hyb_step_sums *s = &r->steps.tracks[i];

		if (s->told)
			append(&threads, of_thread(r, (uint32_t)i, json_pack("{so,so,so,so,so*}", "begin",
				number((uint64_t)hyb_ns_sub(s->first, r->first)), "end", number((uint64_t)hyb_ns_sub(s->last, r->first)),
				"times", sums(times, s->in, HYB_TIMES), "waited", sums(waits, s->waited, HYB_WAITS), "machine", usage(r, (uint32_t)i))));
	}
	return threads;
}

/* What is wrong with the machine. */
static json_t *list_faults(const struct hyb_report *r)
{
	struct hyb_machine_fault *faults;
	json_t *all = json_array();
	size_t count;
	const int err = hyb_machine_find(r, &faults, &count);

	for (size_t i = 0; !err && i < count; i++) {
		const struct hyb_machine_fault *f = &faults[i];
		const struct hyb_model_process *first = &r->merge.model.processes[f->processes[0]];
		json_t *processes = json_array();

		for (size_t k = 0; k < f->count; k++)
			append(&processes, number(f->processes[k]));
		append(&all, json_pack("{ss,so,so,so*,so*,so*,so*}", "kind", hyb_machine_word(f->kind), "host",
				       text(hyb_names_text(&r->merge.model.hosts, first->host)), "processes", processes, "cpus",
				       text_if(f->cpus, f->cpus ? f->cpus : ""), "of_others",
				       text_if(f->kind == HYB_MACHINE_ODD, f->others ? f->others : ""), "quota",
				       text_if(f->kind == HYB_MACHINE_QUOTA, f->others ? f->others : ""), "time",
				       f->kind == HYB_MACHINE_QUOTA ? number((uint64_t)f->ns) : NULL));
	}
	hyb_machine_free(faults, count);
	if (err) {
		json_decref(all);
		return NULL;
	}
	return all;
}

static json_t *list_hosts(const struct hyb_report *r)
{
	json_t *all = json_array();

	for (uint32_t i = 0; i < r->host_count; i++) {
		const struct hyb_report_host *h = &r->hosts[i];

		if (h->threads)
			append(&all, json_pack("{so,so,so,so,so,so}", "host", text(hyb_names_text(&r->merge.model.hosts, i)),
					       "processes", number(h->processes), "threads", number(h->threads), "time",
					       number((uint64_t)h->time), "times", sums(times, h->in, HYB_TIMES), "waited",
					       number((uint64_t)h->waited)));
	}
	return all;
}

static json_t *list_waits(const struct hyb_report *r)
{
	json_t *all = json_array();

	for (uint32_t i = 0; i < r->causes.waits.count; i++) {
		const struct hyb_waiting *w = r->waits[i];

		append(&all, json_pack("{ss,so,so,so,so}", "kind", waits[w->wait], "path", list_spots(r, w->spot), "time",
				       number((uint64_t)w->ns), "count", number(w->count), "longest",
				       number((uint64_t)w->longest)));
	}
	return all;
}

static json_t *list_effects(const struct hyb_report *r, uint32_t cause)
{
	json_t *all = json_array();

	for (uint32_t i = r->effect_first[cause]; i < r->effect_first[cause + 1]; i++) {
		const struct hyb_effect *e = r->effects[i];

		append(&all, json_pack("{ss,so,so,so}", "kind", waits[e->wait], "path", list_spots(r, e->spot), "time",
				       number((uint64_t)e->ns), "count", number(e->count)));
	}
	return all;
}

/* When it cost others most at once. */
static json_t *longest(const struct hyb_report *r, const struct hyb_cause *c)
{
	if (c->until <= c->since)
		return NULL;
	return of_thread(r, c->waiter, json_pack("{sI,sI}", "begin", (json_int_t)hyb_ns_sub(c->since, r->merge.start), "end",
						 (json_int_t)hyb_ns_sub(c->until, r->merge.start)));
}

json_t *hyb_json_causes(const struct hyb_report *r, uint32_t most)
{
	json_t *all = json_array();

	for (uint32_t i = 0; i < r->causes.causes.count && i < most; i++) {
		const struct hyb_cause *c = r->list[i].cause;
		const struct hyb_own *own = hyb_causes_own(&r->causes, c->track, c->spot);

		append(&all, of_thread(r, c->track, json_pack("{so,so,so,so*,so*,so*,so}", "path", list_spots(r, c->spot),
			"direct", number((uint64_t)c->direct), "indirect", number((uint64_t)c->indirect), "own_time",
			number_if(own, own ? (uint64_t)own->ns : 0), "own_count", number_if(own, own ? own->count : 0),
			"longest", longest(r, c), "effects", list_effects(r, r->list[i].number))));
	}
	return all;
}

static json_t *critical_path(const struct hyb_report *r)
{
	const struct hyb_critical *c = &r->critical;
	json_t *spots = json_array(), *threads = json_array();

	for (uint32_t i = 0; i < c->spots.count; i++) {
		const struct hyb_critical_spot *s = hyb_table_at(&c->spots, i);

		append(&spots, json_pack("{so,so,sI}", "path", list_spots(r, s->spot), "time", number((uint64_t)s->ns),
					 "imbalance", (json_int_t)s->imbalance));
	}
	for (uint32_t i = 0; i < c->threads.count; i++) {
		const struct hyb_critical_thread *t = hyb_table_at(&c->threads, i);

		append(&threads, of_thread(r, t->track, json_pack("{so}", "time", number((uint64_t)t->ns))));
	}
	return json_pack("{so,sI,so,so}", "time", number((uint64_t)c->ns), "imbalance", (json_int_t)c->imbalance, "places",
			 spots, "threads", threads);
}

static void join(json_t *all, json_t *part)
{
	json_object_update(all, part);
	json_decref(part);
}

/* POP's; NULL: there is nothing to share. */
static json_t *efficiency(const struct hyb_report *r)
{
	struct hyb_efficiency e = hyb_report_efficiency(r);
	json_t *all = e.known ? json_pack("{sf,sf,so,so}", "parallel", e.parallel, "recorded", hyb_report_recorded(r), "begin",
					  number((uint64_t)hyb_ns_sub(r->counted.from, r->first)), "end",
					  number((uint64_t)hyb_ns_sub(r->counted.until, r->first))) : NULL;

	if (all && e.mpi)
		join(all, json_pack("{sf,sf,sf}", "mpi", e.in_mpi, "load_balance", e.load_balance, "communication",
			e.communication));
	if (all && e.mpi && e.path)
		join(all, json_pack("{sf,sf}", "serialisation", e.serialisation, "transfer", e.transfer));
	if (all && e.openmp)
		join(all, json_pack("{sf,sf,sf,so}", "openmp", e.in_openmp, "openmp_load_balance",
			e.openmp_balance, "openmp_synchronisation", e.synchronisation, "openmp_threads",
			number(r->openmp.threads)));
	return all;
}

/* From some windows to others: their time, and how long they are. */
static json_t *pack_windows(const struct hyb_report *r, const struct hyb_window *w, uint32_t from, uint32_t to)
{
	int64_t begin = hyb_phases_begin(&r->steps.phases, from), end = hyb_phases_begin(&r->steps.phases, to);

	return json_pack("{so,so,so,so}", "begin", number((uint64_t)(begin - r->steps.phases.first)), "end",
			 number((uint64_t)(end - r->steps.phases.first)), "times", sums(times, w->in, HYB_TIMES), "waited",
			 number((uint64_t)w->waited));
}

static json_t *list_windows(const struct hyb_report *r)
{
	json_t *all = json_array();

	for (uint32_t i = 0; r->steps.phases.count && i < HYB_WINDOWS; i++)
		append(&all, pack_windows(r, &r->steps.phases.windows[i], i, i + 1));
	return all;
}

static json_t *list_phases(const struct hyb_report *r)
{
	json_t *all = json_array();

	for (uint32_t i = 0; i < r->steps.phases.count; i++) {
		const struct hyb_phase *p = &r->steps.phases.list[i];
		json_t *phase = pack_windows(r, &p->sums, p->from, p->to);

		if (phase && p->busiest != UINT32_MAX)
			json_object_set_new(phase, "useful", number((uint64_t)p->useful));
		if (phase && p->busiest != UINT32_MAX)
			json_object_set_new(phase, "most_useful", number((uint64_t)p->most_useful));
		if (phase && r->openmp.threads)
			json_object_set_new(phase, "openmp_useful", number((uint64_t)p->sums.useful));
		append(&all, phase);
	}
	return all;
}

int hyb_json_report(const struct hyb_report *r, FILE *to)
{
	json_t *document = json_pack("{si,ss,ss,so,so,so,sb,so,so*,so,so,so,so,so,so,so,so,so,so,so,so}", "version", VERSION, "creator",
				     "hybmon " PACKAGE_VERSION, "mode", r->profiles ? "profile" : "trace", "start", number((uint64_t)r->first), "length",
				     number((uint64_t)hyb_ns_sub(r->last, r->first)), "ranks", number(r->ranks), "kernel",
				     r->kernel, "waited", number((uint64_t)r->causes.waited),
				     "efficiency", efficiency(r), "windows", list_windows(r), "phases", list_phases(r),
				     "threads", list_threads(r), "nodes", list_hosts(r), "machine", list_faults(r), "profile", hyb_json_flat(r),
				     "lines", hyb_json_lines(r), "traffic", hyb_json_traffic(r), "waits", list_waits(r), "causes",
				     hyb_json_causes(r, UINT32_MAX), "critical_path", critical_path(r), "advice",
				     hyb_json_advice(r));

	return hyb_json_document(document, to);
}
