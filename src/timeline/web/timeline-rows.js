/* Which rows there are, in which order, and where each is on the screen. */

const LABELS = 190, AXIS = 26;
let rows = []; /* { key, level, head or track, folds } */

function title(t) {
	const rank = t.rank === undefined ? "process " + t.process : "rank " + t.rank;
	if (t.kind === "cpu")
		return "CPU " + t.cpu;
	if (t.kind === "curve")
		return t.name.replace(/ per second$/, "");
	return t.name.startsWith("Master") ? rank : rank + " " + t.name.replace("thread ", "");
}

/* By host: CPUs, and processes with their threads. */
function hostsOf() {
	const hosts = new Map();
	view.tracks.forEach((t, track) => {
		if (isCurve(track))
			return;
		if (!hosts.has(t.host))
			hosts.set(t.host, { cpus: [], processes: new Map() });
		const host = hosts.get(t.host);
		if (t.kind === "cpu")
			host.cpus.push([track]);
		else if (host.processes.has(t.process))
			host.processes.get(t.process).push(track);
		else
			host.processes.set(t.process, [track]);
	});
	return hosts;
}

const keyOf = track => "track " + track;

/* Groups of rows that stay together: a CPU, or a process with its threads; each with its curves. */
function addGroups(groups, level) {
	for (const [first, ...others] of inOrder(groups)) {
		const key = keyOf(first), inner = [...curveRows(first, level + 1), ...others.flatMap(track => [
			...isShown(track) ? [{ key: keyOf(track), level: level + 1, track }] : [], ...curveRows(track, level + 2)])];
		if (isShown(first))
			rows.push({ key, level, track: first, folds: inner.length > 0 });
		if (!state.folded.has(key))
			rows.push(...inner);
	}
}

const isShown = track => !state.hidden.has(keyOf(track)) && !state.pinned.includes(track) && passes(track);

function layOut() {
	const focus = rows[state.focus] && rows[state.focus].key;
	rows = state.pinned.map(track => ({ key: keyOf(track), level: 1, track, pinned: true }));
	for (const [name, host] of hostsOf()) {
		for (const [what, one, groups] of [["CPUs", "CPU", host.cpus],
			["processes", "process", [...host.processes.values()]]]) {
			const key = what + " " + name;
			if (!groups.length)
				continue;
			rows.push({ key, level: 1, head: `${name}: ${groups.length} ${groups.length > 1 ? what : one}`, folds: true });
			if (!state.folded.has(key))
				addGroups(groups, 2);
		}
	}
	state.focus = Math.max(0, rows.findIndex(r => r.key === focus));
	layOut.done = (layOut.done || 0) + 1;
	dirty();
}

const pinnedHeight = () => state.pinned.length * state.height;

/* Of a row, from the top of the stage. */
function above(row) {
	return AXIS + row * state.height - (row < state.pinned.length ? 0 : box.scrollTop);
}

function rowAt(y) {
	const at = y - AXIS;
	return Math.floor((at < pinnedHeight() ? at : at + box.scrollTop) / state.height);
}

/* Those that scroll and can be seen, with so many more. */
function visible(more) {
	const first = Math.floor(box.scrollTop / state.height) + state.pinned.length - (more || 0);
	const count = Math.ceil((stage.clientHeight - AXIS - pinnedHeight()) / state.height) + 1 + 2 * (more || 0);
	return [Math.max(state.pinned.length, first), Math.min(rows.length, first + count)];
}

const rowsInView = () => [...rows.slice(0, state.pinned.length), ...rows.slice(...visible())];
const tracksOf = list => list.filter(r => r.track !== undefined && !isCurve(r.track)).map(r => r.track);
const tracksInView = () => tracksOf(rowsInView());

/* ---- Labels: a tree for who hears them, too ---- */

function label(row, i) {
	const element = make("div", { role: "treeitem", id: "row-" + i, "aria-level": row.level, "aria-setsize": rows.length,
		"aria-posinset": i + 1, "aria-selected": String(i === state.focus), class: (row.head ? "head" : "row") +
		(row.pinned ? " pinned" : "") });
	if (row.folds)
		element.setAttribute("aria-expanded", String(!state.folded.has(row.key)));
	element.style.top = (row.pinned ? AXIS + i * state.height : above(i)) + "px";
	element.style.height = state.height + "px";
	element.style.paddingLeft = 0.3 + 0.8 * (row.level - 1) + "rem";
	const ended = row.track !== undefined && view.tracks[row.track].ended;
	if (ended || (row.track !== undefined && isCurve(row.track)))
		element.title = ended || `${view.tracks[row.track].name} (${title(view.tracks[view.tracks[row.track].of])})`;
	element.append((row.folds ? (state.folded.has(row.key) ? "▸ " : "▾ ") : "") + (row.head || title(view.tracks[row.track])) + (ended ? " †" : ""));
	return element;
}

function drawLabels() {
	const what = [layOut.done, box.scrollTop, state.height, stage.clientHeight, state.focus].join();
	if (what === drawLabels.last)
		return;
	drawLabels.last = what;
	const [first, last] = visible(), list = [];
	for (let i = 0; i < state.pinned.length; i++)
		list.push(label(rows[i], i));
	for (let i = first; i < last; i++)
		list.push(label(rows[i], i));
	labels.classList.toggle("small", state.height < 12);
	labels.replaceChildren(...list);
	if (document.getElementById("row-" + state.focus))
		labels.setAttribute("aria-activedescendant", "row-" + state.focus);
	else
		labels.removeAttribute("aria-activedescendant");
}

function fold(row) {
	if (!row || !row.folds)
		return;
	state.folded.has(row.key) ? state.folded.delete(row.key) : state.folded.add(row.key);
	layOut();
	settleSoon();
}

function move(by) {
	state.focus = Math.min(rows.length - 1, Math.max(0, state.focus + by));
	showRow(state.focus);
}

function showRow(i) {
	const y = (i - state.pinned.length) * state.height, room = stage.clientHeight - AXIS - pinnedHeight();
	if (i >= state.pinned.length && y < box.scrollTop)
		box.scrollTop = y;
	else if (y + state.height > box.scrollTop + room)
		box.scrollTop = y + state.height - room;
	dirty();
}

/* Brings a track's row into view, whatever folds or hides it. */
function showTrack(track) {
	if (!rows.some(r => r.track === track)) {
		state.hidden.delete(keyOf(track));
		const t = view.tracks[track];
		state.folded.delete((t.kind === "cpu" ? "CPUs " : "processes ") + t.host);
		view.tracks.forEach((o, i) => o.process === t.process && state.folded.delete(keyOf(i)));
		layOut();
	}
	const i = rows.findIndex(r => r.track === track);
	if (i >= 0) {
		state.focus = i;
		showRow(i);
	}
	return i >= 0;
}
