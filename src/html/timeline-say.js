"use strict";
/* What is said in words: what is under the pointer, sums of what is shown, where a region comes next, causes. */

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
	const said = [nameOf(id), slice.end < slice.begin ? `from ${exact(slice.begin)} on` :
		`${span(slice.end - slice.begin)}, from ${exact(slice.begin)} to ${exact(slice.end)}`];
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
		const dx = bx - ax, dy = by - ay;
		const along = Math.min(1, Math.max(0, ((px - ax) * dx + (py - ay) * dy) / (dx ** 2 + dy ** 2 || 1)));
		if (Math.hypot(ax + along * dx - px, ay + along * dy - py) < 3) {
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
	if (!said && state.found)
		said = [...state.note ? [state.note] : [], title(view.tracks[state.found.track]),
			...describe(state.found.track, state.found)];
	if (!said && state.note)
		said = [state.note];
	if (!said)
		said = ["Point at something. Wheel: zoom. Drag: move. Shift and drag: select. ?: all keys."];
	const text = said.join("\n");
	if (text !== tell.last)
		info.replaceChildren(...said.map(line => make("p", {}, line)));
	tell.last = text;
}

/* Of the selection, or of all that is shown: time by class, over the rows in the window. */
async function showSums() {
	const [from, to] = state.selected || [state.from, state.to];
	const tracks = tracksInView().filter(track => view.tracks[track].kind !== "cpu");
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
	const of = `${tracks.length} thread${tracks.length === 1 ? "" : "s"}`;
	sumsBox.replaceChildren(make("p", {}, `${state.selected ? "Selected" : "Shown"}: ${span(b - a)} of ${of}`),
		make("ul", { class: "legend" }, ...items),
		make("p", { class: "dim" }, state.messages && drawLines.all > drawLines.shown ?
			`${many(drawLines.shown)} of about ${many(drawLines.all)} messages are drawn.` : ""));
	showRegions(a, b, tracks);
}

/* And by region, the longest first. */
async function showRegions(from, until, tracks) {
	const list = [];
	if (embedded) {
		const sums = new Map();
		const all = tracks.every(track => addShares(track, from, until, new Float64Array(16), sums));
		list.push(...(all ? [...sums] : []).map(([id, ns]) => ({ id, ns })).sort((p, q) => q.ns - p.ns));
	} else {
		const answer = await fetch(`shares?from=${from}&until=${until}&tracks=${tracks}`);
		const buffer = answer.ok ? await answer.arrayBuffer() : new ArrayBuffer(0), data = new DataView(buffer);
		for (let at = 0; at < buffer.byteLength; at += 16)
			list.push({ id: data.getUint32(at, true), visits: data.getUint32(at + 4, true), ns: data.getFloat64(at + 8, true) });
	}
	const whole = list.reduce((p, v) => p + v.ns, 0) || 1;
	regionsBox.replaceChildren(make("p", {}, list.length ? "By region, without what is inside of it" :
		"Zoom in to see it by region."), ...list.slice(0, 12).map(r => make("p", {},
		`${(100 * r.ns / whole).toFixed(1)}\u00a0%, ${span(r.ns)} ${r.id === 0xffffffff ? "in no region" : nameOf(r.id)}` +
		(r.visits ? `, ${many(r.visits)} times` : ""))));
}

/* What exact tiles, or columns, say: for a page without a server. False: regions are not known of all. */
function addShares(track, from, to, sums, regions) {
	const tiles = [find(track, view.level, 0)];
	let all = true;
	while (tiles.length) {
		const tile = tiles.pop(), size = tile ? view.columns * 2 ** tile.level : 0;
		if (!tile || tile.begin > to || tile.begin + size < from)
			continue;
		const halves = tile.exact || !tile.level ? [] : [0, 1].map(h => known(track, tile.level - 1, 2 * tile.index + h));
		if (halves.length && halves.every(h => h))
			tiles.push(...halves);
		else if (tile.exact)
			addSlices(tile, Math.max(from, tile.begin), Math.min(to, tile.begin + size), sums, regions);
		else if (regions)
			all = false;
		else
			for (let i = 0; i < tile.count; i++) {
				const column = 2 ** tile.level, at = tile.begin + i * column;
				const part = Math.max(0, Math.min(to, at + column) - Math.max(from, at));
				for (let c = 0; part && c < 16; c++)
					sums[c] += tile.shares[20 * i + c] / 255 * part;
			}
	}
	return all;
}

function addSlices(tile, from, to, sums, regions) {
	const t = view.tracks[tile.track], stack = [];
	let at = Math.max(from, t.begin), now = NONE, region = 0xffffffff;
	const until = time => {
		const end = Math.min(Math.max(time, at), Math.min(to, t.end));
		sums[now] += Math.max(0, end - at);
		if (regions && end > at)
			regions.set(region, (regions.get(region) || 0) + end - at);
		at = Math.max(at, end);
	};
	const close = time => {
		while (stack.length && stack[stack.length - 1].end <= time) {
			until(stack.pop().end);
			now = stack.length ? stack[stack.length - 1].class : NONE;
			region = stack.length ? stack[stack.length - 1].region : 0xffffffff;
		}
	};
	for (let i = 0; i < tile.count; i++) {
		const begin = tile.times[4 * i], what = tile.words[8 * i + 4];
		const end = tile.times[4 * i + 1] < begin ? Infinity : tile.times[4 * i + 1];
		close(begin);
		until(begin);
		now = classOf(what);
		if (form(what) === FORM_POINT)
			continue;
		region = idOf(what);
		stack.push({ end, class: now, region });
	}
	close(to);
	until(to);
}

/* To the next place of what is searched for, or the one before, on the rows in the window. */
async function jump(before) {
	const ids = state.search ? view.regions.map((r, id) => id).filter(id => view.regions[id] && matches(id)) : [];
	const tracks = tracksInView();
	const now = state.found && state.found.begin >= state.from && state.found.begin <= state.to ? state.found.begin :
		before ? state.to : state.from;
	const time = Math.max(0, Math.round(now)), half = (state.to - state.from) / 2;
	if (!ids.length || !tracks.length)
		return;
	state.note = null;
	state.found = embedded ? findSlice(ids, tracks, time, before) : await askFor(ids, tracks, time, before);
	if (state.found)
		go(state.found.begin - half, state.found.begin + half, true);
	search.setCustomValidity(state.found ? "" : "there is no other one");
	search.reportValidity();
	dirty();
}

/* The rank that a text names, as a track; undefined: none. */
function trackOf(text) {
	const rank = /\(rank (\d+)/.exec(text);
	const track = rank ? view.tracks.findIndex(t => t.rank === Number(rank[1])) : -1;
	return track < 0 ? undefined : track;
}

/* Why a slice lasts, as far as it is known: where to look, and what that is; null. */
function causeOf(track, slice) {
	const said = new Map();
	for (let d = view.details[slice.detail]; d; d = view.details[d[0]])
		said.set(d[1], d[2]);
	if (classOf(slice.what) === PREEMPTED) {
		const who = said.get("held by") || said.get("next task");
		return who ? { track: trackOf(who), time: slice.begin, why: `its CPU went to ${who}` } : null;
	}
	if (classOf(slice.what) === WAITING) {
		const who = said.get("woken by");
		return who ? { track: trackOf(who), time: slice.end, why: `it was woken by ${who}` } : null;
	}
	if (classOf(slice.what) === COLLECTIVE)
		return lastOf(track, slice);
	for (let i = 0; lines && i < lines.count; i++) {
		const [sent, received] = [lines.times[5 * i], lines.times[5 * i + 1]];
		if (lines.words[10 * i + 5] === track && received >= slice.begin && received <= slice.end)
			return { track: lines.words[10 * i + 4], time: sent, why: "the message was sent here" };
	}
	return null;
}

/* Among the rows in the window: who came last into the same operation. */
function lastOf(track, slice) {
	let latest = null;
	for (const one of tracksInView().filter(t => t !== track))
		for (const other of slicesIn(one, slice.begin, slice.end))
			if (idOf(other.what) === idOf(slice.what) && (!latest || other.begin > latest.begin))
				latest = { track: one, begin: other.begin };
	if (!latest || latest.begin <= slice.begin)
		return { track, time: slice.begin, why: "nobody in the window came later" };
	return { track: latest.track, time: latest.begin, why: "this one came last" };
}

/* Those of the exact tiles that are known. */
function slicesIn(track, from, to) {
	const list = [];
	for (const tile of cache.values())
		for (let i = 0; tile.track === track && tile.exact && i < tile.count; i++)
			if (tile.times[4 * i] <= to && tile.times[4 * i + 1] >= from && form(tile.words[8 * i + 4]) !== FORM_POINT)
				list.push({ begin: tile.times[4 * i], end: tile.times[4 * i + 1], what: tile.words[8 * i + 4],
					detail: tile.words[8 * i + 5], depth: tile.words[8 * i + 6] });
	return list;
}

/* Of what is under the pointer, or was found. */
function showCause() {
	const row = mouse && rows[rowAt(mouse.y)], time = mouse && timeAt(mouse.x);
	const under = row && row.track !== undefined && mouse.x > LABELS ?
		sliceAt(row.track, time, (state.to - state.from) / width()) : null;
	const slice = under || state.found, track = under ? row.track : state.found && state.found.track;
	const cause = slice && causeOf(track, slice), half = (state.to - state.from) / 2;
	if (!cause) {
		state.note = "No cause of that is known.";
	} else if (cause.track === undefined) {
		state.note = cause.why;
	} else {
		const there = slicesIn(cause.track, cause.time, cause.time).sort((a, b) => b.depth - a.depth)[0];
		state.found = { begin: cause.time, end: cause.time, what: 0, detail: 0, ...there, track: cause.track };
		state.note = `${title(view.tracks[cause.track])}: ${cause.why}`;
		go(cause.time - half, cause.time + half, true);
	}
	mouse = null;
	dirty();
}

async function askFor(ids, tracks, time, before) {
	const what = `find?time=${time}&before=${Number(before)}&regions=${ids.slice(0, 1000)}&tracks=${tracks}`;
	const data = new DataView(await (await ask(what)).arrayBuffer()), track = data.getUint32(16, true);
	return track === 0xffffffff ? null : { track, begin: data.getFloat64(0, true), end: data.getFloat64(8, true),
		what: data.getUint32(20, true), detail: data.getUint32(24, true) };
}

/* The same among what is in the page. */
function findSlice(ids, tracks, time, before) {
	const wish = new Set(ids);
	let best = null;
	for (const key of Object.keys(embedded)) {
		const [track, level, index] = key.split("/").map(Number), begin = index * view.columns * 2 ** level;
		const end = begin + view.columns * 2 ** level;
		if (!tracks.includes(track) || (before ? begin >= time || (best && end <= best.begin) :
			end <= time || (best && begin >= best.begin)))
			continue;
		const tile = known(track, level, index);
		for (let i = 0; tile && tile.exact && i < tile.count; i++) {
			const at = tile.times[4 * i], what = tile.words[8 * i + 4];
			if (form(what) !== FORM_POINT && wish.has(idOf(what)) && (before ? at < time && (!best || at > best.begin) :
				at > time && (!best || at < best.begin)))
				best = { track, begin: at, end: tile.times[4 * i + 1], what, detail: tile.words[8 * i + 5] };
		}
	}
	return best;
}

async function fetchLines() {
	const tracks = tracksInView();
	let buffer = null;
	if (embedded)
		buffer = fromBase64(embedded.lines);
	else if (tracks.length)
		buffer = await (await ask(`lines?from=${Math.max(0, Math.round(state.from))}` +
			`&until=${Math.max(0, Math.round(state.to))}&tracks=${tracks}`)).arrayBuffer();
	if (!buffer)
		return;
	const head = new DataView(buffer);
	lines = { count: head.getUint32(0, true), total: head.getFloat64(8, true), times: new Float64Array(buffer, 16),
		words: new Uint32Array(buffer, 16) };
	dirty();
}
