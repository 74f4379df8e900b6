/* What is shown of it all, and how the mouse and the keys change that. The other files come before this one. */

const state = { from: 0, to: 1, height: 22, messages: true, selected: null, found: null, under: null, note: null, search: "",
	folded: new Set(), focus: 0, hidden: new Set(), pinned: [], without: new Set(), kinds: new Set(), least: 0, comm: null,
	marks: true, ranks: null, threads: null, order: "recorded", places: new Map(), look: 0,
	curvesOff: new Set() };
let past = [], mouse = null;

const own = document.getElementById("view"); /* of a page without a server */
const page = document.getElementById("page");
const worker = new Worker(URL.createObjectURL(new Blob([document.getElementById("worker").textContent],
	{ type: "text/javascript" })));
worker.onmessage = e => {
	const m = e.data;
	if (m.picture)
		takePicture(m);
	else if (m.mini)
		takeMini(m.mini);
	else if (m.answer)
		takeAnswer(m);
	else if (m.failed)
		tellFailed(m.failed);
};
worker.onerror = e => tellFailed("This page's worker fails: " + e.message);

function tellFailed(text) {
	failed = text;
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
	settleSoon();
	zoom.value = 1000 * Math.log(most / length) / Math.log(most / least);
	dirty();
}

function settleSoon() {
	clearTimeout(settleSoon.later);
	settleSoon.later = setTimeout(settle, 150);
}

/* What is worth doing when nobody moves any more. */
function settle() {
	const hash = `from=${Math.round(state.from)}&to=${Math.round(state.to)}` +
		(state.search ? "&search=" + encodeURIComponent(state.search) : "");
	history.replaceState(null, "", "#" + hash);
	worker.postMessage({ do: "lines", from: state.from, to: state.to, tracks: tracksInView() });
	showSums().catch(e => tellFailed("hybmon view does not answer: " + e.message));
}

function zoomBy(factor, around) {
	go(around - (around - state.from) * factor, around + (state.to - around) * factor);
}

/* ---- Controls ---- */

const canvas = make("canvas", { id: "picture", role: "img",
	"aria-label": "the timeline; the text below says what is under the pointer" });
const axis = make("canvas", { id: "axis", role: "img", "aria-label": "the axis of time" });
const labels = make("div", { id: "labels", role: "tree", tabindex: "0",
	"aria-label": "rows: arrow keys up and down move over them; left, right, plus and minus move and zoom in time" });
const marks = Object.fromEntries(["select", "found", "cursor", "frame"].map(name => [name, make("div", { class: name })]));
const stage = make("div", { id: "stage" }, make("div", { id: "area" }, canvas), labels, axis, marks.select, marks.found,
	marks.cursor);
const spacer = make("div", {});
const box = make("div", { id: "rows" }, stage, spacer);
const mini = make("canvas", { role: "img", "aria-label": "the whole run; the frame is what is shown" });
const miniBox = make("div", { id: "mini" }, mini, marks.frame);
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
	["f", "findings of hybmon report: who kept others waiting"],
	["s", "what is shown: kinds, ranks, threads, colours, the order of rows"],
	["x", "hide the row"],
	["t", "the row stays at the top, or no longer"],
	["shift and up, down", "the row changes places"],
	["/", "search; what does not match is dimmed"],
	["n, p; Enter in search", "the next and the one before of what is searched for"],
	["m", "messages and who came last in collective operations, on and off"],
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

function back() {
	const last = past.pop();
	if (last)
		go(last[0], last[1]);
}

function onKey(e) {
	const length = state.to - state.from, step = length * (e.shiftKey ? 0.8 : 0.1);
	const around = mouse && mouse.x > LABELS ? timeAt(mouse.x) : (state.from + state.to) / 2;
	if (["INPUT", "SELECT"].includes(e.target.tagName) || e.ctrlKey || e.altKey || e.metaKey || help.open)
		return;
	const does = {
		ArrowLeft: () => go(state.from - step, state.to - step), ArrowRight: () => go(state.from + step, state.to + step),
		ArrowUp: () => e.shiftKey ? moveRow(-1) : move(-1), ArrowDown: () => e.shiftKey ? moveRow(1) : move(1),
		s: toggleFilter, x: hideRow, t: pinRow, "+": () => zoomBy(0.7, around), "=": () => zoomBy(0.7, around),
		"-": () => zoomBy(1 / 0.7, around), 0: () => go(0, view.length, true), Home: () => go(0, view.length, true),
		Enter: () => state.selected ? go(...state.selected, true) : fold(rows[state.focus]), Backspace: back,
		c: showCause, f: toggleFindings, m: () => setMessages(!state.messages), n: () => jump(false), p: () => jump(true),
		"/": () => search.focus(), "?": () => help.showModal(),
		Escape: () => { state.selected = state.found = state.note = null; showSums(); dirty(); },
	}[e.key];
	if (!does || (e.target.tagName === "BUTTON" && e.key === "Enter"))
		return;
	e.preventDefault();
	does();
}

function placeOf(e) {
	const at = stage.getBoundingClientRect();
	return { x: e.clientX - at.left, y: e.clientY - at.top };
}

function listen() {
	let drag = null;
	box.addEventListener("wheel", e => {
		const at = placeOf(e);
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
		const at = placeOf(e);
		labels.focus();
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
		mouse = placeOf(e);
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
		const slice = state.under && state.under.slice;
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
		settleSoon();
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
		state.look++;
		state.found = null;
		settle();
		dirty();
	});
	search.addEventListener("keydown", e => {
		if (e.key === "Enter")
			jump(e.shiftKey);
		if (e.key === "Escape")
			labels.focus();
	});
	arrows.addEventListener("change", () => setMessages(arrows.checked));
	document.addEventListener("keydown", onKey);
	new ResizeObserver(dirty).observe(box);
	new ResizeObserver(dirty).observe(mini);
	matchMedia("(prefers-color-scheme: dark)").addEventListener("change", readInk);
}

async function fetchJson(what) {
	const answer = await fetch(what);
	if (!answer.ok)
		throw new Error(await answer.text());
	return answer.json();
}

/* A job that runs: what is new is shown, too. Who looks at its end goes on to do so. */
async function follow() {
	const now = await fetchJson("state");
	if (now.generation !== follow.generation) {
		const before = view.length, whole = state.to - state.from >= before, length = state.to - state.from;
		view = addCurves(await fetchJson("view"));
		follow.generation = now.generation;
		worker.postMessage({ do: "view", view });
		state.look++;
		tellFacts();
		layOut();
		if (whole)
			go(0, view.length);
		else if (state.to >= 0.99 * before)
			go(view.length - length, view.length);
		else
			settle();
	}
	tellState(now);
	if (now.running || now.whole || now.pairing || now.sketch || now.rough)
		setTimeout(() => follow().catch(e => tellFailed("hybmon view does not answer: " + e.message)), now.sketch ? 300 : 700);
}

function tellState(now) {
	const runs = now.elsewhere ? "may still run, on another machine" : "still running";
	running.textContent = now.sketch ? "a first picture, of samples: all of it follows" :
		now.running && now.whole ? `${runs}; since ${span(now.whole)} calls only so far` : now.running ? runs :
		now.rough ? "clocks of nodes still differ, messages are still being paired" : now.pairing ? "messages are still being paired" : "";
	retryFindings();
}

function tellFacts() {
	const begun = new Date(view.start / 1e6).toISOString().replace("T", " ").replace(/\..*/, " UTC");
	facts.textContent = `${span(view.length)}, begun ${begun}` + (view.lost ? `, ${many(view.lost)} records lost` : "");
}

async function start() {
	const tiles = document.getElementById("tiles");
	if (!own)
		follow.generation = (await fetchJson("state")).generation;
	view = addCurves(own ? JSON.parse(own.textContent) : await fetchJson("view"));
	worker.postMessage({ do: "open", base: location.href.replace(/[?#].*/, ""), view, tiles: tiles && tiles.textContent });
	page.append(make("header", {}, make("h1", {}, view.title), facts, running,
		make("button", { onclick: () => go(0, view.length, true) }, "whole run"),
		make("button", { onclick: back }, "back"), findingsButton,
		filterButton, make("label", {}, "zoom ", zoom), make("label", {}, "rows ", size),
		make("label", {}, arrows, " messages"), make("label", {}, "search ", search),
		make("button", { onclick: () => help.showModal(), "aria-label": "keys" }, "?"),
		tiles && /"cut":true}\s*$/.test(tiles.textContent.slice(-40)) ?
			make("span", {}, "Not all details are in this page.") : null),
		filterBox, miniBox, make("div", { id: "middle" }, box, findingsBox), make("footer", { tabindex: "0" }, info, sumsBox, regionsBox), help);
	readColours();
	readInk();
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
	labels.focus();
	if (own)
		loadFindings();
	if ((view.running || view.whole || view.pairing || view.sketch || view.rough) && !own)
		await follow();
	else if (view.running)
		running.textContent = "was still running";
}

start().catch(e => page.append(make("p", {}, "This cannot be shown: " + e.message)));
