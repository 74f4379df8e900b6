/* In the worker: where tiles and messages come from, and which tiles are kept. */

const PAGE_TILES = 96 << 20, AT_ONCE = 6;
let embedded = null; /* of a page without a server: tiles in base64, by their names */
let base = ""; /* the server's address, with the token */

function fromBase64(text) {
	const bytes = atob(text), array = new Uint8Array(bytes.length);
	for (let i = 0; i < bytes.length; i++)
		array[i] = bytes.charCodeAt(i);
	return array.buffer;
}

async function ask(what) {
	const answer = await fetch(base + what);
	if (!answer.ok)
		throw new Error(await answer.text());
	return answer;
}

function readTile(track, level, index, buffer) {
	const head = new DataView(buffer), count = head.getUint32(4, true);
	return {
		track, level, index, count, bytes: buffer.byteLength, exact: head.getUint32(0, true) === 0,
		begin: head.getFloat64(8, true), records: head.getFloat64(16, true), length: view.columns * 2 ** level,
		times: new Float64Array(buffer, 24, Math.floor((buffer.byteLength - 24) / 8)),
		words: new Uint32Array(buffer, 24), shares: new Uint8Array(buffer, 24), levels: new Float32Array(buffer, 24),
	};
}

const cache = new Map(); /* "track/level/index" to its tile; the one used longest ago comes first */
let cached = 0, wanted = [], asking = new Set(), failed = "", generation = 0;

function forget() {
	cache.clear();
	cached = 0;
	generation++;
}

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
	const asked = generation;
	while (asking.size < AT_ONCE && wanted.length) {
		const [track, level, index] = wanted.shift(), key = `${track}/${level}/${index}`;
		if (asking.has(key) || cache.has(key))
			continue;
		asking.add(key);
		const what = isCurve(track) ? `curve?curve=${view.tracks[track].curve}` : `tile?track=${track}`;
		ask(`${what}&level=${level}&index=${index}`).then(a => a.arrayBuffer()).then(buffer => {
			if (asked === generation)
				keep(key, readTile(track, level, index, buffer));
			failed = "";
		}).catch(e => {
			failed = "hybmon view does not answer: " + e.message;
			postMessage({ failed });
		}).finally(() => {
			asking.delete(key);
			paintSoon();
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

/* The messages in a time that have an end on one of the tracks, or some of them. */
async function fetchLines(from, to, tracks) {
	let buffer = null;
	if (embedded)
		buffer = lines ? null : fromBase64(embedded.lines);
	else if (tracks.length)
		buffer = await (await ask(`lines?from=${Math.max(0, Math.round(from))}` +
			`&until=${Math.max(0, Math.round(to))}&tracks=${tracks}`)).arrayBuffer();
	if (!buffer)
		return;
	const head = new DataView(buffer);
	lines = { count: head.getUint32(0, true), total: head.getFloat64(8, true), times: new Float64Array(buffer, 16),
		words: new Uint32Array(buffer, 16) };
	paintSoon();
}
let lines = null;
