# SPDX-License-Identifier: BSD-3-Clause
# Reads records.tbl after the facts, for the generators that write what is recorded. They are run as
#	awk -f table.awk -f records.awk -f gen-NAME.awk [-v variable=value] mpi.tbl kinds.tbl records.tbl > output
# and find of a listed function l its lines, and the declarations of the values that they name:
#	lines[l], tag[l, i], verb[l, i], args[l, i]: TAG VERB(ARGS)
#	values[l], value[l, i], value_name[l, i]
#	is_named[l, p]: a line names the parameter p
# A line `coll` is there as the lines that it stands for, of which `record` is the operation itself, known before the
# call. Lines `status` were added: VERB is a status that the call is to give although the program wants none, ARGS what
# there is for it where it is an array. So was a line `stands` where a function has none.

BEGIN {
	split("after always before between coll failed inside poll prepare requests stands track", known_tag, " ")
	for (i in known_tag)
		is_tag[known_tag[i]] = 1
	is_verb["poll"] = "^(vain|settled|idle)$"
	is_verb["requests"] = "^(completes|starts|asks)$"
}

function records_name(   i) {
	if (!naming)
		block_size = 0
	naming = 1
	for (i = 1; i <= NF; i++) {
		if (!($i in listed))
			table_fail($i " is not in mpi.tbl")
		if (lattr[listed[$i], "like"] != "")
			table_fail($i " has the lines of " lattr[listed[$i], "like"] ", which it is like")
		if ($i in block_at)
			table_fail($i " has its lines at line " block_at[$i])
		block_at[$i] = FNR
		block[++block_size] = listed[$i]
	}
}

# A declaration as in C. The name is what stands before the = or, without one, at the end.
function records_value(   line, name) {
	line = $0
	sub(/^value[ \t]+/, "", line)
	name = line
	sub(/ = .*$/, "", name)
	sub(/\[[0-9]+\]$/, "", name)
	sub(/^.*[ *]/, "", name)
	declaration[++declarations] = line
	declared_name[declarations] = name
	value_at[declarations] = FILENAME ":" FNR
	is_value[name] = declarations
}

function records_line(   i, line) {
	naming = 0
	if (!block_size)
		table_fail("no function has this line")
	if (!($1 in is_tag))
		table_fail("unknown tag " $1)
	line = $0
	sub(/^[ \t]*[^ \t]+[ \t]+/, "", line)
	if (line !~ /^[a-z_0-9]+\(.*\)$/)
		table_fail("not NAME(arguments): " line)
	for (i = 1; i <= block_size; i++)
		records_add(block[i], $1, substr(line, 1, index(line, "(") - 1),
			substr(line, index(line, "(") + 1, length(line) - index(line, "(") - 1), FILENAME ":" FNR)
}

function records_add(l, its_tag, its_verb, its_args, where,   i) {
	if (its_tag in is_verb && its_verb !~ is_verb[its_tag])
		table_fail_at(where, "unknown " its_tag " " its_verb)
	i = ++lines[l]
	tag[l, i] = its_tag
	verb[l, i] = its_verb
	args[l, i] = its_args
	line_at[l, i] = where
}

# The parameter of that name, or 0.
function parameter(l, p,   i) {
	for (i = 1; i <= params[l]; i++)
		if (pname[l, i] == p)
			return i
	return 0
}

# Splits what is written in C into its words, which are names; not those of members, types after `struct`, numbers.
function words_of(text, found,   n, w, before) {
	n = 0
	before = ""
	while (match(text, /[A-Za-z0-9_]+/)) {
		w = substr(text, RSTART, RLENGTH)
		before = before substr(text, 1, RSTART - 1)
		text = substr(text, RSTART + RLENGTH)
		if (w !~ /^[0-9]/ && before !~ /(\.|->)$/)
			found[++n] = w (text ~ /^\(/ ? "(" : "")
		before = ""
	}
	return n
}

# Whether it needs no declaration: a constant, a macro or a function.
function is_constant(w) {
	return w ~ /\($/ || w ~ /^[A-Z][A-Z0-9_]*$/ || w ~ /^HYB_F_/ || w ~ /^(true|false|late)$/
}

# Arguments are parameters of the function, constants and values, of which it notes which the function has.
function check_arguments(l, text, where,   found, n, i) {
	n = words_of(text, found)
	for (i = 1; i <= n; i++) {
		if (is_constant(found[i]))
			continue
		if (parameter(l, found[i])) {
			is_named[l, found[i]] = 1
			continue
		}
		if (!(found[i] in is_value))
			table_fail_at(where, lname[l] " has no argument " found[i])
		has_value[l, is_value[found[i]]] = 1
	}
}

# Whether C's form of an argument is known only after a call from Fortran succeeded: an array of handles.
function names_handles(l, text,   found, n, i, p) {
	n = words_of(text, found)
	for (i = 1; i <= n; i++) {
		p = parameter(l, found[i])
		if (p && dims[l, p] != "" && conversion[kind[l, p]] ~ /^handle:/)
			return 1
	}
	return 0
}

# A collective operation is recorded with the Leave where it blocks, by what is known of it before the call; otherwise
# its record is kept under its request.
function expand_coll(l, i,   record) {
	if (kind[l, params[l]] != "REQUEST") {
		tag[l, i] = "record"
		if (names_handles(l, args[l, i])) {
			tag[l, i] = "after"
			args[l, i] = "true, " args[l, i]
			records_add(l, "stands", "coll", "comm, HYB_NO_ROOT", line_at[l, i])
		}
		return
	}
	record = "request, HYB_COLL_" toupper(verb[l, i]) ", record, hyb_ev_" verb[l, i] "(record, true, " args[l, i] ")"
	if (lname[l] !~ /_init$/) {
		tag[l, i] = "after"
		verb[l, i] = "icoll"
	} else {
		tag[l, i] = names_handles(l, args[l, i]) ? "after" : "track"
		verb[l, i] = "request_init_coll"
	}
	args[l, i] = record
}

# The call gives each status that a line names; OPTIONAL(status) leaves it to the program.
function add_statuses(l,   i, j, n, p, found, optional) {
	for (i = lines[l]; i >= 1; i--) {
		optional = sub(/OPTIONAL\(status\)/, "status", args[l, i])
		n = words_of(args[l, i], found)
		for (j = 1; j <= n && !optional; j++) {
			p = parameter(l, found[j])
			if (p && kind[l, p] == "STATUS")
				own_status(l, p, line_at[l, i])
		}
	}
}

function own_status(l, p, where) {
	if ((l, p) in is_own)
		return
	is_own[l, p] = 1
	if (dims[l, p] == "")
		records_add(l, "status", pname[l, p], "", where)
	else
		records_add(l, "status", pname[l, p], "hyb_pendings_statuses(&pends)", where)
}

# Of a call without a line it is only said where it was called.
function add_stands(l,   i) {
	for (i = 1; i <= lines[l]; i++)
		if (tag[l, i] == "stands" || tag[l, i] == "record")
			return
	records_add(l, "stands", "call", "", "")
}

function add_values(l,   d) {
	for (d = 1; d <= declarations; d++) {
		if (!((l, d) in has_value))
			continue
		value[l, ++values[l]] = declaration[d]
		value_name[l, values[l]] = declared_name[d]
	}
}

# The value after the = of a declaration, or "".
function initial(d,   p) {
	p = index(declaration[d], " = ")
	return p ? substr(declaration[d], p + 3) : ""
}

function records_end(   l, i, n, d) {
	for (l = 1; l <= last; l++) {
		n = lines[l]
		for (i = 1; i <= n; i++)
			if (tag[l, i] == "coll")
				expand_coll(l, i)
		add_statuses(l)
		add_stands(l)
		for (i = 1; i <= lines[l]; i++)
			check_arguments(l, args[l, i], line_at[l, i])
		for (d = 1; d <= declarations; d++)
			if ((l, d) in has_value)
				check_arguments(l, initial(d), value_at[d])
		add_values(l)
	}
}

FILENAME ~ /records\.tbl$/	{
	if (/,$/) {
		begun = begun $0 " "
		next
	}
	if (begun != "") {
		sub(/^[ \t]+/, "")
		$0 = begun $0
		begun = ""
	}
	if (/^value[ \t]/)
		records_value()
	else if (/^[^ \t]/)
		records_name()
	else
		records_line()
}
END				{ records_end() }
