/* What a frame does: the worker's last picture is moved and stretched to where it belongs now, and a new one is wanted. */

const OVER = 0.2, OVER_ROWS = 4; /* a picture has that much more than is seen, at each side */
const REST = 50; /* ms, at most, between two pictures */
let drawn = true, ink = {}, picture = null, wished = 0, waiting = false, failed = "";

function dirty() {
	if (drawn)
		requestAnimationFrame(frame);
	drawn = false;
}

const width = () => Math.max(50, stage.clientWidth - LABELS);
const x = time => LABELS + (time - state.from) / (state.to - state.from) * width();
const timeAt = px => state.from + (px - LABELS) / width() * (state.to - state.from);

/* Colours of the page's style; they change with dark and light. */
function readInk() {
	const style = getComputedStyle(document.documentElement);
	for (const name of ["back", "ink", "dim", "panel", "mark", "idle", "message", "line", "compute", "wait"])
		ink[name] = style.getPropertyValue("--" + name).trim();
	state.look++;
	readInk.axis = (readInk.axis || 0) + 1;
	dirty();
}

function makeWish() {
	const [first, last] = visible(state.pinned.length ? 0 : OVER_ROWS), length = state.to - state.from;
	const top = state.pinned.length ? box.scrollTop : first * state.height, seen = [];
	for (let i = 0; i < rows.length; i++)
		if (rows[i].track !== undefined && (i < state.pinned.length || (i >= first && i < last)))
			seen.push(i);
	const from = state.from - OVER * length, to = state.to + OVER * length;
	return {
		from, to, top, wide: Math.round(width() * (1 + 2 * OVER)), ratio: devicePixelRatio,
		tall: state.pinned.length ? stage.clientHeight - AXIS : (last - first) * state.height,
		height: state.height, rows: seen, messages: state.messages, search: state.search, without: [...state.without], kinds: [...state.kinds],
		least: state.least, marks: state.marks, comm: state.comm, colours: coloursNow(), tasks: TASKS, ink: { ...ink }, look: state.look,
	};
}

/* One at a time; what has changed meanwhile is wanted when it has come. */
function wantPicture() {
	const key = [state.from, state.to, box.scrollTop, state.height, stage.clientWidth, stage.clientHeight, layOut.done,
		state.messages, state.look, devicePixelRatio].join();
	if (waiting || key === wantPicture.last)
		return;
	wantPicture.last = key;
	waiting = true;
	if (wantPicture.rows !== layOut.done)
		worker.postMessage({ do: "rows", tracks: rows.map(r => r.track === undefined ? -1 : r.track), pinned: state.pinned.length });
	wantPicture.rows = layOut.done;
	worker.postMessage({ do: "wish", wish: { ...makeWish(), number: ++wished } });
}

function takePicture(p) {
	canvas.width = p.picture.width;
	canvas.height = p.picture.height;
	canvas.style.width = p.wide + "px";
	canvas.style.height = p.tall + "px";
	canvas.getContext("bitmaprenderer").transferFromImageBitmap(p.picture);
	picture = p;
	/*
	 * For as long as it was painted nothing is, so that what moves pictures has a CPU half of the time. One that is painted
	 * again, with what came meanwhile, may be an old one by then.
	 */
	setTimeout(() => {
		if (p.number === wished)
			waiting = false;
		dirty();
	}, Math.min(p.took, REST));
	dirty();
}

/* Where the picture belongs now. */
function movePicture() {
	const scale = (picture.to - picture.from) / (state.to - state.from) * width() / picture.wide;
	const left = (picture.from - state.from) / (state.to - state.from) * width();
	const down = state.pinned.length ? 0 : picture.top - box.scrollTop;
	canvas.style.transform = `translate(${left}px, ${down}px) scale(${scale}, 1)`;
}

function fit(element) {
	const wide = element.clientWidth, tall = element.clientHeight, ratio = devicePixelRatio;
	if (element.width !== Math.round(wide * ratio) || element.height !== Math.round(tall * ratio)) {
		element.width = Math.round(wide * ratio);
		element.height = Math.round(tall * ratio);
	}
	const pen = element.getContext("2d");
	pen.setTransform(ratio, 0, 0, ratio, 0, 0);
	return pen;
}

function drawAxis() {
	const what = [state.from, state.to, stage.clientWidth, readInk.axis, devicePixelRatio].join();
	if (what === drawAxis.last)
		return;
	drawAxis.last = what;
	const pen = fit(axis), length = state.to - state.from, rough = length / width() * 110;
	const power = 10 ** Math.floor(Math.log10(rough)), step = [1, 2, 5, 10].find(s => s * power >= rough) * power;
	const digits = Math.max(0, Math.ceil(-Math.log10(step / 1e9)));
	pen.font = "12px system-ui, sans-serif";
	pen.fillStyle = ink.back;
	pen.fillRect(0, 0, stage.clientWidth, AXIS);
	pen.fillStyle = ink.dim;
	for (let time = Math.ceil(state.from / step) * step; time <= state.to; time += step) {
		pen.fillRect(x(time), AXIS - 6, 1, 6);
		pen.fillText((time / 1e9).toFixed(digits) + " s", x(time) + 3, AXIS - 10);
	}
	pen.fillStyle = ink.back;
	pen.fillRect(0, 0, LABELS, AXIS);
	pen.fillStyle = ink.ink;
	pen.fillText(`${span(length)} shown`, 6, AXIS - 10);
}

/* A box over the rows, in coordinates of the stage; null: none. */
function lay(element, at) {
	element.hidden = !at;
	if (!at)
		return;
	element.style.transform = `translate(${at.left}px, ${at.top}px)`;
	element.style.width = Math.max(1, at.right - at.left) + "px";
	element.style.height = Math.max(1, at.bottom - at.top) + "px";
}

function layMarks() {
	const clamp = px => Math.min(stage.clientWidth, Math.max(LABELS, px)), bottom = stage.clientHeight;
	const found = state.found ? rows.findIndex(r => r.track === state.found.track) : -1;
	const left = state.found && x(state.found.begin), right = state.found && x(Math.max(state.found.begin, state.found.end));
	const [a, b] = state.selected ? state.selected.map(x) : [0, 0];
	lay(marks.select, state.selected && b > LABELS && a < stage.clientWidth ?
		{ left: clamp(a), right: clamp(b), top: AXIS, bottom } : null);
	lay(marks.found, found >= 0 && right >= LABELS && left <= stage.clientWidth && above(found) > AXIS - state.height ?
		{ left: clamp(left) - 2, right: clamp(right) + 2, top: above(found) - 1, bottom: above(found) + state.height } : null);
	lay(marks.cursor, mouse && mouse.x > LABELS ? { left: mouse.x, right: mouse.x + 1, top: 0, bottom } : null);
	const scale = mini.clientWidth / view.length;
	lay(marks.frame, { left: Math.max(0, state.from * scale), top: 0, bottom: mini.clientHeight,
		right: Math.min(mini.clientWidth, Math.max(state.to * scale, state.from * scale + 3)) });
}

function drawMini() {
	const tracks = tracksOf(rows), step = Math.max(1, Math.ceil(tracks.length / 16));
	const wide = Math.round(mini.clientWidth * devicePixelRatio), tall = Math.round(mini.clientHeight * devicePixelRatio);
	const what = [layOut.done, wide, tall, state.look].join();
	if (what === drawMini.last || !wide)
		return;
	drawMini.last = what;
	worker.postMessage({ do: "mini", wide, tall, tracks: tracks.filter((t, i) => i % step === 0) });
}

function takeMini(bitmap) {
	mini.width = bitmap.width;
	mini.height = bitmap.height;
	mini.getContext("bitmaprenderer").transferFromImageBitmap(bitmap);
}

function frame() {
	drawn = true;
	if (!view)
		return;
	const room = box.clientHeight;
	if (frame.room !== room || frame.rows !== rows.length * state.height) {
		stage.style.height = room + "px";
		spacer.style.height = Math.max(0, AXIS + rows.length * state.height - room) + "px";
	}
	[frame.room, frame.rows] = [room, rows.length * state.height];
	if (picture)
		movePicture();
	drawLabels();
	drawAxis();
	layMarks();
	wantPicture();
	drawMini();
	tell();
}
