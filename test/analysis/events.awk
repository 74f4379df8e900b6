# SPDX-License-Identifier: BSD-3-Clause
# What hybmon-print says of each thread, without what differs from run to run: times, and how tests that found nothing are
# put together. Two runs that are the same give the same, event for event:
#	hybmon-print DIR | awk -f events.awk | sort -s -k1,1

# How often each function found nothing since the thread's last event.
function tell_polls(thread,   i) {
	for (i = 1; i <= polled[thread]; i++) {
		print thread, "nothing found", polls[thread, name[thread, i]], "times by", name[thread, i]
		delete polls[thread, name[thread, i]]
	}
	polled[thread] = 0
}

function poll(thread, function_name, count) {
	if (!((thread, function_name) in polls))
		name[thread, ++polled[thread]] = function_name
	polls[thread, function_name] += count
}

$1 !~ /^[0-9]+\.[0-9]+$/ || $2 == "stream" || /called from|began up-to/ {
	next
}

# the time
$2 ~ /^[0-9]+\.[0-9]+$/ {
	$2 = ""
	$0 = $0
}

$2 == "poll" {
	poll($1, $3, substr($4, length("count=") + 1))
	next
}

{
	tell_polls($1)
	print
}

END {
	for (thread in polled)
		tell_polls(thread)
}
