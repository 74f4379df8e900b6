# SPDX-License-Identifier: BSD-3-Clause
# Makes the manual page of the environment variables, in markdown, from the configuration table:
#	awk -f gen-env.awk config.tbl.h > hybmon-env.7.md

# Markdown would take these characters for its own.
function plain(text) {
	gsub(/[<>$*_`]/, "\\\\&", text)
	return text
}

function entry(text,	names, strings, count, help, i) {
	sub(/^HYB_CONFIG\(/, "", text)
	split(text, names, /, */)
	count = split(text, strings, /"/)
	for (i = 6; i < count; i += 2)
		help = help strings[i]
	printf "**HYBMON\\_%s** (%s; ", plain(names[2]), plain(strings[4])
	printf "%s)\n", strings[2] == "" ? "not set by default" : "default " plain(strings[2])
	printf ":   %s\n\n", plain(help)
}

BEGIN {
	print "% HYBMON-ENV(7)\n"
	print "# NAME\n"
	print "hybmon-env - environment variables of hybmon\n"
	print "# DESCRIPTION\n"
	print "The library libhybmon.so is told what to do by environment variables. They are read once,"
	print "at the program's first MPI call or first use of OpenMP; what the program does to its"
	print "environment later changes nothing. A wrong value and an unknown variable that begins with HYBMON\\_ give one line on"
	print "the standard error with the nearest valid name. **hybmon config** shows the values that"
	print "would be in effect.\n"
	print "Sizes are numbers of bytes, or numbers with K, M, G or T for powers of 1024. Times have ns, us, ms or s behind the"
	print "number. Words are not case-sensitive; for yes and no also on and off, true and false, 1 and 0 are understood. An"
	print "empty value is the same as none. In set-user-ID programs all variables are ignored and"
	print "nothing is recorded.\n"
	print "# VARIABLES\n"
}

/^HYB_CONFIG\(/ { text = "" ; inside = 1 }
inside {
	text = text $0
	if (/\)$/) {
		entry(text)
		inside = 0
	}
}

END {
	print "# SEE ALSO\n"
	print "**hybmon**(1), **hybmon-print**(1), **hybmon-merge**(1), **libhybmon**(3)"
}
