/* In the worker: what lies somewhere, sums, where a region comes next, causes. */

const sliceOf = (tile, i) => ({ begin: tile.times[4 * i], end: tile.times[4 * i + 1], what: tile.words[8 * i + 4],
	detail: tile.words[8 * i + 5], depth: tile.words[8 * i + 6] });

/* The innermost slice there, or null. */
function sliceAt(track, time, near) {
	for (let level = 0; level <= view.level; level++) {
		const tile = cache.get(`${track}/${level}/${Math.floor(time / (view.columns * 2 ** level))}`);
		if (!tile || !tile.exact)
			continue;
		let best = null;
		for (let i = 0; i < tile.count; i++) {
			const s = sliceOf(tile, i), end = s.end < s.begin ? view.tracks[track].end : s.end;
			if (s.begin - near <= time && time <= end + near && (!best || s.depth >= best.depth))
				best = { ...s, end };
		}
		return best;
	}
	return null;
}

/* The message nearest to a place in the picture: time, and pixels from its top. */
function lineAt(time, y, nsPerPixel) {
	for (let i = 0; wish && lines && wish.messages && i < lines.count; i++) {
		const w = lines.words;
		if (!rowOf.has(w[10 * i + 4]) || !rowOf.has(w[10 * i + 5]))
			continue;
		const px = time / nsPerPixel, ax = lines.times[5 * i] / nsPerPixel, ay = middleOf(w[10 * i + 4]);
		const dx = lines.times[5 * i + 1] / nsPerPixel - ax, dy = middleOf(w[10 * i + 5]) - ay;
		const along = Math.min(1, Math.max(0, ((px - ax) * dx + (y - ay) * dy) / (dx ** 2 + dy ** 2 || 1)));
		if (Math.hypot(ax + along * dx - px, ay + along * dy - y) < 3)
			return { sent: lines.times[5 * i], received: lines.times[5 * i + 1], bytes: lines.times[5 * i + 4],
				from: w[10 * i + 4], to: w[10 * i + 5], comm: w[10 * i + 6], tag: w[10 * i + 7] };
	}
	return null;
}

/* A wait that hybmon report found, where its mark is. */
function waitAt(track, time, near) {
	return (waits.get(track) || []).find(w => w.begin - near <= time && time <= w.end + near) || null;
}

function lookAt({ track, time, y, near }) {
	if (isCurve(track))
		return { slice: null, wait: null, line: null, level: levelAt(track, time, near) };
	const slice = sliceAt(track, time, near), under = rowOf.has(track) && y - topOf(rowOf.get(track));
	return { slice, wait: wish && under > wish.height - 7 ? waitAt(track, time, near) : null, line: slice && form(slice.what) === FORM_POINT ? null : lineAt(time, y, near) };
}

/* ns by class, all tracks together. */
async function sumsOf({ from, to, tracks }) {
	const all = new Float64Array(16);
	if (embedded)
		tracks.forEach(track => addShares(track, from, to, all));
	else
		new Float64Array(await (await ask(`sums?from=${from}&until=${to}&tracks=${tracks}`)).arrayBuffer())
			.forEach((v, i) => { all[i % 16] += v; });
	return [...all];
}

/* The same of each track: pairs of track and sums. Of many tracks in several questions. */
async function eachOf({ from, to, tracks }) {
	const pairs = [];
	for (let i = 0; i < tracks.length; i += 500) {
		const some = tracks.slice(i, i + 500);
		const all = embedded ? null : new Float64Array(await (await ask(`sums?from=${from}&until=${to}&tracks=${some}`)).arrayBuffer());
		some.forEach((track, k) => {
			const own = new Float64Array(16);
			if (embedded)
				addShares(track, from, to, own);
			pairs.push([track, [...embedded ? own : all.subarray(16 * k, 16 * k + 16)]]);
		});
	}
	return pairs;
}

/* And by region, the longest first; empty where that would take too long. */
async function sharesOf({ from, to, tracks }) {
	if (embedded) {
		const regions = new Map();
		const all = tracks.every(track => addShares(track, from, to, new Float64Array(16), regions));
		return (all ? [...regions] : []).map(([id, ns]) => ({ id, ns })).sort((p, q) => q.ns - p.ns);
	}
	const answer = await fetch(`${base}shares?from=${from}&until=${to}&tracks=${tracks}`), list = [];
	const buffer = answer.ok ? await answer.arrayBuffer() : new ArrayBuffer(0), data = new DataView(buffer);
	for (let at = 0; at < buffer.byteLength; at += 16)
		list.push({ id: data.getUint32(at, true), visits: data.getUint32(at + 4, true), ns: data.getFloat64(at + 8, true) });
	return list;
}

/* What exact tiles, or columns, say: for a page without a server. False: regions are not known of all. */
function addShares(track, from, to, sums, regions) {
	const tiles = [find(track, view.level, 0)];
	let all = true;
	while (tiles.length) {
		const tile = tiles.pop(), size = tile ? tile.length : 0;
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
			addColumns(tile, from, to, sums);
	}
	return all;
}

function addColumns(tile, from, to, sums) {
	const column = 2 ** tile.level;
	for (let i = 0; i < tile.count; i++) {
		const at = tile.begin + i * column, part = Math.max(0, Math.min(to, at + column) - Math.max(from, at));
		for (let c = 0; part && c < 16; c++)
			sums[c] += tile.shares[20 * i + c] / 255 * part;
	}
}

function addSlices(tile, from, to, sums, regions) {
	const t = view.tracks[tile.track], stack = [];
	let at = Math.max(from, t.begin), now = NONE, region = NO_REGION;
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
			region = stack.length ? stack[stack.length - 1].region : NO_REGION;
		}
	};
	for (let i = 0; i < tile.count; i++) {
		const s = sliceOf(tile, i);
		close(s.begin);
		until(s.begin);
		now = classOf(s.what);
		if (form(s.what) === FORM_POINT)
			continue;
		region = idOf(s.what);
		stack.push({ end: s.end < s.begin ? Infinity : s.end, class: now, region });
	}
	close(to);
	until(to);
}

/* The next slice of one of the regions after a time, or the one before; null. */
async function findRegion({ ids, tracks, time, before }) {
	if (embedded)
		return findSlice(ids, tracks, time, before);
	const what = `find?time=${time}&before=${Number(before)}&regions=${ids.slice(0, 1000)}&tracks=${tracks}`;
	const data = new DataView(await (await ask(what)).arrayBuffer()), track = data.getUint32(16, true);
	return track === NO_REGION ? null : { track, begin: data.getFloat64(0, true), end: data.getFloat64(8, true),
		what: data.getUint32(20, true), detail: data.getUint32(24, true) };
}

/* The same among what is in the page. */
function findSlice(ids, tracks, time, before) {
	const regions = new Set(ids);
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
			if (form(what) !== FORM_POINT && regions.has(idOf(what)) && (before ? at < time && (!best || at > best.begin) :
				at > time && (!best || at < best.begin)))
				best = { ...sliceOf(tile, i), track };
		}
	}
	return best;
}

/* Those of the exact tiles that are known. */
function slicesIn(track, from, to) {
	const list = [];
	for (const tile of cache.values())
		for (let i = 0; tile.track === track && tile.exact && i < tile.count; i++)
			if (tile.times[4 * i] <= to && tile.times[4 * i + 1] >= from && form(tile.words[8 * i + 4]) !== FORM_POINT)
				list.push(sliceOf(tile, i));
	return list;
}

/* The rank that a text names, as a track; undefined: none. */
function trackOf(text) {
	const rank = /\(rank (\d+)/.exec(text);
	const track = rank ? view.tracks.findIndex(t => t.rank === Number(rank[1])) : -1;
	return track < 0 ? undefined : track;
}

/* Why a slice lasts, as far as it is known: where to look, and what that is; null. */
function causeOf({ track, slice, wait, tracks }) {
	if (wait)
		return there(wait.other, wait.end, "the one that was waited for came then");
	const said = new Map();
	for (let d = view.details[slice.detail]; d; d = view.details[d[0]])
		said.set(d[1], d[2]);
	if (classOf(slice.what) === PREEMPTED) {
		const who = said.get("held by") || said.get("next task");
		return who ? there(trackOf(who), slice.begin, `its CPU went to ${who}`) : null;
	}
	if (classOf(slice.what) === WAITING) {
		const who = said.get("woken by");
		return who ? there(trackOf(who), slice.end, `it was woken by ${who}`) : null;
	}
	for (let i = 0; lines && i < lines.count; i++) {
		const [sent, received] = [lines.times[5 * i], lines.times[5 * i + 1]];
		if (lines.words[10 * i + 5] === track && received >= slice.begin && received <= slice.end)
			return there(lines.words[10 * i + 4], sent, lines.words[10 * i + 7] === COLLECTIVE_TAG ?
				"this one came last" : "the message was sent here");
	}
	return classOf(slice.what) === COLLECTIVE ? lastOf(track, slice, tracks) : null;
}

function there(track, time, why) {
	const slice = track === undefined ? null : slicesIn(track, time, time).sort((a, b) => b.depth - a.depth)[0];
	return { track, time, why, slice: slice || null };
}

/* Among the rows in the window: who came last into the same operation. */
function lastOf(track, slice, tracks) {
	let latest = null;
	for (const one of tracks.filter(t => t !== track))
		for (const other of slicesIn(one, slice.begin, slice.end))
			if (idOf(other.what) === idOf(slice.what) && (!latest || other.begin > latest.begin))
				latest = { track: one, begin: other.begin };
	if (!latest || latest.begin <= slice.begin)
		return there(track, slice.begin, "nobody in the window came later");
	return there(latest.track, latest.begin, "this one came last");
}
