/*
 * In the worker: pictures. Rows are painted into the pixels of one image, by lines: of each depth of nested regions one
 * that has the colour of each column, which lie upon each other. So a slice costs no more than the columns it covers.
 */

const LINES = 1000; /* messages in a picture */
const TICKS = ["#d9b62a", "#56b4e9", "#cc79a7", "#009e73", "#e0862e"];
let wish = null; /* what the page wants to see */
let order = [], pinned = 0; /* the track of each row, -1: none; so many of them do not scroll */
const rowOf = new Map(); /* by track */

/* From the picture's top. */
const topOf = row => row * wish.height - (row < pinned ? 0 : wish.top);
const middleOf = track => topOf(rowOf.get(track)) + wish.height / 2;

let image = null, pixels = null, painted = null, colours = new Map();
let waits = new Map(); /* by track, in the order of time */
const pool = [];

/* As the pixels of an image have it. */
function packed(text) {
	const hex = text.length === 4 ? [...text.slice(1)].map(c => c + c).join("") : text.slice(1);
	const [r, g, b] = [0, 2, 4].map(i => parseInt(hex.slice(i, i + 2), 16));
	return (255 << 24 | b << 16 | g << 8 | r) >>> 0;
}

/* Little of one on another. */
function mixed(colour, back) {
	let all = 0xff000000;
	for (const shift of [0, 8, 16])
		all |= Math.round(0.15 * (colour >>> shift & 255) + 0.85 * (back >>> shift & 255)) << shift;
	return all >>> 0;
}

function colourOf(cpu, what) {
	const c = classOf(what), id = idOf(what);
	if (c === NONE)
		return cpu ? wish.ink.idle : wish.ink.compute;
	if (c !== TASK && c !== PROGRAM)
		return wish.colours[c];
	if (c === TASK && view.tasks[id] === "hybmon")
		return COLLECTOR;
	if (c === TASK && view.tasks[id] === "unknown")
		return wish.colours[15];
	return wish.tasks[id % wish.tasks.length];
}

/* Dimmed where the search or a filter says so. */
function paint(cpu, what) {
	const key = (what & 0x3fffffff) + (cpu ? 2 ** 30 : 0);
	let colour = colours.get(key);
	if (colour === undefined) {
		const there = (!wish.search || nameOf(idOf(what)).toLowerCase().includes(wish.search)) &&
			!wish.without.includes(classOf(what));
		colour = packed(colourOf(cpu, what));
		if (!there)
			colour = mixed(colour, packed(wish.ink.back));
		colours.set(key, colour);
	}
	return colour;
}

function lineOf(depth, wide) {
	if (!pool[depth] || pool[depth].colour.length !== wide)
		pool[depth] = { colour: new Uint32Array(wide), weight: new Float32Array(wide) };
	return pool[depth];
}

/* One row at work: where it is, and what has been found for it so far. */
function newRow(track, top) {
	const ratio = wish.ratio, height = Math.max(1, wish.height - 3), depths = Math.max(1, view.tracks[track].depth);
	const inset = depths > 1 ? Math.min(4, Math.max(0, height - 6) / depths) : 0;
	return {
		track, cpu: isCpu(track), top: Math.round((top + 1) * ratio), tall: Math.round(height * ratio), lines: 0,
		down: depth => Math.round(Math.min(depth * inset, Math.max(0, height - 6)) * ratio), names: new Map(), ticks: [],
		scale: image.width / (wish.to - wish.from), css: top + 1, height,
	};
}

function useLine(row, depth) {
	const line = lineOf(depth, image.width);
	for (; row.lines <= depth; row.lines++) {
		lineOf(row.lines, image.width).colour.fill(0);
		pool[row.lines].weight.fill(0);
	}
	return line;
}

/* Slices of an exact tile, as far as they lie in it: what is beside it may be painted as shares. */
function paintSlices(tile, row) {
	const from = Math.max(wish.from, tile.begin), to = Math.min(wish.to, tile.begin + tile.length), scale = row.scale;
	const last = view.tracks[tile.track].end, wide = image.width, { times, words } = tile;
	for (let i = 0; i < tile.count; i++) {
		const begin = times[4 * i], what = words[8 * i + 4];
		let end = times[4 * i + 1];
		if (end < begin)
			end = last;
		if (end < from || begin > to)
			continue;
		const left = Math.floor((Math.max(begin, from) - wish.from) * scale);
		if (form(what) === FORM_POINT) {
			if (!wish.kinds.includes(idOf(what)))
				row.ticks.push(left, packed(TICKS[idOf(what) % TICKS.length]), 0.3 + 0.1 * (idOf(what) % 4));
			continue;
		}
		if (end - begin < wish.least)
			continue;
		const right = Math.max(left + 1, Math.ceil((Math.min(end, to) - wish.from) * scale - 0.5));
		const depth = Math.min(63, words[8 * i + 6]), line = useLine(row, depth), fill = paint(row.cpu, what);
		if (right - left === 1 && row.cpu && classOf(what) === INTERRUPT) {
			row.ticks.push(left, fill, 0.5);
			continue;
		}
		if (right - left === 1) {
			/* Of several on one pixel the longest is seen. */
			if (left < wide && end - begin >= line.weight[left]) {
				line.weight[left] = end - begin;
				line.colour[left] = fill;
			}
			continue;
		}
		/* Those that are wide enough have a gap between them. */
		line.colour.fill(fill, left, right - left > 5 && end <= to ? right - 1 : right);
		if (right - left > 30 * wish.ratio && row.height > 13 && classOf(what) !== NONE)
			nameIt(row, begin, depth, what, left, right);
	}
}

function nameIt(row, begin, depth, what, left, right) {
	const key = begin * 64 + depth, name = row.names.get(key);
	if (name)
		name.right = Math.max(name.right, right);
	else
		row.names.set(key, { what, left, right, depth });
}

function layLines(row) {
	const t = view.tracks[row.track], wide = image.width, clamp = v => Math.min(wide, Math.max(0, v));
	const now = new Uint32Array(wide), end = Math.min(image.height, row.top + row.tall);
	now.fill(packed(wish.ink.back));
	now.fill(packed(row.cpu ? wish.ink.idle : wish.ink.compute), clamp(Math.floor((t.begin - wish.from) * row.scale)),
		clamp(Math.ceil((t.end - wish.from) * row.scale)));
	let y = Math.max(0, row.top);
	for (let depth = 0; depth < Math.max(1, row.lines); depth++) {
		const until = depth + 1 >= row.lines ? end : Math.min(end, row.top + row.down(depth + 1));
		if (depth < row.lines) {
			const colour = pool[depth].colour;
			for (let i = 0; i < wide; i++)
				if (colour[i])
					now[i] = colour[i];
		}
		for (; y < until; y++)
			pixels.set(now, y * wide);
	}
}

function layTicks(row) {
	for (let i = 0; i < row.ticks.length; i += 3) {
		const [left, colour, part] = row.ticks.slice(i, i + 3);
		if (left < 0 || left >= image.width)
			continue;
		const until = Math.min(image.height, row.top + Math.ceil(row.tall * part));
		for (let y = Math.max(0, row.top); y < until; y++)
			pixels[y * image.width + left] = colour;
	}
}

/* A process that did not end as it should has a bar there. */
function layEnd(row) {
	const t = view.tracks[row.track], left = Math.round((t.end - wish.from) * row.scale);
	if (!t.ended || left < 0 || left >= image.width)
		return;
	const colour = packed(wish.ink.wait), until = Math.min(image.height, row.top + row.tall);
	for (let y = Math.max(0, row.top); y < until; y++)
		pixels.fill(colour, y * image.width + left, y * image.width + Math.min(image.width, left + Math.ceil(4 * wish.ratio)));
}

/* Waits that hybmon report found: a line below each row. */
function layWaits(row) {
	const list = waits.get(row.track) || [], tall = Math.max(2, Math.round(2 * wish.ratio)), wide = image.width;
	const colour = packed(wish.ink.wait), from = row.top + row.tall;
	for (const w of list) {
		if (w.end < wish.from || w.begin > wish.to || !wish.marks)
			continue;
		const left = Math.max(0, Math.floor((w.begin - wish.from) * row.scale));
		const right = Math.max(left + 1, Math.min(wide, Math.ceil((w.end - wish.from) * row.scale)));
		for (let y = Math.max(0, from); y < Math.min(image.height, from + tall); y++)
			pixels.fill(colour, y * wide + left, Math.min((y + 1) * wide, y * wide + right));
	}
}

const sums = new Float64Array(16);

/* Shares of classes in the columns of a tile, between two times. */
function layShares(tile, row, from, to) {
	const column = 2 ** tile.level, wide = image.width, perPixel = 1 / row.scale;
	const left = Math.max(0, Math.floor((from - wish.from) * row.scale));
	const right = Math.min(wide, Math.ceil((to - wish.from) * row.scale));
	const colour = CLASSES.map((c, i) => paint(row.cpu, i << 26)), mark = packed(wish.ink.dim), back = packed(wish.ink.back);
	const first = Math.max(0, row.top), end = Math.min(image.height, row.top + row.tall);
	for (let px = left; px < right; px++) {
		const begin = (wish.from + px * perPixel - tile.begin) / column, a = Math.max(0, Math.floor(begin));
		const b = Math.min(tile.count, Math.max(a + 1, Math.ceil(begin + perPixel / column)));
		let records = 0, below = 0, y = row.top + row.tall - 1;
		if (b <= a)
			continue;
		sums.fill(0);
		for (let i = a; i < b; i++) {
			records += tile.words[5 * i + 4];
			for (let c = 0; c < 16; c++)
				sums[c] += tile.shares[20 * i + c];
		}
		for (let c = 15; c >= 0; c--) {
			if (!sums[c])
				continue;
			below += sums[c] / 255 / (b - a);
			for (const until = row.top + Math.round(row.tall * (1 - Math.min(1, below))); y >= until; y--)
				if (y >= first && y < end)
					pixels[y * wide + px] = colour[c];
		}
		for (; y >= first; y--)
			if (y < end)
				pixels[y * wide + px] = back;
		/* However short what happened there is. */
		if (records && row.top >= 0 && row.top < image.height)
			pixels[row.top * wide + px] = mark;
	}
}

/* What is there of a row, and between which times; of an exact tile all of it, once. */
function tilesOf(row) {
	const perPixel = 1 / row.scale, level = Math.min(view.level, Math.max(0, Math.floor(Math.log2(perPixel))));
	const size = view.columns * 2 ** level, exact = new Set(), list = [];
	const from = Math.max(0, wish.from), to = Math.min(view.length, wish.to);
	for (let index = Math.floor(from / size); index <= Math.floor(to / size); index++) {
		const tile = find(row.track, level, index);
		if (tile && tile.exact && !exact.has(tile))
			list.push([tile, Math.max(from, tile.begin), Math.min(to, tile.begin + tile.length)]);
		else if (tile && !tile.exact)
			list.push([tile, Math.max(from, index * size), Math.min(to, (index + 1) * size)]);
		if (tile && tile.exact)
			exact.add(tile);
	}
	return list;
}

function paintRow(row) {
	const list = tilesOf(row);
	for (const [tile] of list.filter(t => t[0].exact))
		paintSlices(tile, row);
	layLines(row);
	for (const [tile, begin, end] of list.filter(t => !t[0].exact))
		layShares(tile, row, begin, end);
	layTicks(row);
	layWaits(row);
	layEnd(row);
}

/* Black or white, by what it is written on. */
function inkOn(colour) {
	const [r, g, b] = [colour & 255, colour >>> 8 & 255, colour >>> 16 & 255];
	return 0.299 * r + 0.587 * g + 0.114 * b > 150 ? "#000" : "#fff";
}

/* What there is to write in a row, before the next one uses its lines. Names end where something lies on them. */
function takeNames(row, texts) {
	const ratio = wish.ratio;
	for (const n of row.names.values()) {
		const y = row.css + (row.down(n.depth) + row.tall) / 2 / ratio + 4, left = Math.max(0, n.left);
		let right = Math.min(n.right, image.width);
		for (let depth = n.depth + 1; depth < row.lines; depth++) {
			const colour = pool[depth].colour;
			let i = left;
			while (i < right && !colour[i])
				i++;
			right = i;
		}
		const room = Math.floor(((right - left) / ratio - 6) / 6.6), name = nameOf(idOf(n.what));
		if (room < 3)
			continue;
		texts.push({ ink: inkOn(paint(row.cpu, n.what)), x: left / ratio + 3, y,
			text: name.length > room ? name.slice(0, room - 1) + "…" : name });
	}
}

/* Those of which both ends have a row, and that reach into the time that is shown. */
function linesInView() {
	const there = [], only = wish.comm;
	for (let i = 0; lines && i < lines.count; i++) {
		const sent = lines.times[5 * i], received = lines.times[5 * i + 1];
		if (Math.min(sent, received) <= wish.to && Math.max(sent, received) >= wish.from &&
		    rowOf.has(lines.words[10 * i + 4]) && rowOf.has(lines.words[10 * i + 5]) &&
		    (only === null || lines.words[10 * i + 6] === only) && Math.abs(received - sent) >= wish.least)
			there.push(i);
	}
	return there;
}

function drawLines(pen) {
	const there = linesInView(), step = Math.ceil(there.length / LINES), scale = wish.wide / (wish.to - wish.from);
	pen.globalAlpha = Math.min(1, Math.max(0.25, 300 / there.length));
	pen.strokeStyle = wish.ink.message;
	for (const collective of [true, false]) {
		pen.setLineDash(collective ? [5, 3] : []);
		pen.beginPath();
		for (let k = 0; k < there.length; k += step) {
			const i = there[k];
			if ((lines.words[10 * i + 7] === COLLECTIVE_TAG) !== collective)
				continue;
			pen.moveTo((lines.times[5 * i] - wish.from) * scale, middleOf(lines.words[10 * i + 4]));
			pen.lineTo((lines.times[5 * i + 1] - wish.from) * scale, middleOf(lines.words[10 * i + 5]));
		}
		pen.stroke();
	}
	pen.globalAlpha = 1;
	return { shown: Math.min(there.length, LINES),
		all: lines ? Math.round(there.length * lines.total / Math.max(1, lines.count)) : 0 };
}

function fit(wide, tall) {
	if (!painted || painted.width !== wide || painted.height !== tall) {
		painted = new OffscreenCanvas(wide, tall);
		image = new ImageData(wide, tall);
		pixels = new Uint32Array(image.data.buffer);
	}
}

function paintAll() {
	fit(Math.max(1, Math.round(wish.wide * wish.ratio)), Math.max(1, Math.round(wish.tall * wish.ratio)));
	const pen = painted.getContext("2d"), texts = [], curves = [];
	let messages = { shown: 0, all: 0 };
	pixels.fill(packed(wish.ink.back));
	wanted = [];
	for (const i of wish.rows.filter(i => order[i] >= 0)) {
		const row = newRow(order[i], topOf(i));
		if (isCurve(order[i])) {
			curves.push(row);
			continue;
		}
		paintRow(row);
		takeNames(row, texts);
	}
	const scales = paintCurves(curves);
	pen.setTransform(1, 0, 0, 1, 0, 0);
	pen.putImageData(image, 0, 0);
	pen.setTransform(wish.ratio, 0, 0, wish.ratio, 0, 0);
	pen.font = "12px system-ui, sans-serif";
	for (const t of texts) {
		pen.fillStyle = t.ink;
		pen.fillText(t.text, t.x, t.y);
	}
	if (wish.messages)
		messages = drawLines(pen);
	askForMore();
	return { bitmap: painted.transferToImageBitmap(), messages, scales, missing: wanted.length + asking.size };
}
