"use strict";
/*
 * A timeline: rows of tracks on one time axis. What a row shows comes in tiles (view/tile.h), from the server that gave
 * this page or out of the page itself. Times are ns since the begin of the recording, as numbers, exact up to 104 days.
 */

/* As enum hyb_view_class has them; the colours are told apart with the usual kinds of colour blindness, too. */
const CLASSES = [
	["computation, in no region", ""], ["the program's regions", "#4878a8"], ["MPI: messages", "#56b4e9"],
	["MPI: collective", "#cc79a7"], ["MPI: one-sided", "#8d6cab"], ["MPI: files", "#b8860b"], ["MPI: other", "#a9b9c9"],
	["OpenMP", "#009e73"], ["OpenMP: waiting", "#8fd3bf"], ["kernel", "#2f7f95"], ["page fault", "#6a51a3"],
	["interrupt", "#d4569b"], ["off the CPU, waiting", "#d9b62a"], ["off the CPU, pre-empted", "#cc3d3d"],
	["a task runs", "#4878a8"], ["not recorded", "#8a8f94"],
];
const NONE = 0, PROGRAM = 1, COLLECTIVE = 3, WAITING = 12, PREEMPTED = 13, TASK = 14;
const FORM_POINT = 3;
const LABELS = 170, AXIS = 26, LINES = 1000, PAGE_TILES = 96 << 20, AT_ONCE = 6;
const TASKS = ["#4878a8", "#59a14f", "#b07cc6", "#e0862e", "#2f9c95", "#8c6d4f", "#7f9c3b", "#c85a8b", "#3f7fbf",
	"#a9872d"];

const embedded = document.getElementById("tiles") && JSON.parse(document.getElementById("tiles").textContent);
const page = document.getElementById("page");
let view; /* what the numbers stand for: json/view.c */

function make(name, attributes, ...children) {
	const element = document.createElement(name);
	for (const [key, value] of Object.entries(attributes || {}))
		key.startsWith("on") ? element.addEventListener(key.slice(2), value) : element.setAttribute(key, value);
	element.append(...children.filter(c => c !== null && c !== undefined));
	return element;
}

function span(ns) {
	for (const [unit, name] of [[1e9, "s"], [1e6, "ms"], [1e3, "µs"]])
		if (Math.abs(ns) >= unit)
			return (ns / unit).toPrecision(4).replace(/e\+.*/, "") + "\u00a0" + name;
	return Math.round(ns) + "\u00a0ns";
}
const exact = ns => (ns / 1e9).toFixed(9) + "\u00a0s";
const many = n => n.toLocaleString("en");
const style = name => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
const form = what => what >>> 30, classOf = what => what >>> 26 & 15, idOf = what => what & 0x3ffffff;

/* ---- Where tiles come from ---- */

function fromBase64(text) {
	const bytes = atob(text), array = new Uint8Array(bytes.length);
	for (let i = 0; i < bytes.length; i++)
		array[i] = bytes.charCodeAt(i);
	return array.buffer;
}

async function ask(what) {
	const answer = await fetch(what);
	if (!answer.ok)
		throw new Error(await answer.text());
	return answer;
}

function readTile(track, level, index, buffer) {
	const head = new DataView(buffer), count = head.getUint32(4, true);
	return {
		track, level, index, count, bytes: buffer.byteLength, exact: head.getUint32(0, true) === 0,
		begin: head.getFloat64(8, true), records: head.getFloat64(16, true),
		times: new Float64Array(buffer, 24, Math.floor((buffer.byteLength - 24) / 8)),
		words: new Uint32Array(buffer, 24), shares: new Uint8Array(buffer, 24),
	};
}

const cache = new Map(); /* "track/level/index" to its tile; the one used longest ago comes first */
let cached = 0, wanted = [], asking = new Set(), failed = "";

function keep(key, tile) {
	cache.set(key, tile);
	cached += tile.bytes;
	for (const [old, t] of cache) {
		if (cached <= PAGE_TILES)
			break;
		if (t.level < view.level) {
			cache.delete(old);
			cached -= t.bytes;
		}
	}
}

function known(track, level, index) {
	const key = `${track}/${level}/${index}`, tile = cache.get(key);
	if (tile) {
		cache.delete(key);
		cache.set(key, tile);
	} else if (embedded && embedded[key]) {
		keep(key, readTile(track, level, index, fromBase64(embedded[key])));
		return cache.get(key);
	}
	return tile;
}

function askForMore() {
	while (asking.size < AT_ONCE && wanted.length) {
		const [track, level, index] = wanted.shift(), key = `${track}/${level}/${index}`;
		if (asking.has(key) || cache.has(key))
			continue;
		asking.add(key);
		ask(`tile?track=${track}&level=${level}&index=${index}`).then(a => a.arrayBuffer()).then(buffer => {
			keep(key, readTile(track, level, index, buffer));
			failed = "";
		}).catch(e => {
			failed = "hybmon view does not answer: " + e.message;
		}).finally(() => {
			asking.delete(key);
			dirty();
			if (!failed)
				askForMore();
		});
	}
}

/* What there is for a tile: itself, or an exact one around it; otherwise the nearest around it meanwhile. */
function find(track, level, index) {
	let around = null;
	for (let l = level, i = index; l <= view.level; l++, i = Math.floor(i / 2)) {
		const tile = known(track, l, i);
		if (tile && (tile.exact || l === level))
			return tile;
		around = around || tile;
	}
	if (!embedded)
		wanted.push([track, level, index]);
	return around;
}
