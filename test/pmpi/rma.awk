# SPDX-License-Identifier: BSD-3-Clause
# From what programs say they did (expect.h), each one-sided operation as otf2-check.py --rma prints it: process, kind,
# target, bytes sent and received, how it is complete for its origin, and whether at its target.
# A flush and its like complete what the process began; a request what it stands for. Reads its input twice: what another
# thread completes may come before or after. Of what is left open by its own thread, others complete all that they can:
# they do so later.

function value(key,   i) {
	for (i = 4; i <= NF; i++)
		if (index($i, key "=") == 1)
			return substr($i, length(key) + 2)
	return ""
}

function begin(window,   sent, received, request) {
	sent = $3 == "put" ? value("bytes") : value("sent") + 0
	received = $3 == "get" ? value("bytes") : value("received") + 0
	n++
	thread[n] = $1
	win[n] = window
	target[n] = value("target")
	puts[n] = $3 != "get" && sent
	open[n] = 1
	text[n] = int($1) " " kind() " " target[n] " " sent " " received
	request = value("request")
	if (request != "")
		of[int($1), request] = n
	if ((int($1), request) in handed)
		here[n] = "non-blocking"
}

function kind() {
	if ($3 == "fetch-and-op")
		return / sum /  ? "fetch-and-add" : / replace / ? "swap" : "fetch-and-accumulate"
	return $3 == "get-accumulate" ? "fetch-and-accumulate" : $3
}

# at_target: also there; ends: nothing more will come of it
function complete(window, at_target, ends,   i) {
	calls++
	call_thread[calls] = $1
	call_window[calls] = window
	call_to[calls] = value("target")
	call_at_target[calls] = at_target
	call_ends[calls] = ends
	for (i = 1; i <= n; i++)
		if (thread[i] == $1)
			complete_one(i, calls)
}

function complete_one(i, call) {
	if (!open[i] || win[i] != call_window[call] || (call_to[call] != "" && target[i] != call_to[call]))
		return
	if (!(i in here))
		here[i] = "blocking"
	if (call_at_target[call] && puts[i])
		there[i] = 1
	open[i] = !call_ends[call] && !call_at_target[call] && puts[i]
}

function done(process, request) {
	if ((process, request) in of && !(of[process, request] in here))
		here[of[process, request]] = "non-blocking"
}

NR == FNR {
	if ($2 == "rma" && $3 == "done" && substr($1, index($1, ".") + 1) != int(value("request")))
		handed[int($1), value("request")] = 1
	next
}
$2 == "rma" {
	match($0, /win=("[^"]*"|[^ ]*)/)
	window = substr($0, RSTART, RLENGTH)
	if ($3 ~ /^(put|get|accumulate|get-accumulate|fetch-and-op|compare-and-swap)$/)
		begin(window)
	else if ($3 == "done")
		done(int($1), value("request"))
	else if ($3 == "flush-local")
		complete(window, 0, 0)
	else if ($3 == "complete")
		complete(window, 0, 1)
	else if ($3 ~ /^(fence|unlock|flush|destroy)$/ && !/ first$/)
		complete(window, 1, 1)
}
END {
	for (i = 1; i <= n; i++)
		for (call = 1; call <= calls; call++)
			if (thread[i] != call_thread[call] && int(thread[i]) == int(call_thread[call]))
				complete_one(i, call)
	for (i = 1; i <= n; i++)
		print text[i] " " (i in here ? here[i] : "-") " " (i in there ? "remote" : "-")
}
