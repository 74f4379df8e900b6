/* SPDX-License-Identifier: BSD-3-Clause */
/* For the pages of a report and of a timeline: what hybmon report finds, in words. */
"use strict";
const WAITS = {
	late_sender: "late sender", late_receiver: "late receiver", barrier: "wait at barrier", all: "wait for all",
	late_root: "late root", early_root: "early root", fence: "wait at fence", late_post: "late post",
	late_complete: "late completion", window_lock: "wait for a window's lock", file_operation: "wait at file operation",
	create_free_end: "wait at create, free or end",
	omp_barrier: "wait for threads",
	omp_lock: "wait for a lock",
	omp_task: "wait for a task", omp_idle: "idle thread",
};
const who = p => p.rank === undefined ? "process\u00a0" + p.process : "rank\u00a0" + p.rank;
const thread = t => who(t) + (t.thread ? " thread " + t.thread : "");

/* What a thread was in, the innermost first, as the text says it. */
function place(path) {
	const words = [...path].reverse().map(p => {
		if (p.kind === "not_recorded")
			return "not recorded";
		if (p.kind === "before")
			return "computation before " + p.name + (p.at ? " at " + p.at : "");
		if (p.kind !== "kernel")
			return p.name + (p.at ? " at " + p.at : "");
		if (p.stopped)
			return "stopped (SIGSTOP, a debugger)";
		if (p.off === "involuntary")
			return p.holder === "idle" ? "kept from an idle CPU (a quota?)" :
				!p.holder ? "pre-empted (by whom is not recorded)" :
				"pre-empted by " + (p.holder === "task" ? p.by : "other programs");
		return p.off === "voluntary" ? "waiting off the CPU" : p.name;
	});
	return words.join(" in ") || "computation";
}
