/* What hybmon report finds, beside the timeline: what waiting goes back to, each with the places where that was. */

let findings = null; /* timeline/json/findings.c */
const findingsBox = make("aside", { id: "findings", "aria-label": "findings", hidden: "" });

/* Asks until they are there: the server finds them when they are first asked for. */
async function fetchFindings() {
	const inPage = document.getElementById("findings-data");
	if (inPage)
		return JSON.parse(inPage.textContent);
	while (!own) {
		const answer = await fetch("findings");
		if (answer.status === 200)
			return answer.json();
		if (answer.status !== 202)
			break;
		await new Promise(done => setTimeout(done, 300));
	}
	return null;
}

const waitOf = w => ({ track: w[0], other: w[1], begin: w[2], end: w[3], kind: w[4], cause: w[5] });

async function loadFindings() {
	const early = view.sketch || view.running;
	findings = await fetchFindings();
	loadFindings.early = early && !findings;
	if (findings)
		worker.postMessage({ do: "waits", waits: findings.waits });
	listFindings();
	state.look++;
	dirty();
}

/* The longest first. */
const placesOf = cause => findings.waits.map(waitOf).filter(w => w.cause === cause)
	.sort((a, b) => b.end - b.begin - (a.end - a.begin));

function listFindings() {
	const list = findings ? findings.causes.map((cause, i) => ({ cause, i, ns: cause.direct + cause.indirect }))
		.filter(f => f.ns > findings.waited / 200).slice(0, 50) : [];
	const items = list.map(({ cause, i, ns }) => {
		const button = make("button", { type: "button", "data-cause": i, onclick: () => nextPlace(i) },
			make("strong", {}, `${(100 * ns / findings.waited).toFixed(1)}\u00a0% of all waiting, ${span(ns)}: `),
			`${thread(cause)}, ${place(cause.path)}.`, make("span", { class: "dim" }, cause.effects.length ?
				` Others wait in ${place(cause.effects[0].path)}.` : ""));
		return make("li", {}, button);
	});
	findingsBox.replaceChildren(make("h2", {}, "Who kept others waiting"), items.length ? make("ol", {}, ...items) :
		make("p", {}, findings ? "Nobody waited for others." : view.running ? "They are found when the job has ended." :
			view.sketch ? "They are found when all has been read." : "There are none."),
	findings && findings.total > findings.waits.length ? make("p", { class: "dim" },
		`The longest ${many(findings.waits.length)} of ${many(findings.total)} waits are marked.`) : null,
	findings && findings.advice.length ? make("div", {}, make("h2", {}, "What might be done"),
		make("ul", {}, ...findings.advice.map(a => make("li", {}, a.text)))) : "");
}

/* To the longest wait that goes back to it, then to the next one. */
function nextPlace(cause) {
	const places = placesOf(cause);
	nextPlace.at = nextPlace.cause === cause ? (nextPlace.at + 1) % places.length : 0;
	nextPlace.cause = cause;
	if (places.length)
		showWait(places[nextPlace.at], `wait ${nextPlace.at + 1} of ${many(places.length)} that go back to this`);
	else
		state.note = "Its waits are shorter than those that are marked.";
	dirty();
}

function showWait(wait, more) {
	const length = Math.max(1000, wait.end - wait.begin);
	state.found = { ...wait, wait };
	state.note = more || null;
	showTrack(wait.track);
	go(wait.begin - length, wait.end + length / 2, true);
	markFinding(wait.cause);
}

function describeWait(wait) {
	const cause = findings && findings.causes[wait.cause];
	return [`${WAITS[wait.kind] || wait.kind}: ${title(view.tracks[wait.track])} waits ${span(wait.end - wait.begin)} for ` +
		`${title(view.tracks[wait.other])}, from ${exact(wait.begin)}`,
	...cause ? [`most of it goes back to ${thread(cause)}, ${place(cause.path)}`] : []];
}

/* The finding that a wait goes back to is the one that is marked in the list. */
function markFinding(cause) {
	for (const button of findingsBox.querySelectorAll("button")) {
		const is = Number(button.dataset.cause) === cause;
		button.setAttribute("aria-current", String(is));
		if (is && !findingsBox.hidden)
			button.scrollIntoView({ block: "nearest" });
	}
}

/* Those that were asked for before they could be found. */
function retryFindings() {
	if (loadFindings.early && !view.running && !view.sketch)
		loadFindings().catch(e => tellFailed("hybmon view does not answer: " + e.message));
}

function toggleFindings() {
	findingsBox.hidden = !findingsBox.hidden;
	if (!findingsBox.hidden && !findings && !loadFindings.begun) {
		loadFindings.begun = true;
		findingsBox.replaceChildren(make("p", {}, "hybmon report reads it all once more …"));
		loadFindings().catch(e => tellFailed("hybmon view does not answer: " + e.message));
	}
	findingsButton.setAttribute("aria-expanded", String(!findingsBox.hidden));
	dirty();
}
const findingsButton = make("button", { onclick: toggleFindings, "aria-expanded": "false" }, "findings");
