"use strict";
/* What is shown of it all, and how the mouse and the keys change that. The other files come before this one. */

const state = { from: 0, to: 1, height: 22, messages: true, selected: null, found: null, note: null, search: "",
	folded: new Set(), focus: 0 };
let rows = [], past = [], lines = null, mouse = null;

function title(t) {
	const rank = t.rank === undefined ? "process " + t.process : "rank " + t.rank;
	if (t.kind === "cpu")
		return "CPU " + t.cpu;
	return t.name.startsWith("Master") ? rank : rank + " " + t.name.replace("thread ", "");
}

function layOut() {
	const hosts = new Map();
	view.tracks.forEach((t, track) => {
		if (!hosts.has(t.host))
			hosts.set(t.host, { cpus: [], processes: new Map() });
		const host = hosts.get(t.host);
		if (t.kind === "cpu")
			host.cpus.push(track);
		else
			host.processes.set(t.process, [...host.processes.get(t.process) || [], track]);
	});
	rows = [];
	for (const [name, host] of hosts) {
		if (host.cpus.length) {
			rows.push({ head: `${name}: ${host.cpus.length} CPUs`, key: "cpus " + name });
			if (!state.folded.has("cpus " + name))
				rows.push(...host.cpus.map(track => ({ track, level: 1 })));
		}
		rows.push({ head: `${name}: ${host.processes.size} processes`, key: "processes " + name });
		if (state.folded.has("processes " + name))
			continue;
		for (const [process, tracks] of host.processes) {
			const key = "process " + process;
			rows.push({ track: tracks[0], level: 1, key: tracks.length > 1 ? key : null });
			if (!state.folded.has(key))
				rows.push(...tracks.slice(1).map(track => ({ track, level: 2 })));
		}
	}
	spacer.style.height = rows.length * state.height + AXIS + "px";
	dirty();
}

function go(from, to, remember) {
	const least = 100, most = view.length * 1.02 + least;
	let length = Math.min(Math.max(to - from, least), most);
	from = Math.min(Math.max(from, -0.01 * view.length), view.length * 1.01 - Math.min(length, view.length));
	if (remember) {
		past.push([state.from, state.to]);
		past = past.slice(-100);
	}
	state.from = from;
	state.to = from + length;
	clearTimeout(go.later);
	go.later = setTimeout(settle, 150);
	zoom.value = 1000 * Math.log(most / length) / Math.log(most / least);
	dirty();
}

/* What is worth doing when nobody moves any more. */
function settle() {
	const hash = `from=${Math.round(state.from)}&to=${Math.round(state.to)}` +
		(state.search ? "&search=" + encodeURIComponent(state.search) : "");
	history.replaceState(null, "", "#" + hash);
	fetchLines();
	showSums();
}

const width = () => Math.max(50, stage.clientWidth - LABELS);
const x = time => LABELS + (time - state.from) / (state.to - state.from) * width();
const timeAt = px => state.from + (px - LABELS) / width() * (state.to - state.from);
const rowAt = y => Math.floor((y - AXIS + box.scrollTop) / state.height);
const above = row => AXIS + row * state.height - box.scrollTop;

function visible() {
	const first = Math.max(0, rowAt(AXIS)), last = Math.min(rows.length, rowAt(box.clientHeight) + 1);
	return [first, last];
}

const tracksOf = list => list.filter(r => r.track !== undefined).map(r => r.track);
const tracksInView = () => tracksOf(rows.slice(...visible()));

function zoomBy(factor, around) {
	go(around - (around - state.from) * factor, around + (state.to - around) * factor);
}

/* ---- Controls ---- */

const stage = make("canvas", { id: "stage", role: "img",
	"aria-label": "the timeline; the text below says what is under the pointer" });
const spacer = make("div", {});
const box = make("div", { id: "rows", tabindex: "0", role: "application",
	"aria-label": "timeline: arrow keys move, plus and minus zoom" }, stage, spacer);
const mini = make("canvas", { id: "mini", role: "img", "aria-label": "the whole run; the frame is what is shown" });
const info = make("output", { id: "info" }), sumsBox = make("div", { id: "sums" });
const regionsBox = make("div", { id: "regions" });
const zoom = make("input", { type: "range", min: "0", max: "1000", step: "1", "aria-label": "zoom" });
const size = make("input", { type: "range", min: "5", max: "60", value: state.height, "aria-label": "height of rows" });
const search = make("input", { type: "search", placeholder: "a region, a task", "aria-label": "search" });
const facts = make("span", { class: "dim" });
const running = make("span", { class: "dim", "aria-live": "polite" });
const arrows = make("input", { type: "checkbox" });
arrows.checked = true;

const KEYS = [
	["left, right; shift: far", "move in time"],
	["up, down", "move over rows"],
	["+ and -", "zoom in and out"],
	["0 or Home", "the whole run"],
	["Enter", "zoom into the selection; fold a row"],
	["Backspace", "the view before"],
	["c", "from a wait to its cause: who came last, sent it, woke it, or took its CPU"],
	["/", "search; what does not match is dimmed"],
	["n, p; Enter in search", "the next and the one before of what is searched for"],
	["m", "messages on and off"],
	["Escape", "select nothing"],
	["?", "this list"],
];
const help = make("dialog", { "aria-label": "keys" }, make("table", {}, ...KEYS.map(([k, what]) =>
	make("tr", {}, make("td", {}, k), make("td", {}, what)))),
	make("form", { method: "dialog" }, make("button", {}, "close")));

function setMessages(on) {
	state.messages = arrows.checked = on;
	dirty();
}

function fold(row) {
	if (!row || !row.key)
		return;
	state.folded.has(row.key) ? state.folded.delete(row.key) : state.folded.add(row.key);
	layOut();
}

function back() {
	const last = past.pop();
	if (last)
		go(last[0], last[1]);
}

function onKey(e) {
	const length = state.to - state.from, step = length * (e.shiftKey ? 0.8 : 0.1);
	const around = mouse && mouse.x > LABELS ? timeAt(mouse.x) : (state.from + state.to) / 2;
	if (e.target.tagName === "INPUT" || e.ctrlKey || e.altKey || e.metaKey || help.open)
		return;
	const does = {
		ArrowLeft: () => go(state.from - step, state.to - step), ArrowRight: () => go(state.from + step, state.to + step),
		ArrowUp: () => move(-1), ArrowDown: () => move(1), "+": () => zoomBy(0.7, around), "=": () => zoomBy(0.7, around),
		"-": () => zoomBy(1 / 0.7, around), 0: () => go(0, view.length, true), Home: () => go(0, view.length, true),
		Enter: () => state.selected ? go(...state.selected, true) : fold(rows[state.focus]), Backspace: back,
		c: showCause, m: () => setMessages(!state.messages), n: () => jump(false), p: () => jump(true),
		"/": () => search.focus(), "?": () => help.showModal(),
		Escape: () => { state.selected = state.found = state.note = null; showSums(); dirty(); },
	}[e.key];
	if (!does || (e.target.tagName === "BUTTON" && e.key === "Enter"))
		return;
	e.preventDefault();
	does();
}

function move(by) {
	state.focus = Math.min(rows.length - 1, Math.max(0, state.focus + by));
	const y = AXIS + state.focus * state.height;
	if (y - AXIS < box.scrollTop)
		box.scrollTop = y - AXIS;
	else if (y + state.height > box.scrollTop + box.clientHeight)
		box.scrollTop = y + state.height - box.clientHeight;
	dirty();
}

function place(e) {
	const at = stage.getBoundingClientRect();
	return { x: e.clientX - at.left, y: e.clientY - at.top };
}

function listen() {
	let drag = null;
	box.addEventListener("wheel", e => {
		const at = place(e);
		if (at.x < LABELS)
			return;
		e.preventDefault();
		const by = e.deltaY * (e.deltaMode ? 30 : 1), length = state.to - state.from;
		if (e.shiftKey || Math.abs(e.deltaX) > Math.abs(e.deltaY))
			go(state.from + (e.deltaX || by) / width() * length, state.to + (e.deltaX || by) / width() * length);
		else
			zoomBy(Math.exp(by / 400), timeAt(at.x));
	}, { passive: false });
	stage.addEventListener("pointerdown", e => {
		const at = place(e);
		box.focus();
		state.focus = Math.min(rows.length - 1, Math.max(0, rowAt(at.y)));
		if (at.x < LABELS) {
			fold(rows[rowAt(at.y)]);
			return;
		}
		stage.setPointerCapture(e.pointerId);
		drag = { at, from: state.from, to: state.to, scroll: box.scrollTop, select: e.shiftKey || at.y < AXIS };
		past.push([state.from, state.to]);
	});
	stage.addEventListener("pointermove", e => {
		mouse = place(e);
		if (drag && drag.select) {
			state.selected = [timeAt(drag.at.x), timeAt(Math.max(LABELS, mouse.x))].sort((a, b) => a - b);
		} else if (drag) {
			const by = (drag.at.x - mouse.x) / width() * (drag.to - drag.from);
			box.scrollTop = drag.scroll + drag.at.y - mouse.y;
			go(drag.from + by, drag.to + by);
		}
		dirty();
	});
	stage.addEventListener("pointerup", () => {
		if (drag && drag.select)
			showSums();
		drag = null;
	});
	stage.addEventListener("pointerleave", () => {
		mouse = null;
		dirty();
	});
	stage.addEventListener("dblclick", e => {
		const at = place(e), row = rows[rowAt(at.y)], slice = at.x > LABELS && row && row.track !== undefined &&
			sliceAt(row.track, timeAt(at.x), (state.to - state.from) / width());
		if (slice && slice.end > slice.begin)
			go(slice.begin - 0.05 * (slice.end - slice.begin), slice.end + 0.05 * (slice.end - slice.begin), true);
	});
	const jumpTo = e => {
		const part = (e.clientX - mini.getBoundingClientRect().left) / mini.clientWidth;
		const time = part * view.length, half = (state.to - state.from) / 2;
		if (e.buttons)
			go(time - half, time + half);
	};
	mini.addEventListener("pointerdown", jumpTo);
	mini.addEventListener("pointermove", jumpTo);
	box.addEventListener("scroll", () => {
		clearTimeout(go.later);
		go.later = setTimeout(settle, 150);
		dirty();
	});
	zoom.addEventListener("input", () => {
		const most = view.length * 1.02 + 100, length = most * (100 / most) ** (zoom.value / 1000);
		const mid = (state.from + state.to) / 2;
		go(mid - length / 2, mid + length / 2);
	});
	size.addEventListener("input", () => {
		state.height = Number(size.value);
		layOut();
	});
	search.addEventListener("input", () => {
		state.search = search.value.trim().toLowerCase();
		state.found = null;
		settle();
		dirty();
	});
	search.addEventListener("keydown", e => {
		if (e.key === "Enter")
			jump(e.shiftKey);
		if (e.key === "Escape")
			box.focus();
	});
	arrows.addEventListener("change", () => setMessages(arrows.checked));
	document.addEventListener("keydown", onKey);
	new ResizeObserver(dirty).observe(box);
	matchMedia("(prefers-color-scheme: dark)").addEventListener("change", dirty);
}

/* A job that runs: what is new is shown, too. Who looks at its end goes on to do so. */
async function follow() {
	const now = await (await ask("state")).json();
	if (now.generation !== follow.generation) {
		const before = view.length, whole = state.to - state.from >= before, length = state.to - state.from;
		view = await (await ask("view")).json();
		follow.generation = now.generation;
		cache.clear();
		cached = 0;
		tellFacts();
		layOut();
		if (whole)
			go(0, view.length);
		else if (state.to >= 0.99 * before)
			go(view.length - length, view.length);
		else
			settle();
	}
	running.textContent = now.running ? "still running" : now.pairing ? "messages are still being paired" : "";
	if (now.running || now.pairing)
		setTimeout(() => follow().catch(e => { failed = "hybmon view does not answer: " + e.message; dirty(); }), 1000);
}

function tellFacts() {
	const begun = new Date(view.start / 1e6).toISOString().replace("T", " ").replace(/\..*/, " UTC");
	facts.textContent = `${span(view.length)}, begun ${begun}` + (view.lost ? `, ${many(view.lost)} records lost` : "");
}

async function start() {
	const own = document.getElementById("view");
	if (!own)
		follow.generation = (await (await ask("state")).json()).generation;
	view = own ? JSON.parse(own.textContent) : await (await ask("view")).json();
	page.append(make("header", {}, make("h1", {}, view.title), facts, running,
		make("button", { onclick: () => go(0, view.length, true) }, "whole run"),
		make("button", { onclick: back }, "back"), make("label", {}, "zoom ", zoom), make("label", {}, "rows ", size),
		make("label", {}, arrows, " messages"), make("label", {}, "search ", search),
		make("button", { onclick: () => help.showModal(), "aria-label": "keys" }, "?"),
		embedded && embedded.cut ? make("span", {}, "Not all details are in this page.") : null),
		mini, box, make("footer", { tabindex: "0" }, info, sumsBox, regionsBox), help);
	listen();
	tellFacts();
	layOut();
	const hash = new URLSearchParams(location.hash.slice(1));
	if (hash.get("search")) {
		search.value = hash.get("search");
		state.search = search.value.toLowerCase();
	}
	if (Number(hash.get("to")) > Number(hash.get("from")))
		go(Number(hash.get("from")), Number(hash.get("to")));
	else
		go(0, view.length);
	box.focus();
	if ((view.running || view.pairing) && !own)
		await follow();
	else if (view.running)
		running.textContent = "was still running";
}

start().catch(e => page.append(make("p", {}, "This cannot be shown: " + e.message)));
