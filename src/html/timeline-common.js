"use strict";
/*
 * A timeline: rows of tracks on one time axis. The page draws nothing of it: a worker has the tiles (view/tile.h), from
 * the server or out of the page, and paints pictures of them. This file is part of both. Times are ns since the begin of
 * the recording, as numbers, exact up to 104 days.
 */

/* As enum hyb_view_class has them: name and colour. Those that are often side by side differ in lightness, too. */
const CLASSES = [
	["computation, in no region", ""], ["the program's regions", "#4878a8"], ["MPI: messages", "#56b4e9"],
	["MPI: collective", "#cc79a7"], ["MPI: one-sided", "#8d6cab"], ["MPI: files", "#b8860b"], ["MPI: other", "#a9b9c9"],
	["OpenMP", "#009e73"], ["OpenMP: waiting", "#8fd3bf"], ["kernel", "#2f7f95"], ["page fault", "#6a51a3"],
	["interrupt", "#d4569b"], ["off the CPU, waiting", "#d9b62a"], ["off the CPU, pre-empted", "#cc3d3d"],
	["a task runs", "#4878a8"], ["not recorded", "#8a8f94"],
];
const NONE = 0, PROGRAM = 1, COLLECTIVE = 3, INTERRUPT = 11, WAITING = 12, PREEMPTED = 13, TASK = 14;
const FORM_POINT = 3, NO_REGION = 0xffffffff;
const TASKS = ["#4878a8", "#59a14f", "#b07cc6", "#e0862e", "#2f9c95", "#8c6d4f", "#7f9c3b", "#c85a8b", "#3f7fbf",
	"#a9872d"];

let view; /* what the numbers stand for: json/view.c */

const form = what => what >>> 30, classOf = what => what >>> 26 & 15, idOf = what => what & 0x3ffffff;
const nameOf = id => view.regions[id] ? view.regions[id][0] : "?";
const isCpu = track => view.tracks[track].kind === "cpu";
