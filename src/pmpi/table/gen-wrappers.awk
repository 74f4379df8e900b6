# SPDX-License-Identifier: BSD-3-Clause
# Writes an adapter's wrappers: one for each function of the table that its MPI declares. The table
# says what they pass on, so that one MPI's const or the other's plays no part.
# usage: awk -v abi=NAME -v declared=FILE -f table.awk -f records.awk -f gen-wrappers.awk mpi.tbl kinds.tbl records.tbl \
#	> wrappers-NAME.c
# where FILE holds the output of list-declared.sh for that MPI's compiler. With -v out=prototypes it
# writes the table's prototypes instead: that they compile shows that the table agrees with mpi.h.

# A parameter's C declaration, or with name "" its type.
function declare(f, l, i, name,   k, type) {
	k = kind[l, i]
	type = large[f] && clarge[k] != "-" ? clarge[k] : ctype[k]
	if (by[k] == "value" && dims[l, i] == "" && dir[l, i] == "in")
		return type (name == "" || type ~ /\*$/ ? "" : " ") name
	if (dir[l, i] == "in" && k !~ /^(STATE|ATTR)$/)
		type = type ~ /\*$/ ? type "const" : "const " type
	if (match(type, /\[[0-9]+\]$/))
		return substr(type, 1, RSTART - 1) " (*" name ")" substr(type, RSTART)
	return type (type ~ /\*$/ ? "*" : " *") name
}

# Prints a line in pieces, broken before column 100; `at` is where the last piece ended.
function begin_line(text, tabs) {
	printf "%s", text
	at = length(text) + 7 * tabs
	fresh = 1
}

function put(text) {
	if (at + length(text) > 98) {
		printf "\n\t\t%s", text
		at = 16 + length(text)
	} else {
		printf "%s%s", fresh ? "" : " ", text
		at += length(text) + !fresh
	}
	fresh = 0
}

# what: "types", "parameters" or "arguments"
function put_list(f, what, close_with,   l, i, item, n) {
	l = like[f]
	n = 0
	for (i = 1; i <= params[l]; i++)
		if (pflag[l, i] != "large" || large[f])
			chosen[++n] = i
	if (!n)
		put((what == "arguments" ? "" : "void") close_with)
	for (i = 1; i <= n; i++) {
		item = pname[l, chosen[i]]
		if (what != "arguments")
			item = declare(f, l, chosen[i], what == "types" ? "" : item)
		put(item (i < n ? "," : close_with))
	}
}

# How many lines of a tag there are.
function has(l, which,   i, n) {
	n = 0
	for (i = 1; i <= lines[l]; i++)
		n += tag[l, i] == which
	return n
}

# The same of a tag with this verb.
function has_verb(l, which, its_verb,   i, n) {
	n = 0
	for (i = 1; i <= lines[l]; i++)
		n += tag[l, i] == which && verb[l, i] == its_verb
	return n
}

# Whether one status, or an array of them, is to be given in any case.
function has_status(l, many,   i, n) {
	n = 0
	for (i = 1; i <= lines[l]; i++)
		n += tag[l, i] == "status" && (args[l, i] != "") == many
	return n
}

# A call with what comes before its arguments.
function with(first, l, i) {
	return "(" first (args[l, i] == "" ? "" : ", ") args[l, i] ");"
}

# All lines of one tag, as statements; f is asked for by those that say whose they are.
function statements(l, which, indent, f,   i) {
	for (i = 1; i <= lines[l]; i++) {
		if (tag[l, i] != which)
			continue
		if (which == "before")
			print indent "pos = hyb_ev_" verb[l, i] with("pos, &late", l, i)
		else if (which == "after")
			print indent "pos = hyb_ev_" verb[l, i] with("pos", l, i)
		else if (which == "always")
			print indent "pos = hyb_ev_" verb[l, i] with("pos, ret", l, i)
		else if (which == "between")
			print indent "pos = hyb_" verb[l, i] with("pos, HYB_F_" name[f] ", ret", l, i)
		else
			print indent "hyb_" verb[l, i] "(" args[l, i] ");"
	}
}

# One status or an array of them.
function own_statuses(l, indent, many,   i) {
	for (i = 1; i <= lines[l]; i++)
		if (tag[l, i] == "status" && (args[l, i] != "") == many)
			print indent "if (" verb[l, i] " == MPI_STATUS" (many ? "ES" : "") "_IGNORE)\n" \
				indent "\t" verb[l, i] " = " (many ? args[l, i] : "&own") ";"
}

function declare_values(l,   i) {
	for (i = 1; i <= values[l]; i++)
		print "\t" value[l, i] ";"
}

# Whether the call may become part of a row: then its Enter is not published before it.
function has_rows(l) {
	return has(l, "poll")
}

# Whether it may do so only if its like came before.
function has_repeats(l) {
	return has_verb(l, "poll", "settled") + has_verb(l, "poll", "idle")
}

# One that is known to have an effect publishes its Enter all the same.
function works(l, indent,   i) {
	for (i = 1; i <= lines[l]; i++)
		if (tag[l, i] == "poll" && verb[l, i] == "idle" && args[l, i] != "true")
			print indent "if (!" args[l, i] ")\n" indent "\tpos = hyb_poll_works(pos);"
}

# What such a call does that had no effect: it joins a row, which is its end, of which `ending` has the statements. Else
# its Enter is due.
function poll(f, l, indent, ending,   i, again, kind) {
	gsub("\n", "\n" indent "\t", ending)
	for (i = 1; i <= lines[l]; i++) {
		if (tag[l, i] != "poll")
			continue
		kind = toupper(verb[l, i])
		again = "hyb_poll_again(HYB_F_" name[f] ", __builtin_return_address(0), HYB_POLL_" kind ")"
		if (kind == "VAIN") {
			print indent "if (hyb_likely(ret == MPI_SUCCESS && (" args[l, i] ")) &&\n" indent "    " again ") {"
		} else {
			print indent "again = ret == MPI_SUCCESS && (" args[l, i] ");"
			print indent "if (again && " again ") {"
		}
		print indent "\t" ending "\n" indent "}"
	}
	if (has_rows(l))
		print indent "pos = hyb_poll_found(&frame, pos);"
}

# The end of a call.
function end_call(l, indent) {
	print indent "hyb_end_call(&frame, pos);"
	if (has_repeats(l))
		print indent "if (again)\n" indent "\thyb_mpi_self.polls.settled = hyb_self.pos;"
}

function enter_call(f) {
	return (has_rows(like[f]) ? "hyb_poll_enter" : "hyb_enter") "(&frame, " entered(f) ")"
}

function call_next(f, text, tabs) {
	begin_line(text "next(", tabs)
	put_list(f, "arguments", ");")
	print ""
}

# The Leave's error code, and the beginning of the block for what the call did.
function outcome(f, indent) {
	print indent "if (hyb_unlikely(ret != MPI_SUCCESS)) {"
	print indent "\tpos = hyb_ev_error(pos, ret);\n" indent "}" (attr[f, "coll"] == "" ? " else {" : "")
	if (attr[f, "coll"] != "")
		print indent "if (hyb_likely(ret == MPI_SUCCESS) || hyb_coll_took_part(ret, comm)) {"
}

# The Leave group: an error code, or what the call did.
function leave(f, l, indent,   i) {
	print indent "pos = hyb_leave_call(&frame, HYB_F_" name[f] ", pos);"
	statements(l, "between", indent, f)
	if (!has(l, "after") && !has(l, "before")) {
		print indent "if (hyb_unlikely(ret != MPI_SUCCESS))"
		print indent "\tpos = hyb_ev_error(pos, ret);"
		statements(l, "always", indent)
		return
	}
	outcome(f, indent)
	for (i = 1; i <= lines[l]; i++)
		if (tag[l, i] == "before")
			printf "%s\tif (hyb_unlikely(late))\n%s\t\t%s\n", indent, indent,
				"pos = hyb_ev_late_" verb[l, i] with("pos", l, i)
	statements(l, "after", indent "\t")
	print indent "}"
	statements(l, "always", indent)
}

# What the requests of a call are, for functions that are told of them. Before and behind a parameter's name stands what
# makes a C value of it.
function its_requests(l, i, before, behind,   count, array) {
	array = args[l, i]
	count = substr(array, 1, index(array, ",") - 1)
	array = substr(array, index(array, ",") + 2)
	return (count ~ /^[0-9]+$/ ? count : before count behind) ", " (before == "" ? "" : "f_") array
}

# The condition that a call is not recorded. The functions that ask about its requests begin with `prefix`; before and
# behind as above.
function is_off(f, prefix, before, behind,   i, l, off, its) {
	l = like[f]
	off = "hyb_is_off(1u << HYB_GROUP_" toupper(attr[f, "group"]) ")"
	for (i = 1; i <= lines[l]; i++) {
		if (tag[l, i] != "requests")
			continue
		its = its_requests(l, i, before, behind)
		if (verb[l, i] == "asks")
			off = off " &&\n\t    !" prefix "request_recorded(" (before == "" ? "&" : "") substr(its, 4) ")"
		else
			off = off " &&\n\t    !" prefix "requests_recorded(" (verb[l, i] == "starts" ? "true, " : "false, ") its ")"
	}
	return off
}

# Whether there is more to do for a call without a record than to pass it on.
function has_unseen(l, lost) {
	return has_verb(l, "requests", "starts") + (lost && has_verb(l, "requests", "completes"))
}

# That, before the call, or after it. lost: for want of space.
function unseen(l, when, lost, indent, prefix, before, behind,   i, its) {
	for (i = 1; i <= lines[l]; i++) {
		its = its_requests(l, i, before, behind)
		if (tag[l, i] != "requests")
			continue
		if (verb[l, i] == "starts")
			print indent prefix (when == "before" ? "starts_unseen(" : "starts_done(") its ");"
		else if (verb[l, i] == "completes" && lost && when == "before")
			print indent prefix "requests_unseen(" its ");"
	}
}

# A call that leaves no record, as the rest of the function.
function pass_on(f, l, lost) {
	if (!has_unseen(l, lost)) {
		call_next(f, "\t\treturn ", 2)
		return
	}
	unseen(l, "before", lost, "\t\t", "hyb_", "", "")
	if (has_verb(l, "requests", "starts")) {
		call_next(f, "\t\tret = ", 2)
		unseen(l, "after", lost, "\t\t", "hyb_", "", "")
		print "\t\treturn ret;"
	} else {
		call_next(f, "\t\treturn ", 2)
	}
}

# The region of a call as it begins.
function entered(f) {
	return "HYB_F_" name[f] (has_rows(like[f]) || is_brief(f) ? " | HYB_UNPUBLISHED" : "")
}

# A function with a value has neither errors nor events and asks nobody for it: Enter and Leave are one record.
function is_brief(f) {
	return attr[f, "return"] != ""
}

function is_off_c(f) {
	return is_off(f, "hyb_", "", "")
}

# The call and its records, where something is to be done also if it is not recorded.
function call_with_actions(f, l) {
	printf "\tpos = %s ? NULL : %s;\n", is_off_c(f), enter_call(f)
	if (has(l, "status") + has(l, "before") + !has_rows(l)) {
		print "\tif (hyb_likely(pos != NULL)) {"
		own_statuses(l, "\t\t", 0)
		statements(l, "before", "\t\t")
		own_statuses(l, "\t\t", 1)
		if (!has_rows(l))
			print "\t\thyb_publish(pos);"
		print "\t}"
	}
	statements(l, "prepare", "\t")
	call_next(f, "\tret = ", 1)
	print "\tif (hyb_likely(pos != NULL)) {"
	poll(f, l, "\t\t", "return ret;")
	leave(f, l, "\t\t")
	end_call(l, "\t\t")
	print "\t}"
	if (has(l, "track"))
		print "\tif (ret == MPI_SUCCESS) {\n\t\thyb_mpi_self.tracked = HYB_F_" name[f] ";"
	statements(l, "track", "\t\t")
	if (has(l, "track"))
		print "\t}"
	if (has(l, "failed"))
		print "\tif (hyb_unlikely(ret != MPI_SUCCESS)) {"
	statements(l, "failed", "\t\t")
	if (has(l, "failed"))
		print "\t}"
	if (has(l, "inside"))
		print "\tif (hyb_unlikely(!pos) && ret == MPI_SUCCESS) {"
	statements(l, "inside", "\t\t")
	if (has(l, "inside"))
		print "\t}"
}

# The same where nothing is: what is not recorded goes straight on.
function call_alone(f, l) {
	print "\tif (" is_off_c(f) ")" (has_unseen(l, 0) ? " {" : "")
	pass_on(f, l, 0)
	if (has_unseen(l, 0))
		print "\t}"
	printf "\tpos = %s;\n", enter_call(f)
	print "\tif (hyb_unlikely(!pos))" (has_unseen(l, 1) ? " {" : "")
	pass_on(f, l, 1)
	if (has_unseen(l, 1))
		print "\t}"
	own_statuses(l, "\t", 0)
	statements(l, "before", "\t")
	own_statuses(l, "\t", 1)
	if (!has_rows(l) && !is_brief(f))
		print "\thyb_publish(pos);"
	works(l, "\t")
	call_next(f, "\tret = ", 1)
	if (is_brief(f)) {
		print "\thyb_end_brief(&frame, HYB_F_" name[f] ");"
		return
	}
	poll(f, l, "\t", "return ret;")
	leave(f, l, "\t")
	end_call(l, "\t")
}

function wrapper(f,   l, type) {
	l = like[f]
	type = attr[f, "return"] == "" ? "int" : ctype[attr[f, "return"]]

	begin_line("static " type " w_" name[f] "(", 0)
	put_list(f, "parameters", ")")
	print "\n{"
	begin_line("\t" type " (*next)(", 1)
	put_list(f, "types", ") = HYB_NEXT(HYB_F_" name[f] ");")
	print ""
	declare_values(l)
	print "\tstruct hyb_frame frame;"
	if (has(l, "before"))
		print "\tbool late = false;"
	if (has_repeats(l))
		print "\tbool again;"
	if (has_status(l, 0))
		print "\tMPI_Status own;"
	print "\tuint64_t *pos;"
	print "\t" type " ret;\n"

	if (has(l, "prepare") || has(l, "track"))
		call_with_actions(f, l)
	else
		call_alone(f, l)
	print "\treturn ret;\n}\n"
}

function read_declared(   line, status) {
	while ((status = (getline line < declared)) > 0)
		has_function[line] = 1
	if (status < 0) {
		printf "cannot read %s\n", declared > "/dev/stderr"
		exit 1
	}
}

# What the header of the same MPI must agree with but for const.
function prototypes(   f, type) {
	print "#include <stddef.h>\n#include <stdint.h>\n#define const"
	print "#define OMPI_OMIT_MPI1_COMPAT_DECLS 0\n#include <mpi.h>"
	print "#if __has_include(<mpi-ext.h>)\n#include <mpi-ext.h>\n#endif\n"
	for (f = 1; f <= functions; f++) {
		if (!(name[f] in has_function))
			continue
		type = attr[f, "return"] == "" ? "int" : ctype[attr[f, "return"]]
		begin_line(type " " name[f] "(", 0)
		put_list(f, "parameters", attr[f, "wrapper"] == "hand" ? ", ...);" : ");")
		print ""
	}
}

function adapter(   f, hand) {
	print "#include \"pmpi/adapter/adapter.h\"\n#include \"pmpi/adapter/handles/comm.h\"\n#include \"pmpi/entry/dispatch.h\""
	print "#include \"pmpi/adapter/arguments.h\"\n#include \"pmpi/adapter/events.h\"\n#include \"pmpi/table/functions.h\""
	print "#include \"pmpi/adapter/requests/poll.h\"\n#include \"pmpi/adapter/requests/request.h\"\n#include \"pmpi/adapter/handles/session.h\"\n"
	for (f = 1; f <= functions; f++) {
		if (!(name[f] in has_function))
			continue
		if (attr[f, "wrapper"] == "hand")
			print "/* Code, of which only the address is used. */\n" \
				"extern char hyb_wrap_" name[f] "[];\n"
		else
			wrapper(f)
	}
	print "static void *const wrappers[HYB_MPI_FUNCTIONS] = {"
	for (f = 1; f <= functions; f++) {
		hand = attr[f, "wrapper"] == "hand"
		if (name[f] in has_function)
			printf "\t[HYB_F_%s] = %s%s,\n", name[f], hand ? "hyb_wrap_" : "w_", name[f]
	}
	print "};\n"
	print "HYB_EXPORT const struct hyb_adapter hyb_adapter = {"
	print "\t.version = HYB_ADAPTER_VERSION,\n\t.functions = HYB_MPI_FUNCTIONS,"
	print "\t.abi = \"" abi "\",\n\t.wrappers = wrappers,"
	print "\t.entries = HYB_MPI_ENTRIES,\n\t.fortran = hyb_fortran_wrappers,\n};"
}

END {
	if (failed)
		exit 1
	read_declared()
	print "/* SPDX-License-Identifier: BSD-3-Clause */"
	print "/* Generated by gen-wrappers.awk from mpi.tbl for the ABI " abi ". */"
	if (out == "prototypes")
		prototypes()
	else if (out != "fortran")
		adapter()	# with out=fortran, gen-fortran.awk goes on
}
