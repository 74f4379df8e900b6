# SPDX-License-Identifier: BSD-3-Clause
# Reads records.tbl after the facts for the generators that write what is recorded, which are run as
#	awk -f table.awk -f records.awk -f gen-NAME.awk [-v variable=value] mpi.tbl kinds.tbl records.tbl > output
# and find of a listed function l
#	lines[l], tag[l, i], text[l, i]

function records_name(   i) {
	if (!naming)
		named_now = 0
	naming = 1
	for (i = 1; i <= NF; i++) {
		if (!($i in listed))
			table_fail($i " is not in mpi.tbl")
		if ($i in recorded_at)
			table_fail($i " has a block already, at line " recorded_at[$i])
		recorded_at[$i] = FNR
		block[++named_now] = listed[$i]
	}
}

function records_line(   i, l, line) {
	naming = 0
	if (!named_now)
		table_fail("a line of no function: " $0)
	if ($1 !~ /^(before|after|always|between|poll|settled|idle|status|statuses|let|known|requests|starts|asks|prepare|track|failed|inside)$/)
		table_fail("unknown tag " $1)
	line = $0
	sub(/^[ \t]*[^ \t]+[ \t]+/, "", line)
	for (i = 1; i <= named_now; i++) {
		l = block[i]
		tag[l, ++lines[l]] = $1
		text[l, lines[l]] = line
	}
}

FILENAME ~ /records\.tbl$/	{
	if (/^[^ \t]/)
		records_name()
	else
		records_line()
}
