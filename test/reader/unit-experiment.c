/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Experiments and manifests: what belongs to one, in which order, and what is said of what does
 * not.
 */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../lib/synth.h"
#include "../lib/tap.h"
#include "reader/streams/experiment.h"

/* What the manifests made next say; "ranks: -": MPI told the process nothing. */
static const char *ranks = "ranks: 16";

static void process(const char *dir, const char *rank, int threads)
{
	char path[600], text[4096], line[65];
	size_t n = 0;
	const char *fixed[16] = { "hybmon process manifest 1",
				  "state: ended",
				  "ended: exit 3",
				  rank,
				  ranks,
				  "lost: 17",
				  "lost-why: -",
				  "threads: 2" };

	mkdir(dir, 0777);
	for (int i = 0; i < 16; i++) {
		snprintf(line, sizeof(line), "%-63s\n", fixed[i] ? fixed[i] : "");
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s", line);
	}
	snprintf(text + n, sizeof(text) - n,
		 "host: n1\npid: 55\nargs: ./app\nargs: a\\nb\\\\n \n"
		 "boot: b-1\nempty: \nno colon\ncut sho");
	snprintf(path, sizeof(path), "%s/manifest", dir);
	synth_text(path, text);
	snprintf(path, sizeof(path), "%s/defs.hyb", dir);
	synth_text(path, "");
	for (int i = 0; i < threads; i++) {
		snprintf(path, sizeof(path), "%s/thread-%d.hyb", dir, threads - 1 - i);
		synth_text(path, "");
	}
}

static void test_manifest(void)
{
	struct synth_said said;
	struct hyb_manifest m;

	synth_listen(&said);
	process(synth_path("p"), "rank: 2", 0);
	tap(!hyb_manifest_read(synth_path("p/manifest"), HYB_OWNER_ANY, &said.diag, &m) &&
		    m.state == HYB_RUN_ENDED && m.rank == 2 && m.ranks == 16 && m.lost == 17 &&
		    m.threads == 2 && m.pid == 55 && !strcmp(m.ended, "exit 3") &&
		    !strcmp(m.host, "n1") && !strcmp(m.boot, "b-1") && !*m.lost_why && !*m.mpi,
	    "what a manifest says");
	tap(!strcmp(hyb_manifest_get(&m, "args", 0), "./app") &&
		    !strcmp(hyb_manifest_get(&m, "args", 1), "a\nb\\n ") &&
		    !hyb_manifest_get(&m, "args", 2) &&
		    !strcmp(hyb_manifest_get(&m, "empty", 0), "") &&
		    !hyb_manifest_get(&m, "cut sho", 0),
	    "values with line ends, empty ones, lines cut short");
	hyb_manifest_free(&m);
	hyb_manifest_free(&m);
	tap(hyb_manifest_read(synth_path("none"), HYB_OWNER_ANY, &said.diag, &m) == -ENOENT &&
		    !said.count[HYB_SEV_ERROR],
	    "no manifest is no error");
	synth_text(synth_path("x"), "something else\n");
	tap(hyb_manifest_read(synth_path("x"), HYB_OWNER_ANY, &said.diag, &m) == -EINVAL &&
		    said.count[HYB_SEV_ERROR] == 1,
	    "another file is");
	tap(hyb_manifest_parse("x", "hybmon process manifest 2\n", 26, &said.diag, &m) == -EINVAL &&
		    strstr(said.last, "newer"),
	    "and a newer one");
	for (size_t n = 0; n < 30; n++) {
		if (!hyb_manifest_parse("x", "hybmon process manifest 1\nstate", n, NULL, &m))
			hyb_manifest_free(&m);
	}
}

static void test_experiment(void)
{
	struct hyb_experiment *x;
	struct synth_said said;
	struct hyb_process *p;

	synth_listen(&said);
	mkdir(synth_path("x1"), 0777);
	process(synth_path("x1/n1.3"), "rank: 10", 12);
	process(synth_path("x1/n1.1"), "rank: -", 1);
	process(synth_path("x1/n1.2"), "rank: 9", 1);
	mkdir(synth_path("x1/traces"), 0777);
	synth_text(synth_path("x1/manifest"), "hybmon experiment manifest 1\n");
	synth_text(synth_path("x1/traces.otf2"), "");
	synth_text(synth_path("x1/n1.3/thread-x.hyb"), "");
	synth_text(synth_path("x1/n1.3/thread-1.hyb.bak"), "");
	synth_text(synth_path("x1/n1.3/cpu-0.hyb"), "");
	mkdir(synth_path("x1/n1.4"), 0777);
	synth_text(synth_path("x1/n1.4/defs.hyb"), "");
	if (symlink("/nowhere/n7.9", synth_path("x1/n7.9")))
		tap(false, "symlink");
	tap(!hyb_experiment_open(synth_path("x1//"), &said.diag, &x) && x->count == 5 &&
		    !x->single && x->ranks == 16 && x->missing == 1,
	    "an experiment has its processes");
	p = x->processes;
	tap(!strcmp(p[0].name, "n1.2") && !strcmp(p[1].name, "n1.3") && p[4].manifest.rank == -1 &&
		    p[2].manifest.rank == -1,
	    "by rank, those without one last");
	tap(p[1].stream_count == 13 && p[1].streams[2].number == 2 &&
		    p[1].streams[11].number == 11 && p[1].streams[12].kind == HYB_STREAM_CPU &&
		    p[1].defs,
	    "streams by number, and nothing that is none");
	tap(said.count[HYB_SEV_WARNING] == 2 && !said.count[HYB_SEV_ERROR],
	    "a missing manifest and a link to another node are said");
	for (int i = 0; i < 5; i++) {
		if (p[i].missing)
			tap(!strcmp(p[i].missing, "/nowhere/n7.9"), "and where the link leads");
	}
	hyb_experiment_close(x);
	tap(!hyb_experiment_open(synth_path("x1/n1.3/"), NULL, &x) && x->single && x->count == 1 &&
		    x->processes->stream_count == 13,
	    "the directory of one process will do");
	hyb_experiment_close(x);
	process(synth_path("x1/n1.5"), "rank: 9", 1);
	synth_listen(&said);
	hyb_experiment_open(synth_path("x1"), &said.diag, &x);
	tap(said.count[HYB_SEV_WARNING] == 3 && x->count == 6, "two of the same rank are said");
	hyb_experiment_close(x);
	process(synth_path("x1"), "rank: 3", 0);
	synth_listen(&said);
	hyb_experiment_open(synth_path("x1"), &said.diag, &x);
	tap(x && x->count == 6 && !x->single && said.count[HYB_SEV_WARNING] == 4,
	    "with the manifest of a process beside its processes it is still an experiment");
	hyb_experiment_close(x);
	synth_text(synth_path("x1/manifest"), "hybmon experiment manifest 1\n");
	unlink(synth_path("x1/defs.hyb"));
	ranks = "ranks: -";
	process(synth_path("x1/n1.5"), "rank: 9", 1);
	process(synth_path("x1/n1.0"), "rank: 9", 1);
	ranks = "ranks: 16";
	synth_listen(&said);
	hyb_experiment_open(synth_path("x1"), &said.diag, &x);
	tap(said.count[HYB_SEV_WARNING] == 2 && x->count == 7 && !strcmp(x->processes[0].name, "n1.2") &&
		    x->processes[0].manifest.rank == 9 && x->processes[1].manifest.rank == 10 &&
		    x->processes[2].manifest.rank == -1,
	    "who has a rank from the launcher is not the rank where MPI told another so");
	hyb_experiment_close(x);
}

static void test_none(void)
{
	struct hyb_experiment *x;
	struct synth_said said;

	synth_listen(&said);
	tap(hyb_experiment_open(synth_path("none"), &said.diag, &x) == -ENOENT &&
		    said.count[HYB_SEV_ERROR] == 1,
	    "nothing there");
	tap(hyb_experiment_open(synth_path("x"), &said.diag, &x) == -ENOTDIR &&
		    said.count[HYB_SEV_ERROR] == 2,
	    "no directory");
	mkdir(synth_path("base"), 0777);
	tap(hyb_experiment_open(synth_path("base"), &said.diag, &x) == -EINVAL &&
		    said.count[HYB_SEV_ERROR] == 3,
	    "a directory of nothing");
	synth_text(synth_path("base/manifest"), "something else\n");
	tap(hyb_experiment_open(synth_path("base"), &said.diag, &x) == -EINVAL &&
		    said.count[HYB_SEV_ERROR] == 4,
	    "with a manifest of others, too");
	synth_text(synth_path("base/manifest"), "hybmon process manifest 1\n");
	tap(hyb_experiment_open(synth_path("base"), &said.diag, &x) == -EINVAL &&
		    said.count[HYB_SEV_ERROR] == 5 && strstr(said.last, "and nothing that it recorded"),
	    "or with that of a process");
	unlink(synth_path("base/manifest"));
	mkdir(synth_path("base/hybmon-app-7"), 0777);
	tap(hyb_experiment_open(synth_path("base"), &said.diag, &x) == -EINVAL &&
		    strstr(said.last, "base/hybmon-app-7 in it"),
	    "the directory above: says where to look");
}

int main(void)
{
	test_manifest();
	test_experiment();
	test_none();
	synth_cleanup();
	return tap_done();
}
