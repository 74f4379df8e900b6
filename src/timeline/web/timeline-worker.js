/*
 * The worker: what the page asks of it, one message each. Only the newest wish for a picture counts, so a page that moves
 * faster than pictures are painted gets as many as there can be, and shows the last one moved and stretched meanwhile.
 */

let soon = false, minis = null;

/* When what has come until then is looked at. */
function paintSoon() {
	if (soon || !wish)
		return;
	soon = true;
	setTimeout(paintNow, 0);
}

function paintNow() {
	soon = false;
	const begun = performance.now(), { bitmap, messages, scales, missing } = paintAll();
	postMessage({ picture: bitmap, number: wish.number, from: wish.from, to: wish.to, top: wish.top, wide: wish.wide,
		tall: wish.tall, messages, scales, missing, took: performance.now() - begun }, [bitmap]);
	if (minis)
		paintMini();
}

/* All of the run, of some of the rows. */
function paintMini() {
	const canvas = new OffscreenCanvas(minis.wide, minis.tall), pen = canvas.getContext("2d");
	const { tracks } = minis, high = (minis.tall - 2) / Math.max(1, tracks.length), scale = minis.wide / view.length;
	let whole = true;
	tracks.forEach((track, i) => {
		const tile = find(track, view.level, 0), cpu = isCpu(track);
		whole = whole && tile;
		for (let k = 0; tile && k < tile.count; k++) {
			if (tile.exact) {
				const s = sliceOf(tile, k);
				pen.fillStyle = colourOf(cpu, s.what);
				pen.fillRect(s.begin * scale, i * high, Math.max(0.5, (Math.max(s.begin, s.end) - s.begin) * scale), high);
				continue;
			}
			const shares = tile.shares.subarray(20 * k, 20 * k + 16);
			pen.fillStyle = colourOf(cpu, shares.indexOf(Math.max(...shares)) << 26);
			pen.fillRect(k * 2 ** tile.level * scale, i * high, 2 ** tile.level * scale + 0.5, high);
		}
	});
	if (whole)
		minis = null;
	const bitmap = canvas.transferToImageBitmap();
	postMessage({ mini: bitmap }, [bitmap]);
	askForMore();
}

const answers = { look: lookAt, sums: sumsOf, each: eachOf, shares: sharesOf, find: findRegion, cause: causeOf };

const deeds = {
	open(m) {
		base = m.base;
		embedded = m.tiles && JSON.parse(m.tiles);
		view = m.view;
	},
	view(m) {
		view = m.view;
		colours.clear();
		forget();
	},
	rows(m) {
		order = m.tracks;
		pinned = m.pinned;
		rowOf.clear();
		order.forEach((track, i) => track >= 0 && !rowOf.has(track) && rowOf.set(track, i));
	},
	wish(m) {
		const same = wish && wish.look === m.wish.look;
		wish = m.wish;
		if (!same)
			colours.clear();
		paintSoon();
	},
	waits(m) {
		waits = new Map();
		for (const [track, other, begin, end, kind, cause] of m.waits) {
			if (!waits.has(track))
				waits.set(track, []);
			waits.get(track).push({ track, other, begin, end, kind, cause });
		}
		paintSoon();
	},
	mini(m) {
		minis = m;
		if (wish)
			paintMini();
	},
	lines: m => fetchLines(m.from, m.to, m.tracks).catch(e => postMessage({ failed: "hybmon view does not answer: " + e.message })),
	async ask(m) {
		let value = null, error = null;
		try {
			value = await answers[m.what](m.of);
		} catch (e) {
			error = e.message;
		}
		postMessage({ answer: m.number, value, error });
	},
};

onmessage = e => deeds[e.data.do](e.data);
