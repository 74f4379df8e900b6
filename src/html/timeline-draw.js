"use strict";
/* What is on the canvas: rows of slices or shares, messages, the axis, and all of the run above. */

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
	if (c === TASK && /^hybmon/.test(nameOf(id)))
		return "#cc3d3d";
	if (c === TASK && nameOf(id) === "other")
		return "#8a8f94";
	return TASKS[id % TASKS.length];
}

const nameOf = id => view.regions[id] ? view.regions[id][0] : "?";
const matches = id => !state.search || nameOf(id).toLowerCase().includes(state.search);

function drawExact(tile, y, height, from, to) {
	const scale = width() / (state.to - state.from), depths = view.tracks[tile.track].depth;
	const inset = depths > 1 ? Math.min(4, (height - 6) / depths) : 0;
	const painted = []; /* by depth: the pixel and the colour that came last, of slices narrower than that */
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
		const fill = colour(tile.track, what), spot = Math.round(left * devicePixelRatio);
		if (wide <= 1 && painted[depth] && painted[depth][0] === spot && painted[depth][1] === fill)
			continue;
		if (wide <= 1)
			painted[depth] = [spot, fill];
		pen.fillStyle = fill;
		pen.fillRect(left, y + down, wide, height - down);
		/* A name ends where something lies on it. */
		names = names.filter(n => {
			n.right = left >= n.left ? Math.min(n.right, left) : n.right;
			return n.right - n.left > 30;
		});
		if (wide > 30 && height > 13 && classOf(what) !== NONE)
			names.push({ name: nameOf(idOf(what)), left, right: left + wide, down });
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

/* As the pixels of an image have it. */
function packed(text) {
	const hex = text.length === 4 ? [...text.slice(1)].map(c => c + c).join("") : text.slice(1);
	const [r, g, b] = [0, 2, 4].map(i => parseInt(hex.slice(i, i + 2), 16));
	return (255 << 24 | b << 16 | g << 8 | r) >>> 0;
}

/* One image: rectangles for each class of each column take ten times as long. */
function drawDensity(tile, y, height, from, to) {
	const ratio = devicePixelRatio, column = 2 ** tile.level, cpu = view.tracks[tile.track].kind === "cpu";
	const left = Math.max(LABELS * ratio, Math.floor(x(from) * ratio));
	const right = Math.min(stage.width, Math.ceil(x(to) * ratio));
	const wide = right - left, tall = Math.round(height * ratio);
	if (wide <= 0)
		return;
	const image = pen.createImageData(wide, tall), pixels = new Uint32Array(image.data.buffer);
	const colours = CLASSES.map((c, i) => packed(i !== NONE ? c[1] : cpu ? ink.idle : ink.compute));
	const mark = packed(ink.dim), sums = new Float64Array(16);
	pixels.fill(packed(ink.back));
	for (let px = 0; px < wide; px++) {
		const begin = timeAt((left + px) / ratio) - tile.begin, end = timeAt((left + px + 1) / ratio) - tile.begin;
		const first = Math.max(0, Math.floor(begin / column));
		const last = Math.min(tile.count, Math.max(first + 1, Math.ceil(end / column)));
		let records = 0, below = 0;
		sums.fill(0);
		for (let i = first; i < last; i++) {
			records += tile.words[5 * i + 4];
			for (let c = 0; c < 16; c++)
				sums[c] += tile.shares[20 * i + c] / 255 / (last - first);
		}
		for (let c = 15, row = tall; c >= 0; c--) {
			below += sums[c];
			for (const until = Math.max(0, Math.round(tall * (1 - below))); row > until;)
				pixels[--row * wide + px] = colours[c];
		}
		/* However short what happened there is. */
		if (records)
			pixels[px] = mark;
	}
	pen.putImageData(image, left, Math.round(y * ratio));
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
	const there = linesInView(place), step = Math.ceil(there.length / LINES);
	pen.strokeStyle = ink.message;
	pen.lineWidth = 1;
	pen.globalAlpha = Math.min(1, Math.max(0.25, 300 / there.length));
	pen.beginPath();
	for (let k = 0; k < there.length; k += step) {
		const i = there[k], from = place.get(lines.words[10 * i + 4]), to = place.get(lines.words[10 * i + 5]);
		pen.moveTo(x(lines.times[5 * i]), above(from) + state.height / 2);
		pen.lineTo(x(lines.times[5 * i + 1]), above(to) + state.height / 2);
	}
	pen.stroke();
	pen.globalAlpha = 1;
}

/* Those of which both ends have a row, and that reach into the time that is shown. */
function linesInView(place) {
	const there = [];
	for (let i = 0; lines && i < lines.count; i++) {
		const sent = lines.times[5 * i], received = lines.times[5 * i + 1];
		if (Math.min(sent, received) <= state.to && Math.max(sent, received) >= state.from &&
		    place.has(lines.words[10 * i + 4]) && place.has(lines.words[10 * i + 5]))
			there.push(i);
	}
	drawLines.shown = Math.min(there.length, LINES);
	drawLines.all = lines ? Math.round(there.length * lines.total / Math.max(1, lines.count)) : 0;
	return there;
}

function drawMini() {
	const [wide, tall] = fit(mini), p = mini.getContext("2d"), tracks = tracksOf(rows);
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
	const found = state.found && rows.findIndex(r => r.track === state.found.track);
	if (state.found && found >= 0) {
		pen.strokeStyle = ink.mark;
		pen.lineWidth = 2;
		const left = x(state.found.begin), right = x(Math.max(state.found.begin, state.found.end));
		pen.strokeRect(left - 2, above(found) - 1, Math.max(1, right - left) + 4, state.height);
	}
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
