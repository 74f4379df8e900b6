/* SPDX-License-Identifier: BSD-3-Clause */
/* Shows the report in the element #report. Texts of it become text nodes only, never HTML. */
"use strict";
const report = JSON.parse(document.getElementById("report").textContent);
const profiles = report.mode === "profile"; // nothing is known of who waited for whom
const page = document.getElementById("page");
const FIRST = 12; /* rows of a table, before all are asked for */
const TIMES = {
	computation: "computation", mpi: "MPI", waiting: "waiting for others in MPI", openmp_wait: "OpenMP, waiting",
	openmp_idle: "OpenMP, idle", kernel: "system calls, faults, interrupts", voluntary: "off the CPU, waiting",
	involuntary: "off the CPU, pre-empted", not_recorded: "not recorded",
};
const PARTS = {
	own: "the program itself", system_calls: "system calls", faults: "page faults", interrupts: "interrupts",
	voluntary: "off the CPU, waiting", involuntary: "off the CPU, pre-empted", unknown: "not known: events were lost",
};
const OPENMP = ["omp_barrier", "omp_lock", "omp_task", "omp_idle"];

/* An element; children are elements or texts. The page's policy allows no attribute `style`, but what a script sets. */
function make(name, attributes, ...children) {
	const element = document.createElementNS(
		["svg", "path", "text", "line"].includes(name) ? "http://www.w3.org/2000/svg" : "http://www.w3.org/1999/xhtml", name);
	for (const [key, value] of Object.entries(attributes || {}))
		if (key === "style")
			element.style.cssText = value;
		else
			element.setAttribute(key, value);
	element.append(...children.filter(c => c !== null && c !== undefined));
	return element;
}

function span(ns) {
	for (const [unit, name] of [[1e9, "s"], [1e6, "ms"], [1e3, "µs"]])
		if (Math.abs(ns) >= unit)
			return (ns / unit).toPrecision(3).replace(/e\+.*/, "") + " " + name;
	return Math.round(ns) + " ns";
}
const seconds = ns => (ns / 1e9).toFixed(6);
const percent = (part, whole) => whole ? (100 * part / whole).toFixed(1) + "\u00a0%" : "-";
const many = n => n.toLocaleString("en");
const sum = values => values.reduce((a, b) => a + b, 0);
const colour = name => getComputedStyle(document.documentElement).getPropertyValue("--" + name);
function bytes(n) {
	let unit = 0;
	for (; n >= 1024 && unit < 5; unit++)
		n /= 1024;
	return (unit ? n.toPrecision(3) : n) + " " + ["B", "KiB", "MiB", "GiB", "TiB", "PiB"][unit];
}

function section(id, title, ...children) {
	const all = children.filter(c => c);
	if (all.length)
		page.append(make("section", { id }, make("h2", {}, title), ...all));
}

/* Parts of a whole, from left to right, as {name: value}. */
function bar(values, names, whole, tall) {
	const label = Object.keys(names).filter(k => values[k])
		.map(k => names[k] + " " + percent(values[k], whole)).join(", ");
	return make("div", { class: tall ? "bar tall" : "bar", role: "img", "aria-label": label, title: label },
		...Object.keys(names).filter(k => values[k] > 0).map(k =>
			make("span", { style: `width:${100 * values[k] / whole}%;background:var(--${k})` })));
}

function legend(names, values) {
	return make("ul", { class: "legend" }, ...Object.keys(names).filter(k => !values || values[k]).map(k =>
		make("li", {}, make("i", { style: `background:var(--${k})` }), names[k])));
}

/*
 * A table that its heads sort. A column: title; value, by which it is sorted; show, what is in the cell, if that is not
 * the value; text: true for what is no number.
 */
function table(caption, columns, rows, sorted) {
	const head = make("tr"), body = make("tbody");
	const more = make("button", { class: "more", type: "button" });
	let order = sorted, down = true, all = false;

	function fill() {
		const by = columns[order];
		const list = order === undefined ? rows : [...rows].sort((a, b) => {
			const x = by.value(a), y = by.value(b);
			return (x < y ? -1 : x > y ? 1 : 0) * (down ? -1 : 1);
		});
		body.replaceChildren(...list.slice(0, all ? list.length : FIRST).map(row => make("tr", {}, ...columns.map(c =>
			make("td", { class: c.text ? "text" : "number" }, c.show ? c.show(row) : String(c.value(row)))))));
		more.hidden = rows.length <= FIRST;
		more.textContent = all ? `the first ${FIRST} only` : `all ${many(rows.length)} rows`;
		[...head.children].forEach((th, i) => i === order ? th.setAttribute("aria-sort", down ? "descending" : "ascending") :
			th.removeAttribute("aria-sort"));
	}
	columns.forEach((c, i) => {
		const button = make("button", { type: "button" }, c.title);
		button.onclick = () => {
			down = order === i ? !down : !c.text;
			order = i;
			fill();
		};
		head.append(make("th", { class: c.text ? "" : "number", scope: "col" }, c.value ? button : c.title));
	});
	more.onclick = () => {
		all = !all;
		fill();
	};
	fill();
	return rows.length ? make("div", { class: "scroll" },
		make("table", {}, make("caption", {}, caption), make("thead", {}, head), body), more) : null;
}

/* Times of some threads, with what they waited in MPI apart. */
function timesOf(threads) {
	const all = Object.fromEntries(Object.keys(TIMES).map(k => [k, sum(threads.map(t => t.times[k] || 0))]));
	all.waiting = sum(threads.map(t => sum(Object.keys(WAITS).filter(w => !OPENMP.includes(w))
		.map(w => t.waited[w] || 0))));
	all.mpi -= Math.min(all.waiting, all.mpi);
	return all;
}

/* A canvas of so many CSS pixels, drawn anew when its width or the colours change. */
function canvas(height, label, draw) {
	const element = make("canvas", { tabindex: 0, role: "img", "aria-label": label, style: `height:${height}px` });
	const redraw = () => {
		const scale = window.devicePixelRatio || 1, width = element.clientWidth;
		element.width = width * scale;
		element.height = height * scale;
		const pen = element.getContext("2d");
		pen.scale(scale, scale);
		draw(pen, width, height);
	};
	new ResizeObserver(redraw).observe(element);
	matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
	element.redraw = redraw;
	return element;
}

/* Lets pointer and arrow keys choose among `count` things; say() tells of the chosen one. */
function choose(element, count, at, say) {
	let chosen = -1;
	const take = i => {
		chosen = Math.max(0, Math.min(count - 1, i));
		say(chosen);
	};
	element.onpointermove = e => take(at(e.offsetX, e.offsetY));
	element.onkeydown = e => {
		const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: 1, ArrowUp: -1, Home: -count, End: count }[e.key];
		if (step) {
			take(chosen + step);
			e.preventDefault();
		}
	};
}

function processTimes() {
	const groups = new Map();
	for (const t of report.threads)
		groups.set(t.process, [...groups.get(t.process) || [], t]);
	const list = [...groups.values()].map(threads => ({ name: who(threads[0]), times: timesOf(threads) }));
	const whole = Math.max(...list.map(p => sum(Object.values(p.times))));
	const told = make("output", {}, "Point at a column, or use the arrow keys.");
	const drawing = canvas(180, `time of each of ${list.length} processes, in columns`, (pen, width, height) => {
		const columns = Math.min(list.length, Math.floor(width)), wide = width / columns;
		for (let i = 0; i < columns; i++) {
			const from = Math.floor(i * list.length / columns);
			const to = Math.max(from + 1, Math.floor((i + 1) * list.length / columns));
			let y = height;
			for (const k of Object.keys(TIMES)) {
				const tall = height * sum(list.slice(from, to).map(p => p.times[k])) / (to - from) / whole;
				pen.fillStyle = colour(k);
				pen.fillRect(i * wide, y - tall, wide - (wide > 4 ? 1 : 0), tall);
				y -= tall;
			}
		}
	});
	drawing.style.maxWidth = 6 * list.length + "rem";
	choose(drawing, list.length, x => Math.floor(x / drawing.clientWidth * list.length), i => {
		told.textContent = list[i].name + ": " + Object.keys(TIMES).filter(k => list[i].times[k])
			.map(k => `${TIMES[k]} ${span(list[i].times[k])}`).join(", ");
	});
	return list.length < 2 ? null :
		make("div", {}, make("p", { class: "dim" }, "Each process, all its threads together"), drawing, told);
}

/* A product each. */
function efficiencies(e) {
	const said = [], product = (name, whole, ...factors) => said.push(
		`${name} ${percent(whole, 1)} = ${factors.map(([what, part]) => `${what} ${percent(part, 1)}`).join(" × ")}.`);
	const both = "mpi" in e && "openmp" in e;
	if (both)
		product("Parallel efficiency", e.parallel, ["MPI", e.mpi], ["OpenMP", e.openmp]);
	if ("mpi" in e) {
		product(both ? "MPI" : "Parallel efficiency", e.mpi, ["load balance", e.load_balance], ["communication", e.communication]);
		if ("serialisation" in e)
			product("Communication", e.communication, ["serialisation", e.serialisation], ["transfer", e.transfer]);
	}
	if ("openmp" in e)
		product(both ? "OpenMP" : "OpenMP's efficiency", e.openmp, ["load balance of threads", e.openmp_load_balance],
			["synchronisation", e.openmp_synchronisation]);
	return said.join(" ");
}

function summary() {
	const times = timesOf(report.threads), whole = sum(Object.values(times)), e = report.efficiency;
	const words = `${span(report.length)}, ${many(report.ranks)} rank${report.ranks === 1 ? "" : "s"}, ` +
		`${many(report.threads.length)} thread${report.threads.length === 1 ? "" : "s"}, begun ` +
		new Date(report.start / 1e6).toISOString().replace("T", " ").replace(/\..*/, " UTC");
	page.append(make("h1", {}, document.title.replace(/ - hybmon report$/, "")),
		make("p", { class: "dim" }, words + (report.kernel ? "" : "; nothing is known of the kernel") +
			(profiles ? "; recorded as a profile, so who waited for whom is not known" : "")));
	section("time", "Where the time of all threads went", bar(times, TIMES, whole, true), legend(TIMES, times),
		make("p", {}, Object.keys(TIMES).filter(k => times[k])
			.map(k => `${TIMES[k]} ${percent(times[k], whole)}`).join(", ") + "."),
		e ? make("p", {}, efficiencies(e)) : null,
		processTimes());
}

/* Where the longest wait that goes back to a cause is in the timeline, if there is one. */
function inTimeline(cause) {
	const address = page.dataset.timeline, l = cause.longest, around = l && 0.3 * (l.end - l.begin);
	return address && l ? make("a", { href: `${address}#from=${Math.max(0, Math.round(l.begin - around))}&to=${Math.round(l.end + around)}` },
		`${span(l.end - l.begin)} at ${(l.begin / 1e9).toFixed(6)} s`) : l ?
		`${span(l.end - l.begin)} at ${(l.begin / 1e9).toFixed(6)} s` : "";
}

function findings() {
	const weight = c => c.direct + c.indirect;
	const list = report.causes.slice(0, 3).filter(c => weight(c) > report.waited / 20);
	section("findings", "What weighs most",
		list.length ? make("ol", { class: "findings" }, ...list.map(c => make("li", {}, make("strong", {},
			`${percent(weight(c), report.waited)} of all waiting (${span(weight(c))}): `), `${thread(c)}, ${place(c.path)}.`, ...(c.longest ? [" The longest wait: ", inTimeline(c), "."] : [])))) :
			make("p", {}, profiles ? "Who waited for whom is not known: that takes single events (HYBMON_MODE=trace)." :
				report.waited ? "No single cause makes up a twentieth of the waiting." : "Nobody waited for others."),
		report.advice.length ? make("p", {}, "What might be done about it:") : null,
		report.advice.length ? make("ul", { class: "findings" }, ...report.advice.map(a => make("li", {}, a.text))) : null);
}

function waiting() {
	section("causes", "Who kept others waiting, and by what", table(
		`${seconds(report.waited)} s of waiting in all, by what it goes back to`, [
			{ title: "seconds", value: c => c.direct + c.indirect, show: c => seconds(c.direct + c.indirect) },
			{ title: "%", value: c => c.direct + c.indirect, show: c => percent(c.direct + c.indirect, report.waited) },
			{ title: "at once", value: c => c.direct, show: c => span(c.direct) },
			{ title: "through others", value: c => c.indirect, show: c => span(c.indirect) },
			{ title: "who", value: c => c.rank === undefined ? c.process : c.rank, show: thread, text: true },
			{ title: "what it did", value: c => place(c.path), text: true },
			{ title: "the longest wait", value: c => c.longest ? c.longest.end - c.longest.begin : 0, show: inTimeline },
			{ title: "where others waited", text: true, show: c => c.effects.slice(0, 3).map(e =>
				`${place(e.path)} (${percent(e.time, c.direct + c.indirect)})`).join("; ") },
		], report.causes));
	section("waits", "Who waited for others", table("by call and kind", [
		{ title: "seconds", value: w => w.time, show: w => seconds(w.time) },
		{ title: "%", value: w => w.time, show: w => percent(w.time, report.waited) },
		{ title: "times", value: w => w.count, show: w => many(w.count) },
		{ title: "longest", value: w => w.longest, show: w => span(w.longest) },
		{ title: "kind", value: w => WAITS[w.kind] || w.kind, text: true },
		{ title: "call", value: w => place(w.path), text: true },
	], report.waits));
}

/* The shares of the time in windows, one after the other. */
function overTime() {
	const list = (report.windows || []).map(w => ({ begin: w.begin, end: w.end, times: { ...w.times, mpi: w.times.mpi - w.waited,
		waiting: w.waited } }));
	if (list.length < 2)
		return;
	const told = make("output", {}, "Point at a column, or use the arrow keys."), whole = w => sum(Object.values(w.times));
	const most = Math.max(...list.map(whole));
	const drawing = canvas(160, "time of all threads over the run, in columns", (pen, width, height) => {
		const wide = width / list.length;
		list.forEach((w, i) => {
			let y = height;
			for (const k of Object.keys(TIMES)) {
				const tall = height * (w.times[k] || 0) / most;
				pen.fillStyle = colour(k);
				pen.fillRect(i * wide, y - tall, wide - (wide > 4 ? 1 : 0), tall);
				y -= tall;
			}
		});
	});
	choose(drawing, list.length, x => Math.floor(x / drawing.clientWidth * list.length), i => {
		told.textContent = `${span(list[i].begin)} to ${span(list[i].end)}: ` + Object.keys(TIMES).filter(k => list[i].times[k])
			.map(k => `${TIMES[k]} ${percent(list[i].times[k], whole(list[i]))}`).join(", ");
	});
	const ranks = report.ranks, part = (p, k) => percent(p.times[k], sum(Object.values(p.times)));
	const threads = report.efficiency && report.efficiency.openmp_threads;
	const inMpi = p => ranks ? p.useful / ranks : p.end - p.begin;
	const useful = p => threads ? p.openmp_useful / threads : inMpi(p);
	section("phases", "Over time", drawing, told, report.phases.length < 2 ? null : table("phases, where the run changes", [
		{ title: "from", value: p => p.begin, show: p => span(p.begin) },
		{ title: "to", value: p => p.end, show: p => span(p.end) },
		...(ranks < 2 && !threads ? [] : [
			{ title: "parallel efficiency", value: p => useful(p) / (p.end - p.begin),
				show: p => inMpi(p) ? percent(useful(p), p.end - p.begin) : "-" }]),
		...(ranks < 2 ? [] : [
			{ title: "load balance", value: p => p.useful / p.most_useful,
				show: p => p.useful ? percent(p.useful / ranks, p.most_useful) : "-" },
			{ title: "communication", value: p => p.most_useful / (p.end - p.begin),
				show: p => p.useful ? percent(p.most_useful, p.end - p.begin) : "-" }]),
		...(threads ? [{ title: "OpenMP", value: p => useful(p) / inMpi(p),
			show: p => inMpi(p) ? percent(useful(p), inMpi(p)) : "-" }] : []),
		{ title: "in MPI", value: p => p.times.mpi, show: p => part(p, "mpi") },
		{ title: "waiting", value: p => p.waited, show: p => percent(p.waited, sum(Object.values(p.times))) },
	], report.phases));
}

function critical() {
	const c = report.critical_path, saved = c && Math.max(c.imbalance, 0);
	if (!c || report.threads.length < 2 || !c.time)
		return;
	section("critical", "Critical path, the longest chain of work and messages",
		make("p", {}, `${span(c.time)}. With all work spread evenly over the threads: ${span(saved)} ` +
			`(${percent(saved, c.time)}) less.`),
		table("where it leads along, without waiting", [
			{ title: "seconds", value: s => s.time, show: s => seconds(s.time) },
			{ title: "%", value: s => s.time, show: s => percent(s.time, c.time) },
			{ title: "saved by balance", value: s => s.imbalance, show: s => span(Math.max(s.imbalance, 0)) },
			{ title: "where", value: s => place(s.path), text: true },
		], c.places, 0),
		table("through which threads", [
			{ title: "seconds", value: t => t.time, show: t => seconds(t.time) },
			{ title: "%", value: t => t.time, show: t => percent(t.time, c.time) },
			{ title: "who", value: t => t.rank === undefined ? t.process : t.rank, show: thread, text: true },
		], c.threads, 0));
}

const regionName = r => r.kind === "threads" ? "(in no region)" : r.kind === "not_recorded" ? "(not recorded)" : r.name;

/* Where the values of processes lie between 0 and the most. */
function spread(over) {
	if (!over)
		return "";
	const x = ns => 100 * ns / (over.most || 1);
	const label = `${span(over.least)} (${who(over.least_in)}) ` +
		`to ${span(over.most)} (${who(over.most_in)}), mean ${span(over.mean)}`;
	return make("svg", { viewBox: "0 0 104 14", preserveAspectRatio: "none", role: "img", "aria-label": label,
		style: "width:7rem;height:0.9rem" },
		make("line", { x1: 0, x2: 104, y1: 7, y2: 7, stroke: "var(--line)" }),
		make("line", { x1: 2 + x(over.least), x2: 2 + x(over.most), y1: 7, y2: 7, stroke: "var(--own)", "stroke-width": 6 }),
		make("line", { x1: 2 + x(over.mean), x2: 2 + x(over.mean), y1: 1, y2: 13, stroke: "var(--ink)", "stroke-width": 2 }));
}

function regions() {
	const profile = report.profile, whole = sum(profile.regions.map(r => r.exclusive));
	const many_ranks = profile.processes.length > 1;
	section("profile", "Profile by region, and what the kernel did there", legend(PARTS,
		Object.fromEntries(Object.keys(PARTS).map(k => [k, sum(profile.regions.map(r => r.parts[k]))]))),
		table("time in the region itself, without what it calls" + (many_ranks ?
			"; over processes: least to most, with the mean" : ""), [
			{ title: "seconds", value: r => r.exclusive, show: r => seconds(r.exclusive) },
			{ title: "%", value: r => r.exclusive, show: r => percent(r.exclusive, whole) },
			{ title: "with calls", value: r => r.inclusive, show: r => seconds(r.inclusive) },
			{ title: "visits", value: r => r.visits, show: r => many(r.visits) },
			{ title: "region", value: regionName, text: true },
			{ title: "parts", show: r => r.exclusive ? bar(r.parts, PARTS, r.exclusive) : "", text: true },
			...(many_ranks ? [{ title: "over processes", show: r => spread(r.over_processes.exclusive), text: true }] : []),
		], profile.regions, 0),
		table("what the kernel did, in all regions", [
			{ title: "seconds", value: r => r.exclusive, show: r => seconds(r.exclusive) },
			{ title: "events", value: r => r.visits, show: r => many(r.visits) },
			{ title: "what", value: r => r.name, text: true },
		], profile.kernel_events, 0),
		table("who had the CPU while threads were ready to run", [
			{ title: "seconds", value: p => p.time, show: p => seconds(p.time) },
			{ title: "times", value: p => p.count, show: p => many(p.count) },
			{ title: "of", value: p => p.process, show: who, text: true },
			{ title: "by", value: p => p.by, show: p => !p.holder ? "not recorded" : p.holder === "unknown" ? "other programs" : p.by, text: true },
			{ title: "CPU", value: p => p.cpu === undefined ? "" : p.cpu },
		], profile.preempted, 0));
}

function lineName(l) {
	const named = l.name ? l.name + (l.at ? " at " + l.at : "") : "";
	return { region: named, before: "before " + named, not_recorded: "(not recorded: recording was paused)",
		thread: "(in no region)" }[l.kind];
}

function lines() {
	const whole = sum(report.lines.map(l => l.work + l.waited));
	section("lines", profiles ? "Profile by line" : "Profile by line: work, and waiting for others there", table(
		profiles ? "each region by the line that calls it" : "what lies in no region is named by the call that comes after it", [
		{ title: "work, s", value: l => l.work, show: l => seconds(l.work) },
		...(profiles ? [] : [{ title: "waiting, s", value: l => l.waited, show: l => seconds(l.waited) }]),
		{ title: "%", value: l => l.work + l.waited, show: l => percent(l.work + l.waited, whole) },
		{ title: "visits", value: l => l.visits, show: l => l.visits ? many(l.visits) : "" },
		{ title: "line", value: lineName, text: true },
		{ title: "parts of work", show: l => l.work ? bar(l.parts, PARTS, l.work) : "", text: true },
	], report.lines, profiles ? 1 : 2));
}

/* What part of the processes had no more than so much: KTAU's figures. */
function distribution(part, processes) {
	const values = processes.map(p => p.parts[part]).sort((a, b) => a - b), most = values[values.length - 1];
	const x = ns => 30 + 260 * ns / most, y = n => 125 - 110 * n / values.length;
	let way = `M ${x(0)} ${y(0)}`;
	values.forEach((ns, i) => {
		way += ` H ${x(ns).toFixed(1)} V ${y(i + 1).toFixed(1)}`;
	});
	return make("figure", {}, make("figcaption", {}, `${PARTS[part]}: ${span(values[0])} to ${span(most)}`),
		make("svg", { viewBox: "0 0 300 145", role: "img", "aria-label": `share of processes over ${PARTS[part]}` },
			make("line", { x1: 30, x2: 290, y1: 125, y2: 125, stroke: "var(--line)" }),
			make("line", { x1: 30, x2: 30, y1: 15, y2: 125, stroke: "var(--line)" }),
			make("path", { d: way, fill: "none", stroke: `var(--${part})`, "stroke-width": 2 }),
			make("text", { x: 2, y: 19 }, "all"), make("text", { x: 2, y: 128 }, "0"),
			make("text", { x: 30, y: 140 }, "0"),
			make("text", { x: 290, y: 140, "text-anchor": "end" }, span(most))));
}

function distributions() {
	const processes = report.profile.processes;
	const parts = Object.keys(PARTS).filter(k => processes.some(p => p.parts[k]));
	if (processes.length > 1)
		section("ranks", "Over processes, all regions together", make("p", { class: "dim" },
			"The part of the processes that have no more than so much. A step far to the right is one that stands out."),
			make("div", { class: "plots" }, ...parts.map(k => distribution(k, processes))));
}

/* Sums of messages between groups of processes; a cell stands for several where there are more than pixels. */
function matrix(messages) {
	const last = Math.max(...messages.flatMap(m => [m.from.process, m.to.process])) + 1;
	const names = new Map(messages.flatMap(m => [m.from, m.to]).map(p => [p.process, who(p)]));
	const told = make("output", {}, "Point at a cell."), what = make("select", { "aria-label": "what is shown" },
		...["bytes", "count", "time"].map(k => make("option", {}, k)));
	let cells = 1, value = new Map();
	const show = m => what.value === "bytes" ? bytes(m) : what.value === "time" ? span(m) : many(m);
	const label = "messages from each process, in rows, to each, in columns; the table has the largest";
	const drawing = canvas(360, label, (pen, width, height) => {
		cells = Math.min(last, height);
		value = new Map();
		for (const m of messages) {
			const at = Math.floor(m.from.process * cells / last) * cells + Math.floor(m.to.process * cells / last);
			value.set(at, (value.get(at) || 0) + m[what.value]);
		}
		const most = Math.log1p([...value.values()].reduce((a, b) => Math.max(a, b), 0));
		const side = Math.min(height, width) / cells;
		pen.fillStyle = colour("mark");
		for (const [at, n] of value) {
			pen.globalAlpha = n ? 0.1 + 0.9 * Math.log1p(n) / most : 0;
			pen.fillRect(at % cells * side, Math.floor(at / cells) * side, side - (side > 4 ? 1 : 0), side - (side > 4 ? 1 : 0));
		}
	});
	drawing.style.maxWidth = "360px";
	what.onchange = () => drawing.redraw();
	choose(drawing, last * last, (x, y) => {
		const side = Math.min(360, drawing.clientWidth) / cells;
		return Math.floor(y / side) * cells + Math.floor(x / side);
	}, at => {
		const from = Math.floor(at / cells), to = at % cells;
		told.textContent = cells < last ? "" : `${names.get(from) || "process " + from} to ` +
			`${names.get(to) || "process " + to}: ` +
			show(value.get(at) || 0);
	});
	return make("figure", {}, make("figcaption", {}, "From each process (rows) to each (columns), by ", what,
		"; the shade is logarithmic"), drawing, told);
}

const moved = [
	{ title: "count", value: m => m.count, show: m => many(m.count) },
	{ title: "bytes", value: m => m.bytes, show: m => bytes(m.bytes) },
	{ title: "time", value: m => m.time, show: m => m.timed ? span(m.time) : "-" },
	{ title: "longest", value: m => m.longest, show: m => m.timed ? span(m.longest) : "-" },
];

function traffic() {
	const t = report.traffic;
	section("messages", "Messages", t.messages.length ? matrix(t.messages) : null,
		table("between processes", [{ title: "from", value: m => m.from.process, show: m => who(m.from), text: true },
			{ title: "to", value: m => m.to.process, show: m => who(m.to), text: true }, ...moved], t.messages, 3),
		table("by size", [{ title: "bytes and more", value: m => m.size, show: m => bytes(m.size) }, ...moved], t.sizes));
	section("collectives", "Collective operations",
		table("each member's, by the size of what one member sends or receives", [
		{ title: "operation", value: m => m.operation, text: true },
		{ title: "size", value: m => m.size, show: m => bytes(m.size) }, ...moved], t.collectives, 3));
	section("files", "Files", table("operations of MPI on files", [{ title: "file", value: m => m.file, text: true },
		{ title: "operation", value: m => m.operation, text: true },
		{ title: "small", value: m => m.small, show: m => many(m.small) }, ...moved], t.files, 4));
}

summary();
overTime();
findings();
waiting();
critical();
regions();
lines();
distributions();
traffic();
page.querySelector("h1").after(make("nav", { "aria-label": "parts of this page" },
	...[...page.querySelectorAll("section")].map(s =>
	make("a", { href: "#" + s.id }, s.querySelector("h2").textContent.split(",")[0]))));
page.append(make("p", { class: "dim" }, `Made by ${report.creator}. Values are in the page as JSON, ` +
	`schema version ${report.version}: hybmon(1).`));
