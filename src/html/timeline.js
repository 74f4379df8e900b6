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
const NONE = 0, PROGRAM = 1, TASK = 14;
const FORM_SLICE = 0, FORM_POINT = 3;
const LABELS = 170, AXIS = 26, PAGE_TILES = 96 << 20, AT_ONCE = 6;
const TASKS = ["#4878a8", "#59a14f", "#b07cc6", "#e0862e", "#2f9c95", "#8c6d4f", "#7f9c3b", "#c85a8b", "#3f7fbf", "#a9872d"];

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

/* ---- What is shown ---- */

const state = { from: 0, to: 1, height: 22, messages: true, selected: null, search: "", folded: new Set(), focus: 0 };
let rows = [], past = [], lines = null, hovered = null, mouse = null;

function title(t) {
	const rank = t.rank === undefined ? "process " + t.process : "rank " + t.rank;
	return t.kind === "cpu" ? "CPU " + t.cpu : t.name.startsWith("Master") ? rank : rank + " " + t.name.replace("thread ", "");
}

function layOut() {
	const hosts = new Map();
	view.tracks.forEach((t, track) => {
		if (!hosts.has(t.host))
			hosts.set(t.host, { cpus: [], processes: new Map() });
		const host = hosts.get(t.host);
		if (t.kind === "cpu")
			host.cpus.push(track);
		else
			host.processes.set(t.process, [...host.processes.get(t.process) || [], track]);
	});
	rows = [];
	for (const [name, host] of hosts) {
		if (host.cpus.length) {
			rows.push({ head: `${name}: ${host.cpus.length} CPUs`, key: "cpus " + name });
			if (!state.folded.has("cpus " + name))
				rows.push(...host.cpus.map(track => ({ track, level: 1 })));
		}
		rows.push({ head: `${name}: ${host.processes.size} processes`, key: "processes " + name });
		if (state.folded.has("processes " + name))
			continue;
		for (const [process, tracks] of host.processes) {
			const key = "process " + process;
			rows.push({ track: tracks[0], level: 1, key: tracks.length > 1 ? key : null });
			if (!state.folded.has(key))
				rows.push(...tracks.slice(1).map(track => ({ track, level: 2 })));
		}
	}
	spacer.style.height = rows.length * state.height + AXIS + "px";
	dirty();
}

function go(from, to, remember) {
	const least = 100, most = view.length * 1.02 + least;
	let length = Math.min(Math.max(to - from, least), most);
	from = Math.min(Math.max(from, -0.01 * view.length), view.length * 1.01 - Math.min(length, view.length));
	if (remember) {
		past.push([state.from, state.to]);
		past = past.slice(-100);
	}
	state.from = from;
	state.to = from + length;
	clearTimeout(go.later);
	go.later = setTimeout(settle, 150);
	zoom.value = 1000 * Math.log(most / length) / Math.log(most / least);
	dirty();
}

/* What is worth doing when nobody moves any more. */
function settle() {
	const hash = `from=${Math.round(state.from)}&to=${Math.round(state.to)}` +
		(state.search ? "&search=" + encodeURIComponent(state.search) : "");
	history.replaceState(null, "", "#" + hash);
	fetchLines();
	showSums();
}

const width = () => Math.max(50, stage.clientWidth - LABELS);
const x = time => LABELS + (time - state.from) / (state.to - state.from) * width();
const timeAt = px => state.from + (px - LABELS) / width() * (state.to - state.from);
const rowAt = y => Math.floor((y - AXIS + box.scrollTop) / state.height);
const above = row => AXIS + row * state.height - box.scrollTop;

function visible() {
	const first = Math.max(0, rowAt(AXIS)), last = Math.min(rows.length, rowAt(box.clientHeight) + 1);
	return [first, last];
}

function zoomBy(factor, around) {
	go(around - (around - state.from) * factor, around + (state.to - around) * factor);
}

/* ---- Drawing ---- */

let drawn = true, pen, ink = {};

function dirty() {
	if (drawn)
		requestAnimationFrame(draw);
	drawn = false;
}

function colour(track, what) {
	const c = classOf(what), id = idOf(what);
	if (c === NONE)
		return view.tracks[track].kind === "cpu" ? ink.idle : ink.compute;
	if (c !== TASK && c !== PROGRAM)
		return CLASSES[c][1];
	if (c === TASK && /^hybmon/.test(view.regions[id] && view.regions[id][0]))
		return "#cc3d3d";
	return TASKS[id % TASKS.length];
}

const matches = id => !state.search || (view.regions[id] && view.regions[id][0].toLowerCase().includes(state.search));

function drawExact(tile, y, height, from, to) {
	const scale = width() / (state.to - state.from), depths = view.tracks[tile.track].depth;
	const inset = depths > 1 ? Math.min(4, (height - 6) / depths) : 0;
	let names = [];
	for (let i = 0; i < tile.count; i++) {
		const begin = tile.times[4 * i], what = tile.words[8 * i + 4], depth = tile.words[8 * i + 6];
		let end = tile.times[4 * i + 1];
		if (end < begin)
			end = view.tracks[tile.track].end;
		if (end < from || begin > to)
			continue;
		const left = Math.max(LABELS, LABELS + (Math.max(begin, from) - state.from) * scale);
		const wide = Math.max(1, Math.min(LABELS + (Math.min(end, to) - state.from) * scale, stage.clientWidth) - left);
		const down = Math.min(depth * inset, height - 6);
		pen.globalAlpha = form(what) === FORM_POINT || matches(idOf(what)) ? 1 : 0.15;
		if (form(what) === FORM_POINT) {
			pen.fillStyle = ink.ink;
			pen.fillRect(left, y, 1, height / 3);
			continue;
		}
		pen.fillStyle = colour(tile.track, what);
		pen.fillRect(left, y + down, wide, height - down);
		/* A name ends where something lies on it. */
		names = names.filter(n => {
			n.right = left >= n.left ? Math.min(n.right, left) : n.right;
			return n.right - n.left > 30;
		});
		if (wide > 30 && height > 13 && classOf(what) !== NONE)
			names.push({ name: (view.regions[idOf(what)] || ["?"])[0], left, right: left + wide, down });
		if (names.length > 64)
			names = drawNames(names, y, height, left);
	}
	drawNames(names, y, height, Infinity);
	pen.globalAlpha = 1;
}

/* Those that end before that; the others. */
function drawNames(names, y, height, before) {
	pen.fillStyle = "#fff";
	return names.filter(n => {
		if (n.right > before)
			return true;
		const room = Math.floor((n.right - n.left - 6) / 6.4);
		const text = n.name.length > room ? n.name.slice(0, room - 1) + "…" : n.name;
		pen.fillText(text, n.left + 3, y + n.down + (height - n.down) / 2 + 4);
		return false;
	});
}

function drawDensity(tile, y, height, from, to) {
	const column = 2 ** tile.level, first = Math.max(0, Math.floor((from - tile.begin) / column));
	const last = Math.min(tile.count, Math.ceil((to - tile.begin) / column)), cpu = view.tracks[tile.track].kind === "cpu";
	for (let i = first; i < last; i++) {
		const left = Math.max(LABELS, x(tile.begin + i * column)), right = x(tile.begin + (i + 1) * column);
		let bottom = y + height;
		for (let c = 15; c >= 0; c--) {
			const share = tile.shares[20 * i + c], tall = share / 255 * height;
			if (!share)
				continue;
			bottom -= tall;
			pen.fillStyle = c !== NONE ? CLASSES[c][1] : cpu ? ink.idle : ink.compute;
			pen.fillRect(left, bottom, right - left + 0.5, tall);
		}
		/* However short what happened there is. */
		if (tile.words[5 * i + 4]) {
			pen.fillStyle = ink.dim;
			pen.fillRect(left, y, Math.max(1, right - left), 1.5);
		}
	}
}

function drawRow(row, y) {
	const height = state.height - 3, track = row.track, t = view.tracks[track];
	const perPixel = (state.to - state.from) / width() / devicePixelRatio;
	const level = Math.min(view.level, Math.max(0, Math.floor(Math.log2(perPixel))));
	const size = view.columns * 2 ** level, done = new Set();
	const from = Math.max(0, state.from), to = Math.min(view.length, state.to);
	pen.fillStyle = t.kind === "cpu" ? ink.idle : ink.compute;
	const left = Math.max(LABELS, x(t.begin)), right = Math.min(stage.clientWidth, x(t.end));
	if (right > left)
		pen.fillRect(left, y + 1, right - left, height);
	for (let index = Math.floor(from / size); index <= Math.floor(to / size); index++) {
		const tile = find(track, level, index);
		if (!tile || (tile.exact && done.has(tile)))
			continue;
		done.add(tile);
		if (tile.exact)
			drawExact(tile, y + 1, height, from, to);
		else
			drawDensity(tile, y + 1, height, Math.max(from, index * size), Math.min(to, (index + 1) * size));
	}
}

function drawAxis() {
	const length = state.to - state.from, rough = length / width() * 110;
	const power = 10 ** Math.floor(Math.log10(rough)), step = [1, 2, 5, 10].find(s => s * power >= rough) * power;
	const digits = Math.max(0, Math.ceil(-Math.log10(step / 1e9)));
	pen.fillStyle = ink.back;
	pen.fillRect(0, 0, stage.clientWidth, AXIS);
	pen.fillStyle = ink.dim;
	for (let time = Math.ceil(state.from / step) * step; time <= state.to; time += step) {
		pen.fillRect(x(time), AXIS - 6, 1, 6);
		pen.fillText((time / 1e9).toFixed(digits) + " s", x(time) + 3, AXIS - 10);
	}
	pen.fillText(`${span(length)} shown`, 6, AXIS - 10);
}

function drawLabels(first, last) {
	pen.fillStyle = ink.back;
	pen.fillRect(0, AXIS, LABELS, box.clientHeight);
	for (let i = first; i < last; i++) {
		const row = rows[i], mid = above(i) + state.height / 2 + 4;
		if (i === state.focus && document.activeElement === box) {
			pen.strokeStyle = ink.mark;
			pen.strokeRect(1, above(i) + 1, LABELS - 4, state.height - 2);
		}
		if (state.height < 11)
			continue;
		pen.fillStyle = row.head ? ink.dim : ink.ink;
		const fold = row.key ? (state.folded.has(row.key) ? "▸ " : "▾ ") : "";
		pen.fillText(fold + (row.head || title(view.tracks[row.track])), 6 + 12 * (row.level || 0), mid, LABELS - 20);
	}
}

function drawLines() {
	const place = new Map(rows.map((r, i) => [r.track, i]).reverse());
	pen.strokeStyle = ink.message;
	pen.lineWidth = 1;
	pen.beginPath();
	for (let i = 0; lines && i < lines.count; i++) {
		const from = place.get(lines.words[10 * i + 4]), to = place.get(lines.words[10 * i + 5]);
		if (from === undefined || to === undefined)
			continue;
		pen.moveTo(x(lines.times[5 * i]), above(from) + state.height / 2);
		pen.lineTo(x(lines.times[5 * i + 1]), above(to) + state.height / 2);
	}
	pen.stroke();
}

function drawMini() {
	const [wide, tall] = fit(mini), p = mini.getContext("2d"), tracks = rows.filter(r => r.track !== undefined).map(r => r.track);
	const step = Math.max(1, Math.ceil(tracks.length / 16)), some = tracks.filter((t, i) => i % step === 0);
	const saved = { from: state.from, to: state.to, pen };
	p.clearRect(0, 0, wide, tall);
	some.forEach((track, i) => {
		const tile = find(track, view.level, 0), high = (tall - 2) / some.length;
		if (!tile)
			return;
		const column = tile.exact ? 0 : 2 ** tile.level / view.length * wide;
		for (let k = 0; k < tile.count; k++) {
			if (tile.exact) {
				const begin = tile.times[4 * k], end = Math.max(begin, tile.times[4 * k + 1]);
				p.fillStyle = colour(track, tile.words[8 * k + 4]);
				p.fillRect(begin / view.length * wide, i * high, Math.max(0.5, (end - begin) / view.length * wide), high);
				continue;
			}
			const most = [...tile.shares.subarray(20 * k, 20 * k + 16)].reduce((a, v, c, all) => v > all[a] ? c : a, 0);
			p.fillStyle = CLASSES[most][1] || (view.tracks[track].kind === "cpu" ? ink.idle : ink.compute);
			p.fillRect(k * column, i * high, column + 0.5, high);
		}
	});
	p.strokeStyle = ink.mark;
	p.lineWidth = 2;
	p.fillStyle = style("select");
	const left = saved.from / view.length * wide, right = saved.to / view.length * wide;
	p.fillRect(left, 0, right - left, tall);
	p.strokeRect(Math.max(1, left), 1, Math.min(wide - 2, Math.max(2, right - left)), tall - 2);
}

/* In the pixels of the screen. */
function fit(canvas) {
	const wide = canvas.clientWidth, tall = canvas.clientHeight, ratio = devicePixelRatio;
	if (canvas.width !== Math.round(wide * ratio) || canvas.height !== Math.round(tall * ratio)) {
		canvas.width = Math.round(wide * ratio);
		canvas.height = Math.round(tall * ratio);
	}
	canvas.getContext("2d").setTransform(ratio, 0, 0, ratio, 0, 0);
	return [wide, tall];
}

function draw() {
	drawn = true;
	if (!view)
		return;
	for (const name of ["back", "ink", "dim", "panel", "mark", "idle", "message", "select", "line", "compute"])
		ink[name] = style(name);
	stage.style.height = box.clientHeight + "px";
	const [wide, tall] = fit(stage), [first, last] = visible();
	pen = stage.getContext("2d");
	pen.font = "12px system-ui, sans-serif";
	pen.fillStyle = ink.back;
	pen.fillRect(0, 0, wide, tall);
	wanted = [];
	for (let i = first; i < last; i++)
		if (rows[i].track !== undefined)
			drawRow(rows[i], above(i));
	if (state.messages)
		drawLines();
	if (state.selected) {
		pen.fillStyle = ink.select;
		pen.fillRect(x(state.selected[0]), AXIS, x(state.selected[1]) - x(state.selected[0]), tall);
	}
	drawLabels(first, last);
	drawAxis();
	drawMini();
	if (mouse && mouse.x > LABELS) {
		pen.fillStyle = ink.mark;
		pen.fillRect(mouse.x, 0, 1, tall);
	}
	askForMore();
	tell();
}

/* ---- What is said of it ---- */

/* The innermost slice there, or null. */
function sliceAt(track, time, near) {
	for (let level = 0; level <= view.level; level++) {
		const tile = cache.get(`${track}/${level}/${Math.floor(time / (view.columns * 2 ** level))}`);
		if (!tile || !tile.exact)
			continue;
		let best = null;
		for (let i = 0; i < tile.count; i++) {
			const begin = tile.times[4 * i], what = tile.words[8 * i + 4];
			const end = tile.times[4 * i + 1] < begin ? view.tracks[track].end : tile.times[4 * i + 1];
			if (begin - near <= time && time <= end + near && (!best || tile.words[8 * i + 6] >= best.depth))
				best = { begin, end, what, detail: tile.words[8 * i + 5], depth: tile.words[8 * i + 6] };
		}
		return best;
	}
	return null;
}

function describe(track, slice) {
	const id = idOf(slice.what), region = view.regions[id];
	if (form(slice.what) === FORM_POINT)
		return [`${view.kinds[id].replace(/_/g, " ")} at ${exact(slice.begin)}`];
	const said = [region ? region[0] : "?", `${span(slice.end - slice.begin)}, from ${exact(slice.begin)} to ${exact(slice.end)}`];
	for (let d = view.details[slice.detail]; d; d = view.details[d[0]])
		said.push(`${d[1]}: ${d[2]}`);
	if (region && region[1])
		said.push(`${region[1]}:${region[2]}`);
	return said;
}

function lineAt(px, py) {
	const place = new Map(rows.map((r, i) => [r.track, i]).reverse());
	for (let i = 0; lines && state.messages && i < lines.count; i++) {
		const w = lines.words, from = place.get(w[10 * i + 4]), to = place.get(w[10 * i + 5]);
		if (from === undefined || to === undefined)
			continue;
		const ax = x(lines.times[5 * i]), bx = x(lines.times[5 * i + 1]);
		const ay = above(from) + state.height / 2, by = above(to) + state.height / 2;
		const along = Math.min(1, Math.max(0, ((px - ax) * (bx - ax) + (py - ay) * (by - ay)) / ((bx - ax) ** 2 + (by - ay) ** 2 || 1)));
		if (Math.hypot(ax + along * (bx - ax) - px, ay + along * (by - ay) - py) < 3) {
			const comm = view.comms.find(c => c[0] === w[10 * i + 6]);
			return [`message from ${title(view.tracks[w[10 * i + 4]])} to ${title(view.tracks[w[10 * i + 5]])}`,
				`${many(lines.times[5 * i + 4])} bytes, tag ${w[10 * i + 7]}${comm ? ", " + comm[1] : ""}`,
				`sent ${exact(lines.times[5 * i])}, received ${exact(lines.times[5 * i + 1])}`];
		}
	}
	return null;
}

function tell() {
	const row = mouse && rows[rowAt(mouse.y)];
	let said = null;
	if (failed)
		said = [failed];
	else if (mouse && mouse.x > LABELS && mouse.y > AXIS && row && row.track !== undefined) {
		const time = timeAt(mouse.x), near = (state.to - state.from) / width();
		const slice = sliceAt(row.track, time, near);
		const line = slice && form(slice.what) === FORM_POINT ? null : lineAt(mouse.x, mouse.y);
		said = line || [`${title(view.tracks[row.track])}, at ${exact(time)}`,
			...slice ? describe(row.track, slice) : ["many events here: zoom in to see each"]];
	}
	if (!said)
		said = ["Point at something. Wheel: zoom. Drag: move. Shift and drag: select. ?: all keys."];
	const text = said.join("\n");
	if (text !== tell.last)
		info.replaceChildren(...said.map(line => make("p", {}, line)));
	tell.last = text;
}

/* Of the selection, or of all that is shown: time by class, over the rows in the window. */
async function showSums() {
	const [from, to] = state.selected || [state.from, state.to], [first, last] = visible();
	const tracks = rows.slice(first, last).filter(r => r.track !== undefined && view.tracks[r.track].kind !== "cpu").map(r => r.track);
	const a = Math.max(0, Math.round(from)), b = Math.max(a, Math.round(to)), sums = new Float64Array(16);
	if (!tracks.length)
		return;
	if (embedded) {
		for (const track of tracks)
			addShares(track, a, b, sums);
	} else {
		const all = new Float64Array(await (await ask(`sums?from=${a}&until=${b}&tracks=${tracks}`)).arrayBuffer());
		all.forEach((v, i) => { sums[i % 16] += v; });
	}
	const whole = sums.reduce((p, v) => p + v, 0) || 1;
	const items = CLASSES.map((c, i) => [c, sums[i], i]).filter(c => c[1]).sort((p, q) => q[1] - p[1]).map(([c, ns]) => {
		const mark = make("i");
		mark.style.background = c[1] || ink.compute;
		return make("li", {}, mark, `${c[0]} ${(100 * ns / whole).toFixed(1)}\u00a0%, ${span(ns)}`);
	});
	sumsBox.replaceChildren(make("p", {}, `${state.selected ? "Selected" : "Shown"}: ${span(b - a)} of ${tracks.length} thread` +
		(tracks.length === 1 ? "" : "s")), make("ul", { class: "legend" }, ...items),
		make("p", { class: "dim" }, lines && lines.total > lines.count ?
			`${many(lines.count)} of about ${many(lines.total)} messages are drawn.` : ""));
}

/* What an exact tile, or the columns of another, say: for a page without a server. */
function addShares(track, from, to, sums) {
	const tiles = [find(track, view.level, 0)];
	while (tiles.length) {
		const tile = tiles.pop(), size = tile ? view.columns * 2 ** tile.level : 0;
		if (!tile || tile.begin > to || tile.begin + size < from)
			continue;
		const halves = tile.exact || !tile.level ? [] : [0, 1].map(h => known(track, tile.level - 1, 2 * tile.index + h));
		if (halves.length && halves.every(h => h))
			tiles.push(...halves);
		else if (tile.exact)
			addSlices(tile, Math.max(from, tile.begin), Math.min(to, tile.begin + size), sums);
		else
			for (let i = 0; i < tile.count; i++) {
				const column = 2 ** tile.level, at = tile.begin + i * column;
				const part = Math.max(0, Math.min(to, at + column) - Math.max(from, at));
				for (let c = 0; part && c < 16; c++)
					sums[c] += tile.shares[20 * i + c] / 255 * part;
			}
	}
}

function addSlices(tile, from, to, sums) {
	const t = view.tracks[tile.track], stack = [];
	let at = Math.max(from, t.begin), now = NONE;
	const until = time => {
		const end = Math.min(Math.max(time, at), Math.min(to, t.end));
		sums[now] += Math.max(0, end - at);
		at = Math.max(at, end);
	};
	const close = time => {
		while (stack.length && stack[stack.length - 1].end <= time) {
			until(stack.pop().end);
			now = stack.length ? stack[stack.length - 1].class : NONE;
		}
	};
	for (let i = 0; i < tile.count; i++) {
		const begin = tile.times[4 * i], what = tile.words[8 * i + 4];
		const end = tile.times[4 * i + 1] < begin ? Infinity : tile.times[4 * i + 1];
		close(begin);
		until(begin);
		now = classOf(what);
		if (form(what) !== FORM_POINT)
			stack.push({ end, class: now });
	}
	close(to);
	until(to);
}

async function fetchLines() {
	const [first, last] = visible(), tracks = rows.slice(first, last).filter(r => r.track !== undefined).map(r => r.track);
	let buffer = null;
	if (embedded)
		buffer = fromBase64(embedded.lines);
	else if (tracks.length)
		buffer = await (await ask(`lines?from=${Math.max(0, Math.round(state.from))}&until=${Math.round(state.to)}&tracks=${tracks}`)).arrayBuffer();
	if (!buffer)
		return;
	const head = new DataView(buffer);
	lines = { count: head.getUint32(0, true), total: head.getFloat64(8, true), times: new Float64Array(buffer, 16),
		words: new Uint32Array(buffer, 16) };
	dirty();
}

/* ---- Controls ---- */

const stage = make("canvas", { id: "stage", role: "img", "aria-label": "the timeline; the text below says what is under the pointer" });
const spacer = make("div", {});
const box = make("div", { id: "rows", tabindex: "0", role: "application", "aria-label": "timeline: arrow keys move, plus and minus zoom" }, stage, spacer);
const mini = make("canvas", { id: "mini", role: "img", "aria-label": "the whole run; the frame is what is shown" });
const info = make("output", { id: "info" }), sumsBox = make("div", { id: "sums" });
const zoom = make("input", { type: "range", min: "0", max: "1000", step: "1", "aria-label": "zoom" });
const size = make("input", { type: "range", min: "5", max: "60", value: state.height, "aria-label": "height of rows" });
const search = make("input", { type: "search", placeholder: "a region, a task", "aria-label": "search" });
const arrows = make("input", { type: "checkbox" });
arrows.checked = true;

const KEYS = [
	["left, right; shift: far", "move in time", "ArrowLeft ArrowRight"], ["up, down", "move over rows", "ArrowUp ArrowDown"],
	["+ and -", "zoom in and out", "+ - ="], ["0 or Home", "the whole run", "0 Home"], ["Enter", "zoom into the selection; fold a row", "Enter"],
	["Backspace", "the view before", "Backspace"], ["m", "messages on and off", "m"], ["/", "search; what does not match is dimmed", "/"],
	["Escape", "select nothing", "Escape"], ["?", "this list", "?"],
];
const help = make("dialog", { "aria-label": "keys" }, make("table", {}, ...KEYS.map(([k, what]) =>
	make("tr", {}, make("td", {}, k), make("td", {}, what)))), make("form", { method: "dialog" }, make("button", {}, "close")));

function setMessages(on) {
	state.messages = arrows.checked = on;
	dirty();
}

function fold(row) {
	if (!row || !row.key)
		return;
	state.folded.has(row.key) ? state.folded.delete(row.key) : state.folded.add(row.key);
	layOut();
}

function back() {
	const last = past.pop();
	if (last)
		go(last[0], last[1]);
}

function onKey(e) {
	const length = state.to - state.from, step = length * (e.shiftKey ? 0.8 : 0.1);
	const around = mouse && mouse.x > LABELS ? timeAt(mouse.x) : (state.from + state.to) / 2;
	if (e.target.tagName === "INPUT" || e.ctrlKey || e.altKey || e.metaKey || help.open)
		return;
	const does = {
		ArrowLeft: () => go(state.from - step, state.to - step), ArrowRight: () => go(state.from + step, state.to + step),
		ArrowUp: () => move(-1), ArrowDown: () => move(1), "+": () => zoomBy(0.7, around), "=": () => zoomBy(0.7, around),
		"-": () => zoomBy(1 / 0.7, around), 0: () => go(0, view.length, true), Home: () => go(0, view.length, true),
		Enter: () => state.selected ? go(...state.selected, true) : fold(rows[state.focus]), Backspace: back,
		m: () => setMessages(!state.messages), "/": () => search.focus(), "?": () => help.showModal(),
		Escape: () => { state.selected = null; showSums(); dirty(); },
	}[e.key];
	if (!does || (e.target.tagName === "BUTTON" && e.key === "Enter"))
		return;
	e.preventDefault();
	does();
}

function move(by) {
	state.focus = Math.min(rows.length - 1, Math.max(0, state.focus + by));
	const y = AXIS + state.focus * state.height;
	if (y - AXIS < box.scrollTop)
		box.scrollTop = y - AXIS;
	else if (y + state.height > box.scrollTop + box.clientHeight)
		box.scrollTop = y + state.height - box.clientHeight;
	dirty();
}

const place = e => ({ x: e.clientX - stage.getBoundingClientRect().left, y: e.clientY - stage.getBoundingClientRect().top });

function listen() {
	let drag = null;
	box.addEventListener("wheel", e => {
		const at = place(e);
		if (at.x < LABELS)
			return;
		e.preventDefault();
		const by = e.deltaY * (e.deltaMode ? 30 : 1), length = state.to - state.from;
		if (e.shiftKey || Math.abs(e.deltaX) > Math.abs(e.deltaY))
			go(state.from + (e.deltaX || by) / width() * length, state.to + (e.deltaX || by) / width() * length);
		else
			zoomBy(Math.exp(by / 400), timeAt(at.x));
	}, { passive: false });
	stage.addEventListener("pointerdown", e => {
		const at = place(e);
		box.focus();
		state.focus = Math.min(rows.length - 1, Math.max(0, rowAt(at.y)));
		if (at.x < LABELS) {
			fold(rows[rowAt(at.y)]);
			return;
		}
		stage.setPointerCapture(e.pointerId);
		drag = { at, from: state.from, to: state.to, scroll: box.scrollTop, select: e.shiftKey || at.y < AXIS };
		past.push([state.from, state.to]);
	});
	stage.addEventListener("pointermove", e => {
		mouse = place(e);
		if (drag && drag.select) {
			state.selected = [timeAt(drag.at.x), timeAt(Math.max(LABELS, mouse.x))].sort((a, b) => a - b);
		} else if (drag) {
			const by = (drag.at.x - mouse.x) / width() * (drag.to - drag.from);
			box.scrollTop = drag.scroll + drag.at.y - mouse.y;
			go(drag.from + by, drag.to + by);
		}
		dirty();
	});
	stage.addEventListener("pointerup", () => {
		if (drag && drag.select)
			showSums();
		drag = null;
	});
	stage.addEventListener("pointerleave", () => {
		mouse = null;
		dirty();
	});
	stage.addEventListener("dblclick", e => {
		const at = place(e), row = rows[rowAt(at.y)], slice = at.x > LABELS && row && row.track !== undefined &&
			sliceAt(row.track, timeAt(at.x), (state.to - state.from) / width());
		if (slice && slice.end > slice.begin)
			go(slice.begin - 0.05 * (slice.end - slice.begin), slice.end + 0.05 * (slice.end - slice.begin), true);
	});
	const jump = e => {
		const time = (e.clientX - mini.getBoundingClientRect().left) / mini.clientWidth * view.length, half = (state.to - state.from) / 2;
		if (e.buttons)
			go(time - half, time + half);
	};
	mini.addEventListener("pointerdown", jump);
	mini.addEventListener("pointermove", jump);
	box.addEventListener("scroll", () => {
		clearTimeout(go.later);
		go.later = setTimeout(settle, 150);
		dirty();
	});
	zoom.addEventListener("input", () => {
		const most = view.length * 1.02 + 100, length = most * (100 / most) ** (zoom.value / 1000), mid = (state.from + state.to) / 2;
		go(mid - length / 2, mid + length / 2);
	});
	size.addEventListener("input", () => {
		state.height = Number(size.value);
		layOut();
	});
	search.addEventListener("input", () => {
		state.search = search.value.trim().toLowerCase();
		settle();
		dirty();
	});
	search.addEventListener("keydown", e => {
		if (e.key === "Escape" || e.key === "Enter")
			box.focus();
	});
	arrows.addEventListener("change", () => setMessages(arrows.checked));
	document.addEventListener("keydown", onKey);
	new ResizeObserver(dirty).observe(box);
	matchMedia("(prefers-color-scheme: dark)").addEventListener("change", dirty);
}

async function start() {
	const own = document.getElementById("view");
	view = own ? JSON.parse(own.textContent) : await (await ask("view")).json();
	const begun = new Date(view.start / 1e6).toISOString().replace("T", " ").replace(/\..*/, " UTC");
	page.append(make("header", {}, make("h1", {}, view.title), make("span", { class: "dim" }, `${span(view.length)}, begun ${begun}` +
		(view.lost ? `, ${many(view.lost)} records lost` : "")), make("button", { onclick: () => go(0, view.length, true) }, "whole run"),
		make("button", { onclick: back }, "back"), make("label", {}, "zoom ", zoom), make("label", {}, "rows ", size),
		make("label", {}, arrows, " messages"), make("label", {}, "search ", search),
		make("button", { onclick: () => help.showModal(), "aria-label": "keys" }, "?"),
		embedded && embedded.cut ? make("span", {}, "Not all details are in this page.") : null),
		mini, box, make("footer", {}, info, sumsBox), help);
	listen();
	layOut();
	const hash = new URLSearchParams(location.hash.slice(1));
	if (hash.get("search")) {
		search.value = hash.get("search");
		state.search = search.value.toLowerCase();
	}
	if (Number(hash.get("to")) > Number(hash.get("from")))
		go(Number(hash.get("from")), Number(hash.get("to")));
	else
		go(0, view.length);
	box.focus();
}

start().catch(e => page.append(make("p", {}, "This cannot be shown: " + e.message)));
