/* In the worker: curves. Of each pixel's column it is found first what there is: the least, the greatest, and the mean value. */

const spare = []; /* of pictures before */

function newLevels(wide) {
	const levels = spare.pop();
	if (!levels || levels.least.length !== wide)
		return { least: new Float64Array(wide).fill(Infinity), most: new Float64Array(wide).fill(-Infinity),
			area: new Float64Array(wide), weight: new Float64Array(wide) };
	levels.least.fill(Infinity);
	levels.most.fill(-Infinity);
	levels.area.fill(0);
	levels.weight.fill(0);
	return levels;
}

function addLevel(levels, px, least, most, mean, weight) {
	levels.least[px] = Math.min(levels.least[px], least);
	levels.most[px] = Math.max(levels.most[px], most);
	levels.area[px] += mean * weight;
	levels.weight[px] += weight;
}

/* Values of an exact tile, each of which holds until the next one. */
function addValues(tile, row, from, to) {
	const wide = image.width, last = Math.min(to, view.tracks[tile.track].end);
	for (let i = 0; i < tile.count; i++) {
		const value = tile.times[2 * i + 1], until = i + 1 < tile.count ? tile.times[2 * i + 2] : last;
		const begin = Math.max(from, tile.times[2 * i]), end = Math.min(until, last);
		if (end <= begin)
			continue;
		const left = Math.max(0, Math.floor((begin - wish.from) * row.scale));
		const right = Math.min(wide, Math.max(left + 1, Math.ceil((end - wish.from) * row.scale)));
		for (let px = left; px < right; px++) {
			const at = wish.from + px / row.scale;
			addLevel(row.levels, px, value, value, value, Math.max(1e-9, Math.min(end, at + 1 / row.scale) - Math.max(begin, at)));
		}
	}
}

/* Columns of a tile that has more. */
function addTileColumns(tile, row, from, to) {
	const column = 2 ** tile.level, perPixel = 1 / row.scale, { levels: list } = tile;
	const left = Math.max(0, Math.floor((from - wish.from) * row.scale));
	const right = Math.min(image.width, Math.ceil((to - wish.from) * row.scale));
	for (let px = left; px < right; px++) {
		const begin = (wish.from + px * perPixel - tile.begin) / column, a = Math.max(0, Math.floor(begin));
		const b = Math.min(tile.count, Math.max(a + 1, Math.ceil(begin + perPixel / column)));
		for (let i = a; i < b; i++)
			if (list[3 * i + 2] === list[3 * i + 2])
				addLevel(row.levels, px, list[3 * i], list[3 * i + 1], list[3 * i + 2], column);
	}
}

/* 1, 2 or 5 times a power of ten, so that it seldom changes while one moves. */
function roundUp(value) {
	const power = 10 ** Math.floor(Math.log10(value || 1));
	return value ? [1, 2, 5, 10].find(s => s * power >= value * 0.9999) * power : 0;
}

/*
 * From which value to which the rows of each counter go: its means in the picture, and 0. What is greater for a shorter
 * time than a pixel has, as a rate between two readings that follow each other closely, is cut off.
 */
function scalesOf(list) {
	const scales = new Map();
	for (const { track, levels } of list) {
		const { name } = view.tracks[track], scale = scales.get(name) || [0, 0];
		for (let px = 0; px < levels.weight.length; px++) {
			const mean = levels.weight[px] ? levels.area[px] / levels.weight[px] : 0;
			scale[0] = Math.min(scale[0], mean);
			scale[1] = Math.max(scale[1], mean);
		}
		scales.set(name, scale);
	}
	for (const scale of scales.values()) {
		scale[0] = -roundUp(-scale[0]);
		scale[1] = roundUp(scale[1]);
	}
	return scales;
}

/* Filled up to the mean, with a line from the least to the greatest. */
function layLevels(row, [least, most]) {
	const wide = image.width, top = Math.max(0, row.top), end = Math.min(image.height, row.top + row.tall), { levels } = row;
	const range = most - least || 1, fill = packed(wish.ink.compute), line = packed(wish.ink.mark);
	const y = value => row.top + row.tall - 1 - Math.round(Math.min(1, Math.max(0, (value - least) / range)) * (row.tall - 1));
	const zero = y(0);
	for (let px = 0; px < wide; px++) {
		if (!levels.weight[px])
			continue;
		const mean = y(levels.area[px] / levels.weight[px]), high = y(levels.most[px]), low = y(levels.least[px]);
		for (let at = Math.max(top, high); at <= low && at < end; at++)
			pixels[at * wide + px] = fill;
		for (let at = Math.max(top, Math.min(mean, zero)); at <= Math.max(mean, zero) && at < end; at++)
			pixels[at * wide + px] = line;
	}
}

function findLevels(row) {
	row.levels = newLevels(image.width);
	for (const [tile, begin, end] of tilesOf(row)) {
		if (tile.exact)
			addValues(tile, row, begin, end);
		else
			addTileColumns(tile, row, begin, end);
	}
}

/* All rows of curves at once, since those of a counter have one scale. */
function paintCurves(list) {
	list.forEach(findLevels);
	const scales = scalesOf(list);
	for (const row of list) {
		layLevels(row, scales.get(view.tracks[row.track].name));
		spare.push(row.levels);
	}
	return scales;
}

/* What there is of a curve at a time, or so near to it. */
function levelAt(track, time, near) {
	for (let level = 0; level <= view.level; level++) {
		const tile = cache.get(`${track}/${level}/${Math.floor(time / (view.columns * 2 ** level))}`);
		if (!tile || (!tile.exact && 2 ** level < near / 2))
			continue;
		if (!tile.exact) {
			const i = Math.floor((time - tile.begin) / 2 ** level), [least, most, mean] = tile.levels.slice(3 * i, 3 * i + 3);
			return { least, most, mean: mean === mean ? mean : null };
		}
		let value = null;
		for (let i = 0; i < tile.count && tile.times[2 * i] <= time; i++)
			value = tile.times[2 * i + 1];
		return { least: value, most: value, mean: time <= view.tracks[track].end ? value : null };
	}
	return { least: null, most: null, mean: null };
}
