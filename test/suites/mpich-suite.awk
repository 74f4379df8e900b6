# SPDX-License-Identifier: BSD-3-Clause
# The report of mpich-suite.sh. Reads tests.tsv (number, folder, program, ranks, the rest), results.tsv (key, way,
# try, verdict, status, seconds, ranks) and experiments.tsv (key, what hybmon-merge said, and the verdict of that run), in
# this order. Exits with 1 if some test ended worse with hybmon than without.
BEGIN { FS = "\t" }

FNR == 1 { file = FILENAME; sub(/.*\//, "", file) }

file == "tests.tsv" {
	folder[$1] = $2
	title[$1] = $2 "/" $3 " " $4 ($5 == "" ? "" : " " $5)
	ranks[$1] = $4
	dies[$1] = $5 ~ /resultTest=/
	next
}

# the first try is what is counted; the others show what flakes
file == "results.tsv" {
	split($1, key, ".")
	number = key[1]
	if ($3 == 0)
		first[number, $2] = $4
	if ($2 == "hybmon" && $7 != "" && $7 < ranks[number])
		fewer[number]
	tries[number, $2]++
	if ($4 == "pass")
		passed[number, $2]++
	next
}

{
	split($1, key, ".")
	number = key[1]
	ok = $15 == "pass"
	experiments++
	matched += $6
	unmerged += $2 != 0
	if ($2 || $3 || $4 || $5 || $10 + $11 || ok && !dies[number] && ($12 + $13 || $16 != ""))
		trouble = trouble sprintf("  %-52s merge %s, complaints %d, readers %s, on stderr %d," \
			" lost %d, damaged %d, leaves %d, open %d %s\n", title[number], $2, $3, $4, $5, $10, $11, $12,
			$13, $16)
	if (ok && !dies[number] && ($7 || $8 || $9)) {
		unmatched++
		halves = halves sprintf("  %-52s %d matched, %d sends, %d receives, %d collectives\n", title[number],
			$6, $7, $8, $9)
	}
}

function way(number, which)
{
	return first[number, which] " " passed[number, which] + 0 "/" tries[number, which]
}

# One test of both ways: what it counts as.
function judge(number, f, plain, traced, flakes)
{
	plain = first[number, "plain"]
	traced = first[number, "hybmon"]
	sum[f, "built"]++
	sum[f, "fewer"] += number in fewer
	sum[f, "plain"] += plain == "pass"
	sum[f, "hybmon"] += traced == "pass"
	sum[f, "quick"] += plain == ""
	sum[f, "neither"] += plain != "pass" && plain != "" && traced != "pass"
	if (plain == traced || plain == "")
		return
	sum[f, "differ"]++
	# what does not always pass by itself flakes without us
	flakes = passed[number, "plain"] > 0 && passed[number, "plain"] < tries[number, "plain"]
	differences = differences sprintf("  %-52s plain %s, hybmon %s%s\n", title[number], way(number, "plain"),
		way(number, "hybmon"), flakes ? ", unsteady without hybmon" : "")
	if (passed[number, "plain"] > passed[number, "hybmon"] && !flakes)
		worse++
}

function row(name, f)
{
	return sprintf("%-24s %7d %7d %7d %7d %7d %7d %7d %7d\n", name, sum[f, "listed"], sum[f, "built"],
		sum[f, "fewer"], sum[f, "plain"], sum[f, "quick"], sum[f, "hybmon"], sum[f, "neither"], sum[f, "differ"])
}

END {
	columns = split("listed built fewer plain quick hybmon neither differ", column, " ")
	for (number in folder) {
		# a quick run that was stopped before its second way has no result
		if (!((number, "plain") in first) && first[number, "hybmon"] != "pass")
			continue
		f = folder[number]
		seen[f]
		sum[f, "listed"]++
		if (first[number, "plain"] != "not-built")
			judge(number, f)
	}
	printf "%s\n%-24s %7s %7s %7s %7s %7s %7s %7s %7s\n", mpi, "folder", "run", "built", "fewer", "plain", "(quick)",
		"hybmon", "neither", "differ"
	for (f in seen) {
		printf "%s", row(f, f) | "sort"
		for (i = 1; i <= columns; i++)
			sum["", column[i]] += sum[f, column[i]]
	}
	close("sort")
	printf "%s", row("all", "")
	printf "\ntests that ended otherwise with hybmon (passed/tries): %d\n%s", sum["", "differ"], differences
	printf "\nexperiments: %d, not merged: %d, messages matched: %d; with something to look at:\n%s", experiments,
		unmerged, matched, trouble
	printf "\ntests that pass and leave something without its other half: %d\n%s", unmatched, halves
	exit worse > 0
}
