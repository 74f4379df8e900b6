# SPDX-License-Identifier: BSD-3-Clause
# The wrapper, once for all languages: Enter and what is attached, the call, Leave and what is attached, actions. What
# differs gen-wrappers.awk or gen-fortran.awk says, of a function f with the lines of l:
#	lang_head(f, l)			the head, the next function, and what is declared before Enter
#	lang_early(p, what)		a parameter before Enter, unconverted: a count, an array of requests, a request
#	lang_prefix			of the functions that are told of such requests
#	lang_off_first			what is not to be recorded is passed on before Enter, by a call of its own
#	lang_arguments(f, l)		arguments as C sees them, and what is declared after Enter
#	lang_status(f, l, many, indent)	a status of our own, or an array of them, where the program wants none
#	lang_gives(f)			what stands before the call: "ret = ", or "" where it has no value
#	lang_next(f, text, tabs)	a statement: `text` and the call of the next function
#	lang_results(f, l)		after the call: `ret`, and what else it gave as C sees it
#	lang_found(f, l, indent)	before the Leave of a call that is no part of a row
#	lang_after(f, l, indent)	the lines `after`
#	lang_release(f, l)		statements, one a line, that give back what a recorded call's arguments took
#	lang_track(f)			the beginning of the block of actions that the innermost wrapper does
#	lang_end(f, l)			what is given back in any case, and the return
#
# The wrappers are in several files: `part' names one of them, by common or rare (common.tbl), in Fortran after a flavour.
# Without a part the generator writes the table of all wrappers.

FILENAME ~ /common\.tbl$/ {
	for (i = 1; i <= NF; i++)
		if (("MPI_" $i) in listed)
			is_common["MPI_" $i] = 1
		else
			table_fail("MPI_" $i " is not in mpi.tbl")
}

# True if a function's wrapper is in this part.
function is_in_part(f) {
	return part ~ (name[f] in is_common ? "common" : "rare")
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

# A call with what comes before its arguments; the same as a statement's end.
function call_with(first, l, i) {
	return "(" first (args[l, i] == "" ? "" : ", ") args[l, i] ")"
}

function with(first, l, i) {
	return call_with(first, l, i) ";"
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

# The call gets a status of our own, or an array of them, where the program wants none.
function own_statuses(l, many, indent,   i) {
	for (i = 1; i <= lines[l]; i++)
		if (tag[l, i] == "status" && (args[l, i] != "") == many)
			print indent "if (" verb[l, i] " == MPI_STATUS" (many ? "ES" : "") "_IGNORE)\n" \
				indent "\t" verb[l, i] " = " (many ? args[l, i] : "&own") ";"
}

# The values that lines name.
function declare_values(l,   i) {
	for (i = 1; i <= values[l]; i++)
		print "\t" value[l, i] ";"
}

# What the records need to know of the call meanwhile.
function declare_flags(l) {
	if (has(l, "before"))
		print "\tbool late = false;"
	if (has(l, "record"))
		print "\tuint64_t *entered, *end;"
	if (has_rows(l))
		print "\tenum hyb_poll_place place;"
	if (has_repeats(l))
		print "\tbool again;"
}

# What the thread waits for, as a statement that begins with `stand`, and `place`, where that is put.
function stands(l, stand, place, indent,   i) {
	for (i = 1; i <= lines[l]; i++) {
		if (tag[l, i] == "stands" && verb[l, i] == "untold")
			print indent "hyb_stand_untold(" place ");"
		else if (tag[l, i] == "stands")
			print indent stand "hyb_st_" verb[l, i] call_with(place, l, i) ");"
		if (tag[l, i] != "record")
			continue
		print indent "entered = pos;"
		print indent "end = hyb_ev_" verb[l, i] with("pos, false", l, i)
		print indent "hyb_stand(end, HYB_STAND_RECORD);"
	}
}

# The record of a collective operation with its Leave, as it was put before the call, or made now.
function known_record(l, indent,   i, now) {
	for (i = 1; i <= lines[l]; i++) {
		if (tag[l, i] != "record")
			continue
		now = "pos = hyb_ev_" verb[l, i] with("pos, true", l, i)
		print indent "if (hyb_likely(pos == entered && end != entered))\n" indent "\tpos = end;"
		print indent "else\n" indent "\t" now
	}
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
	for (i = 1; i <= lines[l]; i++) {
		if (tag[l, i] != "poll" || verb[l, i] != "idle" || args[l, i] == "true")
			continue
		print indent "if (!" args[l, i] ") {\n" indent "\tpos = hyb_poll_works(pos);"
		stands(l, "hyb_stand(pos, ", "pos", indent "\t")
		print indent "\thyb_publish(pos);\n" indent "}"
	}
}

# What such a call does that had no effect: it joins a row, which is its end, of which `ending` has the statements.
# Otherwise its Enter is due.
function poll(f, l, indent, ending,   i, again, kind) {
	gsub("\n", "\n" indent "\t", ending)
	for (i = 1; i <= lines[l]; i++) {
		if (tag[l, i] != "poll")
			continue
		kind = toupper(verb[l, i])
		again = "(place = hyb_poll_again(HYB_F_" name[f] ", __builtin_return_address(0), HYB_POLL_" kind "))"
		if (kind == "VAIN") {
			print indent "if (hyb_likely(ret == MPI_SUCCESS && (" args[l, i] ")) &&"
			print indent "    " again " != HYB_POLL_NONE) {"
		} else {
			print indent "again = ret == MPI_SUCCESS && (" args[l, i] ");"
			print indent "if (again &&"
			print indent "    " again " != HYB_POLL_NONE) {"
		}
		print indent "\tif (hyb_unlikely(place == HYB_POLL_READ))"
		stands(l, "hyb_poll_stand(HYB_F_" name[f] ", ", "hyb_poll_standing()", indent "\t\t")
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

# The region of a call as it begins.
function entered(f) {
	return "HYB_F_" name[f] (has_rows(like[f]) || is_brief(f) ? " | HYB_UNPUBLISHED" : "")
}

# A function with a value has neither errors nor events and asks nobody for it: Enter and Leave are one record.
function is_brief(f) {
	return attr[f, "return"] != ""
}

# The first of the arguments of a line `requests`, how many there are, or the second, where.
function requests_count(l, i,   count) {
	count = substr(args[l, i], 1, index(args[l, i], ",") - 1)
	return count ~ /^[0-9]+$/ ? count : lang_early(count, "count")
}

function requests_array(l, i) {
	return substr(args[l, i], index(args[l, i], ",") + 2)
}

# The condition that a call is not recorded.
function is_off(f,   i, l, off) {
	l = like[f]
	off = "hyb_is_off(1u << HYB_GROUP_" toupper(attr[f, "group"]) ")"
	for (i = 1; i <= lines[l]; i++) {
		if (tag[l, i] != "requests")
			continue
		off = off " &&\n\t    !" lang_prefix
		if (verb[l, i] == "asks")
			off = off "request_recorded(" lang_early(requests_array(l, i), "request") ")"
		else
			off = off "requests_recorded(" (verb[l, i] == "starts" ? "true, " : "false, ") \
				requests_count(l, i) ", " lang_early(requests_array(l, i), "array") ")"
	}
	return off
}

# What there is to do about its requests for a call without a record, `when` it is: before, or after. lost: for want of
# space.
function unseen(l, when, lost, indent,   i, its, all) {
	for (i = 1; i <= lines[l]; i++) {
		if (tag[l, i] != "requests")
			continue
		its = requests_count(l, i) ", " lang_early(requests_array(l, i), "array") ");\n"
		if (verb[l, i] == "starts")
			all = all indent lang_prefix (when == "before" ? "starts_unrecorded(" : "starts_unrecorded_done(") its
		else if (verb[l, i] == "completes" && lost && when == "before")
			all = all indent lang_prefix "requests_forget(" its
	}
	return all
}

# A call that leaves no record, as the rest of the function, where that condition holds.
function pass_on(f, l, condition, lost,   before, after, straight) {
	before = unseen(l, "before", lost, "\t\t")
	after = unseen(l, "after", lost, "\t\t")
	straight = after == "" && lang_gives(f) != ""
	print "\tif (" condition ")" (straight && before == "" ? "" : " {")
	printf "%s", before
	lang_next(f, "\t\t" (straight ? "return " : lang_gives(f)), 2)
	printf "%s", after
	if (!straight)
		print "\t\treturn" (lang_gives(f) == "" ? "" : " ret") ";"
	if (!straight || before != "")
		print "\t}"
}

# Enter. What is not recorded goes straight on, unless there are actions.
function enter(f, l, actions) {
	if (!actions && lang_off_first) {
		pass_on(f, l, is_off(f), 0)
		printf "\tpos = %s;\n", enter_call(f)
	} else {
		printf "\tpos = %s ? NULL : %s;\n", is_off(f), enter_call(f)
	}
	if (!actions)
		pass_on(f, l, "hyb_unlikely(!pos)", 1)
}

# What comes before the call; guarded: where it may be one that is not recorded.
function before_call(f, l, actions,   guarded, indent) {
	guarded = actions && has(l, "status") + has(l, "before") + !has_rows(l) > 0
	indent = guarded ? "\t\t" : "\t"
	if (guarded)
		print "\tif (hyb_likely(pos != NULL)) {"
	lang_status(f, l, 0, indent)
	statements(l, "before", indent)
	lang_status(f, l, 1, indent)
	if (!has_rows(l) && !is_brief(f)) {
		stands(l, "hyb_stand(pos, ", "pos", indent)
		print indent "hyb_publish(pos);"
	}
	works(l, indent)
	if (guarded)
		print "\t}"
	statements(l, "prepare", "\t")
}

# The Leave group: an error code, or what the call did.
function leave(f, l, indent,   i) {
	print indent "pos = hyb_leave_call(&frame, HYB_F_" name[f] ", pos);"
	statements(l, "between", indent, f)
	print indent "if (hyb_unlikely(ret != MPI_SUCCESS))" \
		(has(l, "after") + has(l, "before") + has(l, "record") ? " {" : "")
	print indent "\tpos = hyb_ev_error(pos, ret);"
	if (has(l, "after") + has(l, "before") + has(l, "record")) {
		if (attr[f, "coll"] == "")
			print indent "} else {"
		else
			print indent "}\n" indent \
				"if (hyb_likely(ret == MPI_SUCCESS) || hyb_coll_took_part(ret, comm)) {"
		for (i = 1; i <= lines[l]; i++)
			if (tag[l, i] == "before")
				print indent "\tif (hyb_unlikely(late))\n" indent "\t\tpos = hyb_ev_late_" verb[l, i] \
					with("pos", l, i)
		known_record(l, indent "\t")
		lang_after(f, l, indent "\t")
		print indent "}"
	}
	statements(l, "always", indent)
}

# Statements, one a line, at that place.
function indented(indent, all) {
	gsub("\n", "\n" indent, all)
	return indent substr(all, 1, length(all) - length(indent))
}

# What comes after the call of what was recorded.
function after_call(f, l, indent) {
	poll(f, l, indent, lang_release(f, l) "return" (lang_gives(f) == "" ? "" : " ret") ";")
	lang_found(f, l, indent)
	leave(f, l, indent)
	if (lang_release(f, l) != "")
		printf "%s", indented(indent, lang_release(f, l))
	end_call(l, indent)
}

# What is done whether or not it was.
function actions_after(f, l, which, condition) {
	if (!has(l, which))
		return
	print condition
	statements(l, which, "\t\t")
	print "\t}"
}

function wrapper(f,   l, actions) {
	l = like[f]
	actions = has(l, "prepare") || has(l, "track")
	lang_head(f, l)
	enter(f, l, actions)
	lang_arguments(f, l)
	before_call(f, l, actions)
	lang_next(f, "\t" lang_gives(f), 1)
	lang_results(f, l)
	if (is_brief(f)) {
		print "\thyb_end_brief(&frame, HYB_F_" name[f] ");"
	} else if (actions) {
		print "\tif (hyb_likely(pos != NULL)) {"
		after_call(f, l, "\t\t")
		print "\t}"
	} else {
		after_call(f, l, "\t")
	}
	actions_after(f, l, "track", lang_track(f))
	actions_after(f, l, "failed", "\tif (hyb_unlikely(ret != MPI_SUCCESS)) {")
	actions_after(f, l, "inside", "\tif (hyb_unlikely(!pos) && ret == MPI_SUCCESS) {")
	lang_end(f, l)
	print "}\n"
}

# The head of a file, and its headers.
function begin_file(generator,   header, n, i) {
	print "/* SPDX-License-Identifier: BSD-3-Clause */"
	print "/* Generated by " generator " from mpi.tbl for the ABI " abi (part == "" ? "" : ": " part) ". */"
	if (part ~ /rare/)
		print "#define HYB_RARE"
	n = split("adapter/arguments.h adapter/begin-end.h adapter/events.h adapter/fortran/fortran.h adapter/order/calls.h adapter/requests/poll.h " \
		"adapter/standing.h entry/dispatch.h table/functions.h", header, " ")
	for (i = 1; i <= n; i++)
		print "#include \"pmpi/" header[i] "\""
	print ""
	# the table declares them by name only
	if (part != "")
		print "#pragma GCC diagnostic ignored \"-Wmissing-prototypes\"\n"
}

# Declares a wrapper, or one by hand, for the table: code, of which only the address is used.
function declare_code(symbol) {
	print "extern char " symbol "[];"
}
