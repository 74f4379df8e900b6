/* What the user wants to see of it all: kinds, rows and their order, colours. Colours are kept by the browser. */

const KEPT = "hybmon view: colours";
let ownColours = {};

/* Browsers may forbid that, of pages from files above all. */
function readColours() {
	try {
		const kept = JSON.parse(localStorage.getItem(KEPT) || "{}");
		for (const [i, colour] of Object.entries(kept))
			if (CLASSES[i] && /^#[0-9a-f]{6}$/.test(colour))
				ownColours[i] = colour;
	} catch {
		ownColours = {};
	}
}

function keepColours() {
	try {
		localStorage.setItem(KEPT, JSON.stringify(ownColours));
	} catch {
		/* They last as long as the page. */
	}
}

const coloursNow = () => CLASSES.map((c, i) => ownColours[i] || (i === NONE ? ink.compute : c[1]));

function looksNew() {
	state.look++;
	settleSoon();
	dirty();
}

/* "0-3,8": which numbers; null: all; undefined: that is none of this kind. */
function readRanges(text) {
	const parts = text.trim().split(/[\s,]+/).filter(p => p);
	const list = parts.map(p => /^(\d+)(?:-(\d+))?$/.exec(p));
	if (list.some(m => !m))
		return undefined;
	return list.length ? list.map(m => [Number(m[1]), Number(m[2] || m[1])]) : null;
}

const inRanges = (list, number) => !list || list.some(([a, b]) => a <= number && number <= b);

/* Whether a track has a row, by ranks and threads. */
function passes(track) {
	const t = view.tracks[track];
	if (t.kind === "curve")
		return !state.curvesOff.has(t.name) && passes(t.of);
	return t.kind === "cpu" || (inRanges(state.ranks, t.rank === undefined ? t.process : t.rank) &&
		inRanges(state.threads, t.thread));
}

/* "20 us": ns. */
function readSpan(text) {
	const m = /^\s*([\d.]+)\s*(ns|us|µs|ms|s)?\s*$/.exec(text);
	return text.trim() === "" ? 0 : m ? Number(m[1]) * { ns: 1, us: 1e3, "µs": 1e3, ms: 1e6, s: 1e9 }[m[2] || "us"] : undefined;
}

/* ---- The order of rows ---- */

const ORDERS = {
	recorded: "as recorded", name: "by name", waiting: "by time in MPI and waiting", busy: "by time of its own",
};
let eachSums = null; /* of each track, by class, over the whole run */

const weightOf = (group, classes) => eachSums ? group.reduce((all, track) =>
	all + classes.reduce((sum, c) => sum + (eachSums.get(track) || [])[c] || 0, 0), 0) / group.length : 0;

function inOrder(groups) {
	const by = {
		name: (a, b) => title(view.tracks[a[0]]).localeCompare(title(view.tracks[b[0]]), "en", { numeric: true }),
		waiting: (a, b) => weightOf(b, [2, 3, 4, 5, 6, 8, 12]) - weightOf(a, [2, 3, 4, 5, 6, 8, 12]),
		busy: (a, b) => weightOf(b, [0, 1, 7]) - weightOf(a, [0, 1, 7]),
		own: (a, b) => (state.places.get(a[0]) ?? 1e9) - (state.places.get(b[0]) ?? 1e9),
	}[state.order];
	return by ? [...groups].sort(by) : groups;
}

async function setOrder(order) {
	if (!eachSums && (order === "waiting" || order === "busy")) {
		const tracks = view.tracks.map((t, i) => i).filter(i => !isCpu(i) && !isCurve(i));
		eachSums = new Map(await ask("each", { from: 0, to: view.length, tracks }));
	}
	state.order = order;
	layOut();
	settleSoon();
}

/* A row, with its threads, changes places with the one before or after it. */
function moveRow(by) {
	const row = rows[state.focus];
	if (!row || row.track === undefined || row.pinned || row.level !== 2)
		return;
	const same = rows.filter(r => r.level === 2 && !r.pinned && view.tracks[r.track].host === view.tracks[row.track].host &&
		isCpu(r.track) === isCpu(row.track)).map(r => r.track);
	const at = same.indexOf(row.track), to = at + by;
	if (to < 0 || to >= same.length)
		return;
	[same[at], same[to]] = [same[to], same[at]];
	rows.filter(r => r.level === 2 && !r.pinned).forEach((r, i) => state.places.set(r.track, i));
	same.forEach((track, i) => state.places.set(track, i));
	state.order = "own";
	orderBox.value = "own";
	layOut();
}

function hideRow() {
	const row = rows[state.focus];
	if (!row || row.track === undefined)
		return;
	state.pinned = state.pinned.filter(t => t !== row.track);
	state.hidden.add(row.key);
	const next = rows[state.focus + 1] || rows[state.focus - 1];
	layOut();
	state.focus = Math.max(0, rows.findIndex(r => next && r.key === next.key));
	tellHidden();
	looksNew();
}

function pinRow() {
	const row = rows[state.focus];
	if (!row || row.track === undefined)
		return;
	state.pinned = row.pinned ? state.pinned.filter(t => t !== row.track) : [...state.pinned, row.track];
	layOut();
	tellHidden();
	looksNew();
}

function allRows() {
	state.hidden.clear();
	state.pinned = [];
	state.folded.clear();
	layOut();
	tellHidden();
	looksNew();
}

function tellHidden() {
	allButton.disabled = !state.hidden.size && !state.pinned.length;
	allButton.textContent = state.hidden.size ? `show ${many(state.hidden.size)} hidden rows` : "unpin all rows";
}

/* ---- The controls ---- */

/* An input whose text is read; what cannot be read is said by the browser. */
function field(name, hint, take) {
	const input = make("input", { type: "text", placeholder: hint, size: "9" });
	input.addEventListener("input", () => {
		const good = take(input.value);
		input.setCustomValidity(good ? "" : `something like ${hint}`);
		input.setAttribute("aria-invalid", String(!good));
		if (good)
			looksNew();
	});
	return make("label", {}, name + " ", input);
}

function ranges(name) {
	return text => {
		const list = readRanges(text);
		if (list === undefined)
			return false;
		state[name] = list;
		layOut();
		return true;
	};
}

const orderBox = make("select", {}, ...Object.entries({ ...ORDERS, own: "as moved by hand" }).map(([key, words]) =>
	make("option", { value: key }, words)));
orderBox.addEventListener("change", () => setOrder(orderBox.value).catch(e => tellFailed(e.message)));
const allButton = make("button", { type: "button", onclick: allRows, disabled: "" }, "show all rows");
const filterBox = make("div", { id: "filter", role: "group", "aria-label": "what is shown", hidden: "" });
const filterButton = make("button", { onclick: toggleFilter, "aria-expanded": "false" }, "show");

function toggle(name, on, change) {
	const box = make("input", { type: "checkbox" });
	box.checked = on;
	box.addEventListener("change", () => change(box.checked));
	return make("label", {}, box, " " + name);
}

const switchIn = (set, key) => on => {
	on ? set.delete(key) : set.add(key);
	looksNew();
};

function colourInput(i) {
	const input = make("input", { type: "color", "aria-label": "colour of " + CLASSES[i][0] });
	input.value = coloursNow()[i];
	input.addEventListener("input", () => {
		ownColours[i] = input.value;
		keepColours();
		looksNew();
	});
	return input;
}

/* Kinds of events without duration that records have. */
function pointKinds() {
	return view.kinds.map((k, i) => [k, i]).filter(([k]) => ["off", "on", "program_begin", "program_end", "request_cancelled",
		"task_create", "lock_acquired", "lock_released"].includes(k));
}

function fillFilter() {
	const comms = make("select", {}, make("option", { value: "" }, "all"), ...view.comms.map(([id, name]) =>
		make("option", { value: id }, name)));
	comms.addEventListener("change", () => {
		state.comm = comms.value === "" ? null : Number(comms.value);
		looksNew();
	});
	filterBox.replaceChildren(
		make("p", {}, field("ranks", "0-3,8", ranges("ranks")), " ", field("threads", "0,2", ranges("threads")), " ",
			field("at least", "20 us", text => {
				const ns = readSpan(text);
				state.least = ns === undefined ? state.least : ns;
				return ns !== undefined;
			}), " ", make("label", {}, "messages of ", comms), " ", make("label", {}, "rows ", orderBox), " ", allButton),
		make("p", { class: "kinds" }, ...CLASSES.map((c, i) => make("span", {}, colourInput(i),
			toggle(i === NONE ? c[0] : c[0], !state.without.has(i), switchIn(state.without, i)))),
		make("button", { type: "button", onclick: () => {
			ownColours = {};
			keepColours();
			fillFilter();
			looksNew();
		} }, "usual colours")),
		make("p", { class: "kinds" }, toggle("marks of waits", state.marks, on => {
			state.marks = on;
			looksNew();
		}), ...pointKinds().map(([k, i]) => toggle("ticks: " + k.replace(/_/g, " "), !state.kinds.has(i),
			switchIn(state.kinds, i)))),
		view.curves.length ? make("p", { class: "kinds" }, "counters: ", ...curveToggles()) : "");
}

function toggleFilter() {
	filterBox.hidden = !filterBox.hidden;
	filterButton.setAttribute("aria-expanded", String(!filterBox.hidden));
	if (!filterBox.hidden && !filterBox.children.length)
		fillFilter();
	dirty();
}
