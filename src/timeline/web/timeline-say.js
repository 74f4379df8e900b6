/* What is said in words: what is under the pointer, sums of what is shown, where a region comes next, causes. */

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

/* ---- The worker's answers ---- */

const asked = new Map();
let questions = 0;

function ask(what, of) {
	return new Promise((good, bad) => {
		asked.set(++questions, { good, bad });
		worker.postMessage({ do: "ask", number: questions, what, of });
	});
}

function takeAnswer({ answer, value, error }) {
	const { good, bad } = asked.get(answer);
	asked.delete(answer);
	error ? bad(new Error(error)) : good(value);
}

/* ---- Under the pointer ---- */

function describe(slice) {
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

function describeLine(line) {
	const comm = view.comms.find(c => c[0] === line.comm);
	if (line.tag === COLLECTIVE_TAG)
		return [`collective operation: ${title(view.tracks[line.from])} came last of those that ` +
			`${title(view.tracks[line.to])} waited for`, comm ? comm[1] : "",
			`it began at ${exact(line.sent)}, and it was over here at ${exact(line.received)}`];
	return [`message from ${title(view.tracks[line.from])} to ${title(view.tracks[line.to])}`,
		`${many(line.bytes)} bytes, tag ${line.tag}${comm ? ", " + comm[1] : ""}`,
		`sent ${exact(line.sent)}, received ${exact(line.received)}`];
}

/* How a process ended, at its end. */
function ended({ track, time }) {
	const t = view.tracks[track];
	return t.ended && time > t.end - 5 * (state.to - state.from) / width() ? [t.ended] : [];
}

/* Asks once at a time what is there; the last place counts. */
async function lookUnder() {
	const row = mouse && mouse.x > LABELS && mouse.y > AXIS ? rows[rowAt(mouse.y)] : null;
	const key = row && row.track !== undefined ? [mouse.x, mouse.y, state.from, state.to, row.track,
		picture && picture.number].join() : "";
	if (lookUnder.busy || key === lookUnder.last)
		return;
	lookUnder.last = key;
	if (!key) {
		/* What is said is of what was there before. */
		if (state.under)
			dirty();
		state.under = null;
		return;
	}
	lookUnder.busy = true;
	const time = timeAt(mouse.x), near = (state.to - state.from) / width();
	const y = mouse.y - AXIS + (picture && !state.pinned.length ? box.scrollTop - picture.top : 0);
	try {
		state.under = { track: row.track, time, ...await ask("look", { track: row.track, time, y, near }) };
	} finally {
		lookUnder.busy = false;
	}
	if (state.under.wait)
		markFinding(state.under.wait.cause);
	dirty();
}

function tell() {
	const under = state.under;
	let said = null;
	lookUnder().catch(e => { failed = e.message; });
	if (failed)
		said = [failed];
	else if (under && under.level)
		said = describeLevel(under.track, under.level);
	else if (under)
		said = under.wait ? describeWait(under.wait) : under.line ? describeLine(under.line) : [`${title(view.tracks[under.track])}, at ${exact(under.time)}`,
			...under.slice ? describe(under.slice) : ["many events here: zoom in to see each"], ...ended(under)];
	else if (state.found)
		said = [...state.note ? [state.note] : [], ...state.found.wait ? describeWait(state.found.wait) :
			[title(view.tracks[state.found.track]), ...describe(state.found)]];
	else if (state.note)
		said = [state.note];
	else
		said = ["Point at something. Wheel: zoom. Drag: move. Shift and drag: select. ?: all keys."];
	const text = said.join("\n");
	if (text !== tell.last)
		info.replaceChildren(...said.map(line => make("p", {}, line)));
	tell.last = text;
}

/* ---- Sums ---- */

/* Of the selection, or of all that is shown: time by class, over the rows in the window. */
async function showSums() {
	const [a, b] = state.selected || [state.from, state.to];
	const tracks = tracksInView().filter(track => !isCpu(track)), from = Math.max(0, Math.round(a));
	const to = Math.max(from, Math.round(b));
	if (!tracks.length)
		return;
	const sums = await ask("sums", { from, to, tracks }), whole = sums.reduce((p, v) => p + v, 0) || 1;
	const items = CLASSES.map((c, i) => [c[0], sums[i], i]).filter(c => c[1]).sort((p, q) => q[1] - p[1]).map(([name, ns, i]) => {
		const mark = make("i");
		mark.style.background = coloursNow()[i] || ink.compute;
		return make("li", {}, mark, `${name} ${(100 * ns / whole).toFixed(1)}\u00a0%, ${span(ns)}`);
	});
	const of = `${tracks.length} thread${tracks.length === 1 ? "" : "s"}`, m = picture && picture.messages;
	sumsBox.replaceChildren(make("p", {}, `${state.selected ? "Selected" : "Shown"}: ${span(to - from)} of ${of}`),
		make("ul", { class: "legend" }, ...items),
		make("p", { class: "dim" }, state.messages && m && m.all > m.shown ?
			`${many(m.shown)} of about ${many(m.all)} messages are drawn.` : ""));
	await showRegions(from, to, tracks);
}

/* And by region, the longest first. */
async function showRegions(from, to, tracks) {
	const list = await ask("shares", { from, to, tracks }), whole = list.reduce((p, v) => p + v.ns, 0) || 1;
	regionsBox.replaceChildren(make("p", {}, list.length ? "By region, without what is inside of it" :
		"Zoom in to see it by region."), ...list.slice(0, 12).map(r => make("p", {},
		`${(100 * r.ns / whole).toFixed(1)}\u00a0%, ${span(r.ns)} ${r.id === NO_REGION ? "in no region" : nameOf(r.id)}` +
		(r.visits ? `, ${many(r.visits)} times` : ""))));
}

/* ---- Search and causes ---- */

/* To the next place of what is searched for, or the one before, on the rows in the window. */
async function jump(before) {
	const ids = state.search ? view.regions.map((r, id) => id).filter(id => view.regions[id] &&
		nameOf(id).toLowerCase().includes(state.search)) : [];
	const tracks = tracksInView();
	const now = state.found && state.found.begin >= state.from && state.found.begin <= state.to ? state.found.begin :
		before ? state.to : state.from;
	const half = (state.to - state.from) / 2;
	if (!ids.length || !tracks.length)
		return;
	state.note = null;
	state.found = await ask("find", { ids, tracks, time: Math.max(0, Math.round(now)), before });
	if (state.found)
		go(state.found.begin - half, state.found.begin + half, true);
	search.setCustomValidity(state.found ? "" : "there is no other one");
	search.reportValidity();
	dirty();
}

/* Of what is under the pointer, or was found. */
async function showCause() {
	const at = state.under && state.under.slice ? { track: state.under.track, slice: state.under.slice } :
		state.found && { track: state.found.track, slice: state.found };
	if (at)
		at.wait = state.under ? state.under.wait : state.found.wait;
	const cause = at && await ask("cause", { ...at, tracks: tracksInView() }), half = (state.to - state.from) / 2;
	if (!cause) {
		state.note = "No cause of that is known.";
	} else if (cause.track === undefined) {
		state.note = cause.why;
	} else {
		state.found = { begin: cause.time, end: cause.time, what: 0, detail: 0, ...cause.slice, track: cause.track };
		state.note = `${title(view.tracks[cause.track])}: ${cause.why}`;
		showTrack(cause.track);
		go(cause.time - half, cause.time + half, true);
	}
	mouse = state.under = null;
	dirty();
}
