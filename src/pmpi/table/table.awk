# SPDX-License-Identifier: BSD-3-Clause
# Reads the facts, mpi.tbl and kinds.tbl, for the generators, which are run as
#	awk -f table.awk -f gen-NAME.awk [-v variable=value] mpi.tbl kinds.tbl > output
# and, those that write what is recorded too, as records.awk says. They find the functions, twins included, in the order
# of their numbers 1..functions:
#	name[f], attr[f, "since"], large[f] (1 for a twin), like[f]: whose parameters it has
# and of a listed function l = like[f]
#	params[l], pname[l, i], kind[l, i], dims[l, i], dir[l, i], pflag[l, i]
# and for each KIND: by[k], ctype[k], clarge[k], ftype[k], fflarge[k], conversion[k].
# Fortran's flavours of them come after, numbered functions+2..entries:
#	flavour[e] (f77 or f08), of[e]: the function; spellings[e], spelling[e, i]: its symbols

function table_fail_at(where, message) {
	print where ": " message > "/dev/stderr"
	failed = 1
	exit 1
}

function table_fail(message) {
	table_fail_at(FILENAME ":" FNR, message)
}

BEGIN {
	attrs = split("since group role coll return like varargs", attr_name, " ")
	for (i in attr_name)
		is_attr[attr_name[i]] = 1
}

function table_function(   i, eq) {
	if ($1 in listed)
		table_fail($1 " is listed twice")
	listed[$1] = ++last
	lname[last] = $1
	function_at[last] = FILENAME ":" FNR
	for (i = 2; i <= NF; i++) {
		eq = index($i, "=")
		if (!(substr($i, 1, eq - 1) in is_attr))
			table_fail("unknown attribute " $i)
		lattr[last, substr($i, 1, eq - 1)] = substr($i, eq + 1)
	}
}

function trimmed(   line) {
	line = $0
	sub(/^[ \t]+/, "", line)
	return line
}

function table_parameter(   i, bracket) {
	if (NF < 3 || $3 !~ /^(in|out|inout)$/ || (NF == 4 && $4 != "large") || NF > 4)
		table_fail("not NAME KIND in|out|inout [large]: " trimmed())
	i = ++params[last]
	pname[last, i] = $1
	bracket = index($2, "[")
	kind[last, i] = bracket ? substr($2, 1, bracket - 1) : $2
	dims[last, i] = bracket ? substr($2, bracket + 1, length($2) - bracket - 1) : ""
	dir[last, i] = $3
	pflag[last, i] = $4
}

function table_add(l, twin,   f, a) {
	f = ++functions
	name[f] = lname[l] (twin ? "_c" : "")
	large[f] = twin
	like[f] = l
	if (lattr[l, "like"] != "") {
		if (!(lattr[l, "like"] in listed))
			table_fail_at(function_at[l], lname[l] " is like " lattr[l, "like"] ", which is not listed")
		like[f] = listed[lattr[l, "like"]]
	}
	for (a = 1; a <= attrs; a++)
		attr[f, attr_name[a]] = lattr[l, attr_name[a]]
	if (twin && attr[f, "since"] < 4)
		attr[f, "since"] = "4.0"
}

# Numbers the functions; a generator's END rule comes after.
function table_end(   l, i, twin) {
	for (l = 1; l <= last; l++) {
		twin = 0
		for (i = 1; i <= params[l]; i++) {
			if (!(kind[l, i] in ctype))
				table_fail_at(function_at[l],
					lname[l] " has an argument of the unknown KIND " kind[l, i])
			if (clarge[kind[l, i]] != "-")
				twin = 1
		}
		table_add(l, 0)
		if (twin)
			table_add(l, 1)
	}
	# HYB_MPI_FUNCTIONS is no function
	entries = functions + 1
	for (l = 1; l <= functions; l++)
		table_fortran(l)
}

# Whether a parameter is one in Fortran too. MPI_Init has no argc there.
function in_fortran(f, i,   l) {
	l = like[f]
	if (pname[l, i] == "argc" || kind[l, i] == "ARGV")
		return 0
	return pflag[l, i] != "large" || large[f]
}

# Not all of C's functions are in Fortran. An implementation's own follow no standard, unless they are what became a
# function of it.
function is_fortran(f,   l, i) {
	l = like[f]
	if (name[f] !~ /^MPI_/ && (lname[l] !~ /^MPI_/ || large[f]))
		return 0
	if (name[f] ~ /^MPI_T_/)
		return 0
	if (attr[f, "return"] !~ /^(|DOUBLE|AINT)$/)
		return 0
	for (i = 1; i <= params[l]; i++) {
		if (in_fortran(f, i) && conversion[kind[l, i]] == "no")
			return 0
		if (kind[l, i] ~ /.STATUS$/)
			return 0
	}
	return 1
}

function has_buffer(f,   l, i) {
	l = like[f]
	for (i = 1; i <= params[l]; i++)
		if (kind[l, i] == "BUF")
			return 1
	return 0
}

function add_spelling(symbol) {
	spelling[entries, ++spellings[entries]] = symbol
}

# As compilers name a procedure that is none of a module: with one underscore by default on Linux. The others are names
# that C programs give, too: -v fortran_names="double plain upper" asks for them.
function add_spellings(lower) {
	add_spelling(lower "_")
	if (fortran_names ~ /double/)
		add_spelling(lower "__")
	if (fortran_names ~ /plain/)
		add_spelling(lower)
	if (fortran_names ~ /upper/)
		add_spelling(toupper(lower))
}

# `use mpi` has it twice: with an address as a number and, under another name, as type(c_ptr), which is passed alike.
function has_pointer(f,   l) {
	l = like[f]
	return kind[l, params[l]] == "PTR" || kind[l, params[l] - 1] == "PTR" && kind[l, params[l]] == "WIN"
}

# A flavour is one interface, whatever the symbols that lead to it are called.
function table_fortran(f,   lower, ts) {
	if (!is_fortran(f))
		return
	lower = tolower(name[f])
	ts = has_buffer(f) ? "ts" : ""
	if (!large[f]) {
		of[++entries] = f
		flavour[entries] = "f77"
		add_spellings(lower)
		if (has_pointer(f))
			add_spellings(lower "_cptr")
	}
	of[++entries] = f
	flavour[entries] = "f08"
	if (large[f]) {
		sub(/_c$/, "", lower)
		add_spelling(lower "_c_f08" ts "_")
		add_spelling(lower "_f08" ts "_large_")
		return
	}
	add_spelling(lower "_f08_")
	if (ts != "")
		add_spelling(lower "_f08ts_")
}

/^[ \t]*(#|$)/			{ next }
FILENAME ~ /kinds\.tbl$/	{
	columns = split($0, column, /\t+/)
	if (columns != 7)
		table_fail("not 7 columns: " trimmed())
	by[column[1]] = column[2]
	ctype[column[1]] = column[3]
	clarge[column[1]] = column[4]
	ftype[column[1]] = column[5]
	fflarge[column[1]] = column[6]
	conversion[column[1]] = column[7]
	next
}
FILENAME ~ /mpi\.tbl$/		{
	if (/^MPI/)
		table_function()
	else if (/^\t/)
		table_parameter()
	else
		table_fail("neither a function nor an argument: " trimmed())
	next
}
END				{ if (failed) exit 1; table_end() }
