# SPDX-License-Identifier: BSD-3-Clause
# Writes an adapter's wrappers for Fortran: one for each flavour of each function that its MPI declares
# in C, or may have there as a macro. They pass on what they get. A parameter that a line of records.tbl
# names is there once more, as C sees it, under its own name.
# usage: awk -v abi=NAME -v declared=FILE [-v part=f77|f08-common|rare] -f table.awk -f lists.awk -f records.awk \
#	-f wrapper.awk -f gen-fortran.awk mpi.tbl kinds.tbl records.tbl common.tbl > fortran-NAME[-PART].c

BEGIN {
	lang_prefix = "hyb_fortran_"
	lang_off_first = 0	# with their hidden arguments, calls are long
}

# Whether a parameter is needed as C sees it: a line names it.
function is_converted(f, l, i) {
	return in_fortran(f, i) && (l, pname[l, i]) in is_named
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
		return (in_flavour == "f08" ? "hyb_f08_index(" : "hyb_fortran_index(") value ")"
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
		if (!is_converted(f, l, i) || shape(l, i) != "handles")
			continue
		p = pname[l, i]
		prefix = "hyb_fortran_" tolower(kind[l, i]) "s"
		if (ends)
			print indent "hyb_fortran_handles_free(&s_" p ");"
		else
			printf "%sstruct hyb_fortran_handles s_%s;\n%sconst %s *%s =\n%s\t%s(&s_%s, f_%s, %s);\n\n",
				indent, p, indent, ctype[kind[l, i]], p, indent, prefix, p, p,
				array_length(dims[l, i])
	}
}

function has_handles(f, l,   i, n) {
	for (i = 1; i <= params[l]; i++)
		n += is_converted(f, l, i) && shape(l, i) == "handles"
	return n > 0
}

# The condition that there was memory for all of them.
function known_handles(f, l,   i, all) {
	for (i = 1; i <= params[l]; i++)
		if (is_converted(f, l, i) && shape(l, i) == "handles")
			all = all (all == "" ? "" : " && ") pname[l, i]
	return all
}

function lang_head(f, l,   type) {
	type = is_brief(f) ? ctype[attr[f, "return"]] : "void"
	begin_line(type " w_" name[f] "_" in_flavour "(", 0)
	put_fortran(f, "parameters", ")")
	print "\n{"
	begin_line("\t" type " (*next)(", 1)
	put_fortran(f, "types", ") =")
	put("HYB_NEXT(HYB_E_" name[f] "_" in_flavour ");")
	print "\n\tstruct hyb_frame frame;"
	if (is_brief(f))
		print "\tuint64_t *pos;\n\t" type " ret;\n"
	else
		print "\tMPI_Fint own_ierror;\n\tuint64_t *pos;\n\tint ret;\n"
}

function lang_early(p, what) {
	return (what == "count" ? "*(const MPI_Fint *)" : "") "f_" p
}

# A function with a value has neither ierror nor events.
function lang_arguments(f, l,   i) {
	if (is_brief(f))
		return
	print "\tif (!ierror)\n\t\tierror = &own_ierror;\n"
	for (i = 1; i <= params[l]; i++)
		if (is_converted(f, l, i) && shape(l, i) != "handles")
			declare_local(f, l, i)
	declare_values(l)
	declare_flags(l)
	print ""
	for (i = 1; i <= params[l]; i++)
		if (is_converted(f, l, i) && shape(l, i) == "string")
			printf "\t%s = hyb_fortran_string(&s_%s, f_%s, l_%s);\n", pname[l, i], pname[l, i],
				pname[l, i], pname[l, i]
}

# Of an array, what the program does not want goes where the call's line says.
function lang_status(f, l, many, indent,   i, p, wanted) {
	if (many)
		own_statuses(l, many, indent)
	for (i = 1; i <= params[l]; i++) {
		p = pname[l, i]
		if (!is_converted(f, l, i) || shape(l, i) != (many ? "statuses" : "status"))
			continue
		if (!many && !has_status(l, 0))
			continue
		print indent "if (hyb_fortran_ignored(f_" p ")" (many ? " && " p " != MPI_STATUSES_IGNORE" : "") ")\n" \
			indent "\tf_" p " = " (many ? p : "&own") ";"
	}
}

function lang_gives(f) {
	return is_brief(f) ? "ret = " : ""
}

function lang_next(f, text, tabs) {
	if (has(like[f], "track"))
		print "\thyb_mpi_self.tracked = 0;"
	begin_line(text "next(", tabs)
	put_fortran(f, "arguments", ");")
	print ""
}

function lang_results(f, l,   i) {
	if (is_brief(f))
		return
	print "\tret = *ierror;"
	for (i = 1; i <= values[l]; i++)
		if (value_name[l, i] == "known")
			print "\tknown = hyb_mpi_self.tracked == HYB_F_" name[f] ";"
	for (i = 1; i <= params[l]; i++)
		if (is_converted(f, l, i))
			result(f, l, i, pname[l, i])
}

# A parameter that is known only after the call.
function result(f, l, i, p,   s) {
	s = shape(l, i)
	if (s == "result") {
		print (only_given(l, i) ? "\tif (ret == MPI_SUCCESS)\n\t" : "") "\tc_" p " = " converted(f, l, i) ";"
	} else if (s == "status") {
		print (has_status(l, 0) ? "" : "\tif (" p " != MPI_STATUS_IGNORE)\n\t") \
			"\tPMPI_Status_f2c(f_" p ", &c_" p ");"
	} else if (s == "requests" && has_verb(l, "requests", "starts")) {
		print "\thyb_fortran_requests_started(" p ", " array_length(dims[l, i]) ", f_" p ");"
	} else if (s == "requests" && has_pendings(l)) {
		print "\tif (hyb_unlikely(ret != MPI_SUCCESS))"
		print "\t\thyb_fortran_requests_failed(&pends, " p ", f_" p ");"
	}
}

# Arrays of indices count from 1, as hyb_fortran_index does.
function lang_found(f, l, indent,   i) {
	for (i = 1; i <= params[l]; i++) {
		if (!is_converted(f, l, i) || kind[l, i] != "INDEX" || dims[l, i] == "")
			continue
		if (in_flavour == "f08") {
			print indent "if (hyb_f08_first_index())"
			indent = indent "\t"
		}
		print indent "hyb_pendings_from_one(&pends);"
	}
}

# Arrays of handles are there now that the call succeeded.
function lang_after(f, l, indent) {
	if (!has_handles(f, l)) {
		statements(l, "after", indent)
		return
	}
	handles(f, l, indent, 0)
	print indent "if (" known_handles(f, l) ") {"
	statements(l, "after", indent "\t")
	print indent "}"
	handles(f, l, indent, 1)
}

function lang_release(f, l,   i, all) {
	for (i = 1; i <= params[l]; i++)
		if (is_converted(f, l, i) && shape(l, i) == "requests")
			all = all "hyb_fortran_handles_free(&s_" pname[l, i] ");\n"
	return all
}

# Some MPIs' Fortran functions call C's, whose wrapper has done it then and left its number in `tracked`.
function lang_track(f) {
	return "\tif (ret == MPI_SUCCESS && hyb_mpi_self.tracked != HYB_F_" name[f] ") {"
}

function lang_end(f, l,   i) {
	if (is_brief(f))
		print "\treturn ret;"
	for (i = 1; i <= params[l]; i++)
		if (is_converted(f, l, i) && shape(l, i) == "string")
			print "\thyb_call_memory_free(&s_" pname[l, i] ".room);"
}

# Sums of addresses are macros in some mpi.h, so that C's cannot be recorded; Fortran's are functions.
function is_wrapped(f) {
	return name[f] in has_function || attr[f, "return"] == "AINT"
}

# MPI_Pcontrol: see pcontrol.c.
function by_hand(e) {
	return attr[of[e], "varargs"] != ""
}

function entry_symbol(e) {
	return (by_hand(e) ? "hyb_wrap_" : "w_") name[of[e]] "_" flavour[e]
}

function wrappers(   e) {
	for (e = functions + 2; e <= entries; e++) {
		in_flavour = flavour[e]
		buffers = abi == "mpich" && in_flavour == "f08" ? "f08ts" : "fortran"
		if (is_wrapped(of[e]) && !by_hand(e) && part ~ in_flavour && is_in_part(of[e]))
			wrapper(of[e])
	}
}

function table(   e) {
	for (e = functions + 2; e <= entries; e++)
		if (is_wrapped(of[e]))
			declare_code(entry_symbol(e))
	print "\nvoid *const hyb_fortran_wrappers[HYB_MPI_ENTRIES - HYB_MPI_FUNCTIONS] = {"
	for (e = functions + 2; e <= entries; e++)
		if (is_wrapped(of[e]))
			printf "\t[HYB_E_%s_%s - HYB_MPI_FUNCTIONS] = %s,\n", name[of[e]], flavour[e], entry_symbol(e)
	print "};"
}

END {
	if (failed)
		exit 1
	read_declared()
	begin_file("gen-fortran.awk")
	if (part == "")
		table()
	else
		wrappers()
}
