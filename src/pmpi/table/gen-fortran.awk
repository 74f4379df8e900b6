# SPDX-License-Identifier: BSD-3-Clause
# Writes an adapter's wrappers for Fortran: one for each flavour of each function that its MPI declares
# in C, or may have there as a macro. They pass on what they get. A parameter that a line of the table
# names is there once more, as C sees it, under its own name. Goes on where gen-wrappers.awk stops, whose
# lines it writes too.
# usage: awk -v out=fortran -v abi=NAME -v declared=FILE -f table.awk -f records.awk -f gen-wrappers.awk \
#	-f gen-fortran.awk mpi.tbl kinds.tbl records.tbl > fortran-NAME.c

# Whether a line of the table names a parameter.
function named(l, p) {
	return (l, p) in is_named
}

function is_string(k) {
	return conversion[k] == "string"
}

# what: "types", "parameters" or "arguments"; a status may be replaced by our own.
function put_fortran(f, what, close_with,   l, i, n, item, all) {
	l = like[f]
	n = 0
	for (i = 1; i <= params[l]; i++)
		if (in_fortran(f, i))
			item[++n] = what == "types" ? "void *" : (what == "parameters" ? "void *" : "") "f_" pname[l, i]
	if (attr[f, "return"] == "")
		item[++n] = what == "types" ? "MPI_Fint *" : (what == "parameters" ? "MPI_Fint *" : "") "ierror"
	for (i = 1; i <= params[l]; i++)
		if (in_fortran(f, i) && is_string(kind[l, i]))
			item[++n] = what == "types" ? "size_t" : (what == "parameters" ? "size_t " : "") "l_" pname[l, i]
	all = n
	if (!n)
		put((what == "arguments" ? "" : "void") close_with)
	for (i = 1; i <= all; i++)
		put(item[i] (i < all ? "," : close_with))
}

function call_fortran(f, text, tabs) {
	begin_line(text "next(", tabs)
	put_fortran(f, "arguments", ");")
	print ""
}

# The C type of a scalar, and of what Fortran has in its place.
function c_scalar(f, k) {
	return large[f] && clarge[k] != "-" ? clarge[k] : ctype[k]
}

function fortran_scalar(f, k) {
	return large[f] && fflarge[k] != "-" ? fflarge[k] : ftype[k]
}

# An expression for the C value of a scalar.
function converted(f, l, i,   k, value) {
	k = kind[l, i]
	value = "*(const " fortran_scalar(f, k) " *)f_" pname[l, i]
	if (conversion[k] ~ /^handle:/)
		return "PMPI_" substr(conversion[k], 8) "_f2c(" value ")"
	if (conversion[k] == "index")
		return (in_f08 ? "hyb_f08_index(" : "hyb_fortran_index(") value ")"
	if (conversion[k] == "flag")
		return "(" value ") != 0"
	return value
}

# The shape of a parameter: array, handles (an array of them), value, result, buffer, status, string
function shape(l, i,   k) {
	k = kind[l, i]
	if (conversion[k] == "buffer" || conversion[k] == "string")
		return conversion[k]
	if (conversion[k] == "status")
		return dims[l, i] == "" ? "status" : "statuses"
	if (k == "REQUEST" && dims[l, i] != "")
		return "requests"
	if (dims[l, i] != "")
		return conversion[k] ~ /^handle:/ ? "handles" : "array"
	if (by[k] == "value" && dir[l, i] == "in")
		return "value"
	return by[k] == "value" ? "result" : "none"
}

# How many elements an array of handles has.
function array_length(d) {
	if (d == "comm_size")
		return "hyb_fortran_peers(comm)"
	if (d == "out_degree" || d == "in_degree")
		return "hyb_fortran_degree(comm, " (d == "in_degree" ? "true" : "false") ")"
	return d
}

# A handle that the call only gives: what stands there before may be anything, and some MPIs abort then.
function only_given(l, i) {
	return dir[l, i] == "out" && conversion[kind[l, i]] ~ /^handle:/
}

# What is declared before the call.
function declare_local(f, l, i,   k, p, s, type) {
	k = kind[l, i]
	p = pname[l, i]
	s = shape(l, i)
	type = c_scalar(f, k)
	if (s == "value") {
		begin_line("\t" type (type ~ /\*$/ ? "" : " ") p " = ", 1)
		put(converted(f, l, i) ";")
		print ""
	} else if (s == "result") {
		begin_line("\t" type " c_" p " = ", 1)
		put((only_given(l, i) ? "0" : converted(f, l, i)) ";")
		print "\n\t" type " *" p " = &c_" p ";"
	} else if (s == "buffer") {
		printf "\tconst void *%s = hyb_%s_buffer(f_%s);\n", p, buffers, p
	} else if (s == "status") {
		if (has_status(l, 0))
			print "\tstruct hyb_fortran_status own;"
		print "\tMPI_Status c_" p ";"
		if (has_status(l, 0))
			print "\tMPI_Status *" p " = &c_" p ";"
		else
			print "\tMPI_Status *" p " = hyb_fortran_ignored(f_" p ") ? MPI_STATUS_IGNORE : &c_" p ";"
	} else if (s == "statuses") {
		print "\tMPI_Status *" p " = hyb_fortran_ignored(f_" p ") ? MPI_STATUSES_IGNORE : f_" p ";"
	} else if (s == "requests") {
		print "\tstruct hyb_fortran_handles s_" p ";\n\tMPI_Request *" p " ="
		print "\t\thyb_fortran_requests(&s_" p ", f_" p ", " array_length(dims[l, i]) ");"
	} else if (s == "array") {
		print "\tconst " type " *" p " = f_" p ";"
	} else if (s == "string") {
		print "\tstruct hyb_fortran_string s_" p ";\n\tconst char *" p ";"
	}
}

# What is known only after the call.
function after_call(f, l, indent,   i, s) {
	for (i = 1; i <= values[l]; i++)
		if (value_name[l, i] == "known")
			print indent "known = hyb_mpi_self.tracked == HYB_F_" name[f] ";"
	for (i = 1; i <= params[l]; i++) {
		if (!in_fortran(f, i) || !named(l, pname[l, i]))
			continue
		s = shape(l, i)
		if (s == "result")
			print indent (only_given(l, i) ? "if (ret == MPI_SUCCESS)\n" indent "\t" : "") \
				"c_" pname[l, i] " = " converted(f, l, i) ";"
		else if (s == "status")
			print (has_status(l, 0) ? indent : indent "if (" pname[l, i] " != MPI_STATUS_IGNORE)\n" indent "\t") \
				"PMPI_Status_f2c(f_" pname[l, i] ", &c_" pname[l, i] ");"
		else if (s == "requests" && has_verb(l, "requests", "starts"))
			print indent "hyb_fortran_started(" pname[l, i] ", " array_length(dims[l, i]) ", f_" \
				pname[l, i] ");"
		else if (s == "requests" && has_pendings(l)) {
			print indent "if (hyb_unlikely(ret != MPI_SUCCESS))"
			print indent "\thyb_fortran_failed(&pends, " pname[l, i] ", f_" pname[l, i] ");"
		}
	}
}

# Whether it completes several requests.
function has_pendings(l,   i) {
	for (i = 1; i <= values[l]; i++)
		if (value_name[l, i] == "pends")
			return 1
	return 0
}

# Arrays of handles, within the block where the call succeeded, and their end.
function handles(f, l, indent, ends,   i, p, type, prefix) {
	for (i = 1; i <= params[l]; i++) {
		if (!in_fortran(f, i) || !named(l, pname[l, i]) || shape(l, i) != "handles")
			continue
		p = pname[l, i]
		prefix = "hyb_fortran_" tolower(kind[l, i]) "s"
		if (ends)
			print indent "hyb_fortran_handles_end(&s_" p ");"
		else
			printf "%sstruct hyb_fortran_handles s_%s;\n%sconst %s *%s =\n%s\t%s(&s_%s, f_%s, %s);\n\n",
				indent, p, indent, ctype[kind[l, i]], p, indent, prefix, p, p,
				array_length(dims[l, i])
	}
}

function has_handles(f, l,   i, n) {
	for (i = 1; i <= params[l]; i++)
		n += in_fortran(f, i) && named(l, pname[l, i]) && shape(l, i) == "handles"
	return n > 0
}

# Before the call.
function own_things(f, l, indent,   i) {
	for (i = 1; i <= params[l]; i++) {
		if (!in_fortran(f, i) || !named(l, pname[l, i]))
			continue
		if (shape(l, i) == "status" && has_status(l, 0))
			printf "%sif (hyb_fortran_ignored(f_%s))\n%s\tf_%s = &own;\n", indent, pname[l, i],
				indent, pname[l, i]
		else if (shape(l, i) == "string")
			printf "%s%s = hyb_fortran_string(&s_%s, f_%s, l_%s);\n", indent, pname[l, i],
				pname[l, i], pname[l, i], pname[l, i]
	}
}

# What the program does not want goes where the call's line says.
function ignored_statuses(f, l, indent,   i) {
	for (i = 1; i <= params[l]; i++)
		if (in_fortran(f, i) && named(l, pname[l, i]) && shape(l, i) == "statuses")
			printf "%sif (hyb_fortran_ignored(f_%s) && %s != MPI_STATUSES_IGNORE)\n%s\tf_%s = %s;\n",
				indent, pname[l, i], pname[l, i], indent, pname[l, i], pname[l, i]
}

function end_strings(f, l,   i) {
	for (i = 1; i <= params[l]; i++)
		if (in_fortran(f, i) && named(l, pname[l, i]) && shape(l, i) == "string")
			print "\thyb_room_end(&s_" pname[l, i] ".room);"
}

# As statements, one a line.
function ends_requests(f, l,   i, all) {
	for (i = 1; i <= params[l]; i++)
		if (in_fortran(f, i) && named(l, pname[l, i]) && shape(l, i) == "requests")
			all = all "hyb_fortran_handles_end(&s_" pname[l, i] ");\n"
	return all
}

function end_requests(f, l, indent,   all) {
	all = ends_requests(f, l)
	while (all != "") {
		print indent substr(all, 1, index(all, "\n") - 1)
		all = substr(all, index(all, "\n") + 1)
	}
}

# Arrays of indices count from 1, as hyb_fortran_index does.
function from_one(f, l, indent,   i) {
	for (i = 1; i <= params[l]; i++) {
		if (!in_fortran(f, i) || !named(l, pname[l, i]) || kind[l, i] != "INDEX" || dims[l, i] == "")
			continue
		if (in_f08) {
			print indent "if (hyb_f08_first())"
			indent = indent "\t"
		}
		print indent "hyb_pendings_from_one(&pends);"
	}
}

# The condition that there was memory for all of them.
function known_handles(f, l,   i, all) {
	for (i = 1; i <= params[l]; i++)
		if (in_fortran(f, i) && named(l, pname[l, i]) && shape(l, i) == "handles")
			all = all (all == "" ? "" : " && ") pname[l, i]
	return all
}

function leave_fortran(f, l, indent) {
	if (!has_handles(f, l)) {
		leave(f, l, indent)
		return
	}
	print indent "pos = hyb_leave_call(&frame, HYB_F_" name[f] ", pos);"
	statements(l, "between", indent, f)
	outcome(f, indent)
	handles(f, l, indent "\t", 0)
	print indent "\tif (" known_handles(f, l) ") {"
	statements(l, "after", indent "\t\t")
	print indent "\t}"
	handles(f, l, indent "\t", 1)
	print indent "}"
}

function fortran_head(e, f, type) {
	begin_line("static " type " w_" name[f] "_" flavour[e] "(", 0)
	put_fortran(f, "parameters", ")")
	print "\n{"
	begin_line("\t" type " (*next)(", 1)
	put_fortran(f, "types", ") =")
	put("HYB_NEXT(HYB_E_" name[f] "_" flavour[e] ");")
	print ""
}

# A function with a value has neither ierror nor events.
function fortran_value(e, f,   type) {
	type = ctype[attr[f, "return"]]
	fortran_head(e, f, type)
	print "\tstruct hyb_frame frame;\n\tuint64_t *pos;\n\t" type " ret;\n"
	printf "\tpos = %s ? NULL : hyb_enter(&frame, %s);\n", is_off(f), entered(f)
	print "\tif (hyb_unlikely(!pos))"
	call_fortran(f, "\t\treturn ", 2)
	call_fortran(f, "\tret = ", 1)
	printf "\thyb_end_brief(&frame, HYB_F_%s);\n", name[f]
	print "\treturn ret;\n}\n"
}

# Sums of addresses are macros in some mpi.h, so that C's cannot be recorded; Fortran's are functions.
function is_wrapped(f) {
	return name[f] in has_function || attr[f, "return"] == "AINT"
}

# MPI_Pcontrol: see pcontrol.c.
function by_hand(e) {
	return attr[of[e], "wrapper"] == "hand"
}

function entry_symbol(e) {
	return (by_hand(e) ? "hyb_wrap_" : "w_") name[of[e]] "_" flavour[e]
}

# What is not recorded converts nothing, unless there are actions.
function fortran_wrapper(e, f,   l, i, actions, guarded) {
	l = like[f]
	actions = has(l, "prepare") || has(l, "track")
	in_f08 = flavour[e] == "f08"
	buffers = abi == "mpich" && in_f08 ? "f08ts" : "fortran"
	fortran_head(e, f, "void")
	print "\tstruct hyb_frame frame;\n\tMPI_Fint own_ierror;\n\tuint64_t *pos;\n\tint ret;\n"
	printf "\tpos = %s ? NULL : %s;\n", is_off(f, "hyb_fortran_", "*(const MPI_Fint *)f_", ""), enter_call(f)
	if (!actions) {
		print "\tif (hyb_unlikely(!pos)) {"
		unseen(l, "before", 1, "\t\t", "hyb_fortran_", "*(const MPI_Fint *)f_", "")
		call_fortran(f, "\t\t", 2)
		unseen(l, "after", 1, "\t\t", "hyb_fortran_", "*(const MPI_Fint *)f_", "")
		print "\t\treturn;\n\t}"
	}
	print "\tif (!ierror)\n\t\tierror = &own_ierror;\n"
	for (i = 1; i <= params[l]; i++)
		if (in_fortran(f, i) && named(l, pname[l, i]) && shape(l, i) != "handles")
			declare_local(f, l, i)
	declare_values(l)
	if (has(l, "before"))
		print "\tbool late = false;"
	if (has_repeats(l))
		print "\tbool again;"
	print ""
	own_things(f, l, "\t")
	guarded = actions && has(l, "before") + !has_rows(l) > 0
	if (guarded)
		print "\tif (hyb_likely(pos != NULL)) {"
	statements(l, "before", guarded ? "\t\t" : "\t")
	own_statuses(l, guarded ? "\t\t" : "\t", 1)
	ignored_statuses(f, l, guarded ? "\t\t" : "\t")
	if (!has_rows(l))
		print (guarded ? "\t" : "") "\thyb_publish(pos);"
	works(l, guarded ? "\t\t" : "\t")
	if (guarded)
		print "\t}"
	statements(l, "prepare", "\t")
	if (has(l, "track"))
		print "\thyb_mpi_self.tracked = 0;"
	call_fortran(f, "\t", 1)
	print "\tret = *ierror;"
	after_call(f, l, "\t")
	if (actions)
		print "\tif (hyb_likely(pos != NULL)) {"
	poll(f, l, actions ? "\t\t" : "\t", ends_requests(f, l) "return;")
	from_one(f, l, actions ? "\t\t" : "\t")
	leave_fortran(f, l, actions ? "\t\t" : "\t")
	end_requests(f, l, actions ? "\t\t" : "\t")
	end_call(l, actions ? "\t\t" : "\t")
	if (actions)
		print "\t}"
	if (has(l, "track")) {
		print "\tif (ret == MPI_SUCCESS && hyb_mpi_self.tracked != HYB_F_" name[f] ") {"
		statements(l, "track", "\t\t")
		print "\t}"
	}
	if (has(l, "failed")) {
		print "\tif (hyb_unlikely(ret != MPI_SUCCESS)) {"
		statements(l, "failed", "\t\t")
		print "\t}"
	}
	if (has(l, "inside")) {
		print "\tif (hyb_unlikely(!pos) && ret == MPI_SUCCESS) {"
		statements(l, "inside", "\t\t")
		print "\t}"
	}
	end_strings(f, l)
	print "}\n"
}

END {
	if (failed)
		exit 1
	print "#include \"pmpi/adapter/adapter.h\"\n#include \"pmpi/adapter/handles/comm.h\"\n#include \"pmpi/entry/dispatch.h\""
	print "#include \"pmpi/adapter/arguments.h\"\n#include \"pmpi/adapter/events.h\"\n#include \"pmpi/adapter/fortran.h\"\n#include \"pmpi/table/functions.h\""
	print "#include \"pmpi/adapter/requests/poll.h\"\n#include \"pmpi/adapter/requests/request.h\"\n#include \"pmpi/adapter/handles/session.h\"\n"
	for (e = functions + 2; e <= entries; e++) {
		if (!is_wrapped(of[e]))
			continue
		if (by_hand(e))
			printf "void %s(const void *f_level, void *ierror);\n\n", entry_symbol(e)
		else if (attr[of[e], "return"] != "")
			fortran_value(e, of[e])
		else
			fortran_wrapper(e, of[e])
	}
	print "void *const hyb_fortran_wrappers[HYB_MPI_ENTRIES - HYB_MPI_FUNCTIONS] = {"
	for (e = functions + 2; e <= entries; e++)
		if (is_wrapped(of[e]))
			printf "\t[HYB_E_%s_%s - HYB_MPI_FUNCTIONS] = %s,\n", name[of[e]], flavour[e], entry_symbol(e)
	print "};"
}
