/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What `hybmon check` found, as one document: who there is, what was found, where each thread stands. For programs what
 * src/analysis/check/print.c is for people, and nothing is left out for want of space.
 */
#include "export/documents/check.h"

#include <string.h>

#include "analysis/check/check.h"
#include "export/documents/document.h"
#include "export/json/value.h"

#define VERSION 1 /* of the schema: changes when what was there means something else */

static json_t *list_jobs(const struct hyb_check *c)
{
	json_t *jobs = json_array();
	uint32_t i;

	for (i = 0; i < c->model.family.count; i++)
		append(&jobs, json_pack("{so,so}", "name", text(hyb_model_job_name(&c->model, i)), "first_rank",
					number(c->model.jobs[i].base)));
	return jobs;
}

static json_t *pack_process(const struct hyb_check *c, const struct hyb_model_process *p)
{
	static const char *const ends[] = { [HYB_END_NORMAL] = "normal",
					    [HYB_END_FAILED] = "failed",
					    [HYB_END_LOST] = "lost",
					    [HYB_END_RUNNING] = "running" };
	const struct hyb_names *hosts = &c->model.hosts, *names = &c->model.names;
	int64_t pid = p->source->manifest.pid;

	return json_pack("{so*,so,so,so*,ss,so*,so*,sb}", "rank", number_if(p->ranked, p->group), "host",
			 text(hyb_names_text(hosts, p->host)), "program", text(hyb_names_text(names, p->program)),
			 "pid", number_if(pid >= 0, (uint64_t)pid), "end", ends[p->end], "ended",
			 text_if(*p->ended, p->ended), "status", number_if(p->has_status, (uint64_t)p->status),
			 "finalized", c->processes[p - c->model.processes].finalized);
}

static json_t *list_processes(const struct hyb_check *c)
{
	json_t *processes = json_array();
	size_t i;

	for (i = 0; i < c->model.process_count; i++)
		append(&processes, pack_process(c, &c->model.processes[i]));
	return processes;
}

/* The first line of a finding, and those that belong to it. */
static json_t *pack_finding(const struct hyb_finding *f)
{
	static const char *const abouts[] = { [HYB_FINDING_PROBLEM] = "program",
					      [HYB_FINDING_RECORDING] = "recording",
					      [HYB_FINDING_UNJUDGED] = "not_judged" };
	static const char *const words[HYB_FOUNDS] = {
		[HYB_FOUND_DEADLOCK] = "deadlock",
		[HYB_FOUND_DEADLOCKS] = "more_deadlocks",
		[HYB_FOUND_OVER] = "waits_for_ended",
		[HYB_FOUND_DIED] = "died",
		[HYB_FOUND_MISMATCH] = "wrong_message",
		[HYB_FOUND_UNRECEIVED] = "not_received",
		[HYB_FOUND_OPERATIONS] = "operations_differ",
		[HYB_FOUND_SIZES] = "sizes_differ",
		[HYB_FOUND_COUNTS] = "counts_differ",
		[HYB_FOUND_UNSENT] = "not_sent",
		[HYB_FOUND_LOSS] = "not_whole",
		[HYB_FOUND_UNJUDGED] = "not_judged",
	};
	json_t *details = json_array();
	char *copy = strdup(f->text), *rest = copy, *line, *first = strsep(&rest, "\n");
	json_t *finding;

	while (copy && (line = strsep(&rest, "\n")))
		if (*line)
			append(&details, text(line + strspn(line, " ")));
	finding = json_pack("{ss,ss,so,so,so,so}", "about", abouts[hyb_finding_kind(f)], "what", words[f->what], "text",
			    copy ? text(first) : NULL, "details", details, "ranks", list(f->ranks, f->rank_count),
			    "threads", list(f->threads, f->thread_count));
	free(copy);
	return finding;
}

static json_t *list_findings(const struct hyb_check *c)
{
	json_t *findings = json_array();
	size_t i;

	for (i = 0; i < c->finding_count; i++)
		append(&findings, pack_finding(&c->findings[i]));
	return findings;
}

static json_t *pack_comm(const struct hyb_check *c, uint32_t comm)
{
	char name[128];

	return comm == HYB_COMM_NONE ? NULL : text(hyb_say_comm(c, comm, name, sizeof(name)));
}

/* A thing that a thread waits for, and the ranks that lack for it. */
static json_t *pack_need(const struct hyb_check *c, const struct hyb_need *n)
{
	static const char *const words[] = {
		[HYB_NEED_UNKNOWN] = "not_known", [HYB_NEED_SEND] = "receiver",	   [HYB_NEED_RECV] = "message",
		[HYB_NEED_COLL] = "operation",	  [HYB_NEED_CREATE] = "operation", [HYB_NEED_FINALIZE] = "finalize",
		[HYB_NEED_FENCE] = "fence",	  [HYB_NEED_LOCK] = "unlock",	   [HYB_NEED_POST] = "post",
		[HYB_NEED_COMPLETE] = "complete",
	};
	const bool message = n->kind == HYB_NEED_SEND || n->kind == HYB_NEED_RECV;
	const bool coll = n->kind == HYB_NEED_COLL;
	const struct hyb_graph_set *set = n->set == HYB_GRAPH_NONE ? NULL : &c->graph.sets[n->set];

	return json_pack("{ss,so*,so*,so*,so*,so*,so*,so*,so*}", "what", words[n->kind], "communicator",
			 message || coll || n->kind == HYB_NEED_CREATE ? pack_comm(c, n->comm) : NULL, "rank",
			 number_if(message && n->peer != HYB_CHECK_ANY, n->peer), "tag",
			 number_if(message && n->tag != HYB_ANY, (uint64_t)n->tag), "bytes",
			 number_if(n->kind == HYB_NEED_SEND && n->bytes != HYB_BYTES_UNKNOWN, n->bytes), "operation",
			 text_if(coll, coll ? hyb_say_operation(n->op) : ""), "number",
			 number_if(coll && n->nth, n->nth), "lacking",
			 set ? list(c->graph.members + set->first, set->count) : NULL, "one_is_enough",
			 set && set->count > 1 && n->one ? json_true() : NULL);
}

static json_t *list_needs(const struct hyb_check *c, const struct hyb_check_thread *t)
{
	json_t *needs = json_array();
	size_t i;

	for (i = 0; i < t->need_count; i++)
		append(&needs, pack_need(c, &t->needs[i]));
	return needs;
}

static json_t *pack_thread(const struct hyb_check *c, const struct hyb_check_thread *t)
{
	const struct hyb_model_process *p = &c->model.processes[t->process];
	bool stuck = t->node != HYB_GRAPH_NONE && hyb_graph_is_stuck(&c->graph, t->node);

	return json_pack("{so,so,so*,so,so*,sb,so*,so*,so*,so,so,so*,sb,so*}", "id", number((uint64_t)(t - c->threads)),
			 "process", number(t->process), "rank", number_if(p->ranked, p->group), "thread",
			 number(t->number), "in", t->in ? text(t->in->name) : NULL, "in_mpi", t->mpi, "after",
			 !t->mpi && t->left ? text(t->left->name) : NULL, "at", t->where ? text(t->where) : NULL,
			 "call_path", t->path ? text(t->path) : NULL,
			 "since", number((uint64_t)hyb_ns_sub(t->since, c->first)), "waits_for", list_needs(c, t),
			 "one_is_enough", t->any ? json_true() : NULL, "stuck", stuck, "polls",
			 t->polls ? json_true() : NULL);
}

static json_t *list_threads(const struct hyb_check *c)
{
	json_t *threads = json_array();
	size_t i;

	for (i = 0; i < c->thread_count; i++)
		if (c->threads[i].read)
			append(&threads, pack_thread(c, &c->threads[i]));
	return threads;
}

int hyb_json_check(const struct hyb_check *c, FILE *to)
{
	json_t *document = json_pack(
		"{si,ss,sb,so,so,so,so,so,so}", "version", VERSION, "creator", "hybmon " PACKAGE_VERSION, "sound",
		!hyb_check_found(c), "start", number((uint64_t)c->first), "records", number(c->sums.records), "jobs",
		list_jobs(c), "processes", list_processes(c), "findings", list_findings(c), "threads", list_threads(c));

	return hyb_json_document(document, to);
}
