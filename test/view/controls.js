/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Appended to an exported page: does what people do with the mouse and the keys, and writes what became of it into the
 * document, a line for each, "ok" or what is wrong.
 */
"use strict";
const results = [];
const wait = ms => new Promise(done => setTimeout(done, ms));
const check = (what, holds, said) => results.push(holds ? `ok ${what}` : `wrong ${what}: ${said}`);
const press = (key, more) => box.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...more }));
const at = (time, row) => {
	const place = stage.getBoundingClientRect();
	return { clientX: place.left + x(time), clientY: place.top + above(row) + state.height / 2, bubbles: true, cancelable: true };
};
const point = (kind, place, more) => stage.dispatchEvent(new PointerEvent(kind, { pointerId: 1, ...place, ...more }));
const near = (a, b, part) => Math.abs(a - b) <= (part || 0.001) * view.length;
const pixel = (time, row) => {
	const ratio = devicePixelRatio;
	return [...stage.getContext("2d").getImageData(x(time) * ratio, (above(row) + state.height / 2) * ratio, 1, 1).data].slice(0, 3).join();
};

async function useIt() {
	stage.setPointerCapture = () => {};
	const first = rows.findIndex(r => r.track !== undefined && view.tracks[r.track].kind === "thread");
	check("the whole run at first", near(state.from, 0) && near(state.to, view.length), [state.from, state.to]);
	press("+");
	check("+ zooms in", state.to - state.from < 0.8 * view.length, state.to - state.from);
	press("ArrowRight");
	const moved = state.from;
	press("ArrowLeft");
	check("arrows move", moved > state.from, moved);
	press("Home");
	check("Home: the whole run", near(state.from, 0) && near(state.to, view.length), [state.from, state.to]);
	press("Backspace");
	check("Backspace: the view before", state.to - state.from < 0.8 * view.length, state.to - state.from);
	press("0");
	stage.dispatchEvent(new WheelEvent("wheel", { deltaY: -400, ...at(view.length / 4, first) }));
	check("the wheel zooms around the pointer", near(timeAt(x(view.length / 4)), view.length / 4) &&
		near(state.to - state.from, view.length / Math.E, 0.05), [state.from, state.to]);
	press("0");
	zoom.value = 500;
	zoom.dispatchEvent(new Event("input"));
	check("the slider zooms", state.to - state.from < view.length / 2, state.to - state.from);
	press("0");
	point("pointerdown", at(view.length / 2, first), { shiftKey: true });
	point("pointermove", at(view.length * 0.75, first), { shiftKey: true });
	point("pointerup", at(view.length * 0.75, first));
	await wait(50);
	check("shift and drag: selects", state.selected && near(state.selected[0], view.length / 2, 0.01) &&
		near(state.selected[1], view.length * 0.75, 0.01), state.selected);
	check("the selection's sums", /^Selected: /.test(sumsBox.textContent), sumsBox.textContent);
	press("Enter");
	check("Enter: into the selection", near(state.from, view.length / 2, 0.01), state.from);
	press("Escape");
	check("Escape: nothing is selected", !state.selected, state.selected);
	point("pointerdown", at((state.from + state.to) / 2, first));
	const before = state.from;
	point("pointermove", at((state.from + state.to) / 2 + (state.to - state.from) / 10, first));
	point("pointerup", at((state.from + state.to) / 2, first));
	check("drag: moves", state.from < before, [before, state.from]);
	press("0");
	const wanted = nameOf(view.regions.findIndex(r => r && /^MPI_/.test(r[0])));
	search.value = wanted;
	search.dispatchEvent(new Event("input"));
	press("n");
	await wait(100);
	check("n: the next one", state.found && nameOf(idOf(state.found.what)) === wanted, state.found && nameOf(idOf(state.found.what)));
	const next = state.found && state.found.begin;
	press("n");
	await wait(100);
	check("n again: a later one", !state.found || state.found.begin > next, [next, state.found && state.found.begin]);
	press("p");
	await wait(100);
	check("p: back again", state.found && (state.found.begin === next || next === null), [next, state.found && state.found.begin]);
	press("c");
	await wait(300);
	check("c: a cause, or that none is known", state.note, state.note);
	search.value = "";
	search.dispatchEvent(new Event("input"));
	await wait(300);
	check("the view is in the address", /from=-?\d+&to=\d+/.test(location.hash), location.hash);
	press("m");
	draw();
	const slice = { begin: state.from, end: state.to, mid: (state.from + state.to) / 2 };
	point("pointermove", at(slice.mid, first));
	draw();
	check("what is under the pointer is said", /, at [0-9.]+/.test(info.textContent), info.textContent);
	point("pointerleave", at(slice.mid, first));
	press("0");
	draw();
	check("rows are drawn", new Set([0.2, 0.4, 0.6, 0.8].map(part => pixel(part * view.length, first)).filter(p =>
		p !== "255,255,255")).size > 0, pixel(view.length / 2, first));
	const count = rows.length;
	state.focus = rows.findIndex(r => r.key);
	press("Enter");
	check("Enter on a head: folds", rows.length < count, [count, rows.length]);
	press("Enter");
	check("and unfolds", rows.length === count, [count, rows.length]);
	size.value = 40;
	size.dispatchEvent(new Event("input"));
	check("the height of rows", state.height === 40, state.height);
	press("m");
	press("m");
	check("m: no messages", !state.messages && !arrows.checked, state.messages);
	press("ArrowDown");
	check("arrow down: another row", state.focus > 0, state.focus);
	press("?");
	check("?: all keys", help.open, help.open);
	help.close();
	check("names for who sees nothing", [...document.querySelectorAll("button, input, canvas, [role]")].every(e =>
		e.getAttribute("aria-label") || e.textContent || e.closest("label")), "a control has none");
	check("the last moment", (go(view.length * 2, view.length * 3), state.to <= view.length * 1.05 + 200), [state.from, state.to]);
}

setTimeout(() => useIt().catch(e => results.push("wrong " + e.stack)).finally(() =>
	document.body.append(Object.assign(document.createElement("pre"), { id: "results", textContent: results.join("\n") }))), 500);
