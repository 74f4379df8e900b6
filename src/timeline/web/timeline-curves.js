/* Counters as curves: each has a row beneath the one of its track, and comes after all tracks as if it were one. */

const CURVES_SHOWN = 64; /* if there are more, none is shown before it is asked for */
let curvesOf = new Map(); /* of each track those that it has */

function addCurves(v) {
	const names = new Set(v.curves.map(c => c.name));
	if (addCurves.names === undefined && v.curves.length > CURVES_SHOWN)
		state.curvesOff = new Set(names);
	addCurves.names = [...names].sort();
	curvesOf = new Map();
	v.curves.forEach((c, i) => {
		if (!curvesOf.has(c.track))
			curvesOf.set(c.track, []);
		curvesOf.get(c.track).push(v.tracks.length);
		v.tracks.push({ ...v.tracks[c.track], kind: "curve", of: c.track, curve: i, name: c.name, unit: c.unit,
			depth: 0, ended: undefined });
	});
	return v;
}

const curveRows = (track, level) => state.hidden.has(keyOf(track)) || !passes(track) ? [] :
	(curvesOf.get(track) || []).filter(isShown).map(curve => ({ key: keyOf(curve), level, track: curve }));

function amount(value, unit) {
	const [by, sign] = [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"]].find(p => Math.abs(value) >= p[0]) || [1, ""];
	return `${Number((value / by).toPrecision(4))}\u00a0${sign}${unit.replace(/^#/, "")}`.trim();
}

function describeLevel(track, { least, mean, most }) {
	const t = view.tracks[track], said = [`${title(view.tracks[t.of])}: ${t.name}`];
	if (mean === null)
		said.push("nothing is known here");
	else if (least === most)
		said.push(amount(mean, t.unit));
	else
		said.push(`${amount(mean, t.unit)} in the mean, from ${amount(least, t.unit)} to ${amount(most, t.unit)}`);
	const scale = picture && picture.scales.get(t.name);
	return scale ? [...said, `the row is from ${amount(scale[0], t.unit)} to ${amount(scale[1], t.unit)}`] : said;
}

/* Switches of them, by counter. */
function curveToggles() {
	return addCurves.names.map(name => toggle(name, !state.curvesOff.has(name), on => {
		on ? state.curvesOff.delete(name) : state.curvesOff.add(name);
		layOut();
		looksNew();
	}));
}
