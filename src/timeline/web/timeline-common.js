"use strict";
/*
 * A timeline: rows of tracks on one time axis. The page draws nothing of it: a worker has the tiles (timeline/store/tile.h), from
 * the server or out of the page, and paints pictures of them. This file is part of both. Times are ns since the begin of
 * the recording, as numbers, exact up to 104 days.
 */

/*
 * As enum hyb_view_class has them: name and colour. Any two, but the one of tasks, are at least 20 apart in CIELAB, also as seen with the three
 * kinds of colour blindness (Machado and others, 2009), and from black and white.
 */
const CLASSES = [
	["computation, in no region", ""], ["the program's regions", "#494d48"], ["MPI: messages", "#2bc0ff"],
	["MPI: collective", "#d264c3"], ["MPI: one-sided", "#3f0a4c"], ["MPI: files", "#d65900"],
	["MPI: other", "#cfbdac"], ["OpenMP", "#79bd59"], ["OpenMP: waiting", "#a4ffa8"], ["kernel", "#2e6581"],
	["page fault", "#140079"], ["interrupt", "#8939ac"], ["off the CPU, waiting", "#f2b81b"],
	["off the CPU, pre-empted", "#792804"], ["a task runs", "#4878a8"], ["not recorded", "#8a8f94"],
];
const NONE = 0, PROGRAM = 1, COLLECTIVE = 3, INTERRUPT = 11, WAITING = 12, PREEMPTED = 13, TASK = 14;
const COLLECTIVE_TAG = 0xffffffff; /* of a line that is no message's: timeline/store/store.h */
const FORM_POINT = 3, NO_REGION = 0xffffffff;
const COLLECTOR = "#cc3d3d";
const TASKS = ["#4878a8", "#59a14f", "#b07cc6", "#e0862e", "#2f9c95", "#8c6d4f", "#7f9c3b", "#c85a8b", "#3f7fbf",
	"#a9872d"];

let view; /* what the numbers stand for: timeline/json/view.c */

const form = what => what >>> 30, classOf = what => what >>> 26 & 15, idOf = what => what & 0x3ffffff;
const nameOf = id => view.regions[id] ? view.regions[id][0] : "?";
const isCurve = track => view.tracks[track].kind === "curve";
const isCpu = track => view.tracks[track].kind === "cpu";
