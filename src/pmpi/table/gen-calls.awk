# SPDX-License-Identifier: BSD-3-Clause
# Writes an adapter's functions that see which call a thread makes, in C and Fortran: adapter/order/calls.h. They stand
# before all else that comes after the wrappers, where the order of a run is recorded or replayed, or calls are delayed.
# usage: awk -v abi=NAME -v declared=FILE -f table.awk -f lists.awk -f gen-calls.awk mpi.tbl kinds.tbl > calls-NAME.c

BEGIN {
	n = split("Comm_create Comm_create_group Comm_dup Comm_dup_with_info Comm_free Comm_idup Comm_split Comm_split_type " \
		"Intercomm_create Intercomm_merge Cart_create Cart_sub Graph_create Dist_graph_create " \
		"Dist_graph_create_adjacent Win_create Win_allocate Win_fence Win_free Start Startall Finalize", more, " ")
	for (i = 1; i <= n; i++)
		is_more["MPI_" more[i]] = 1
}

function is_looked_at(f) {
	return is_call(f) || is_beyond(f)
}

function has_kind(l, wanted,   i) {
	for (i = 1; i <= params[l]; i++)
		if (kind[l, i] == wanted && dims[l, i] == "")
			return 1
	return 0
}

# What communicates, but for calls of which a program may make any number until something comes.
function is_call(f,   l) {
	l = like[f]
	if (attr[f, "varargs"] != "" || attr[f, "return"] != "" || name[f] ~ /I(m)?probe$/)
		return 0
	if (attr[f, "group"] == "coll")
		return has_kind(l, "COMM")
	return attr[f, "group"] ~ /^(p2p|part)$/ ? has_kind(l, "RANK") : lname[l] in is_more || name[f] in is_more
}

# What gives a program something that depends on when others came, and that a replay does not bring about again.
function is_beyond(f) {
	return name[f] ~ /^MPI_(Accumulate|Raccumulate|Fetch_and_op|Compare_and_swap)(_c)?$/ || \
		name[f] ~ /^MPI_(Get|Rget|Get_accumulate|Rget_accumulate)(_c)?$/ || \
		name[f] ~ /^MPI_(Win_shared_query|File_i?(read|write)_shared)(_c)?$/ || \
		name[f] ~ /^MPI_Request_get_status_(all|any|some)$/ || \
		name[f] ~ /^MPI_Comm_(accept|connect|join|spawn|spawn_multiple)$/
}

# Whether the value of a parameter matters to all members whatever the others are: it may be anything otherwise.
function tells(f, l, i,   k) {
	k = kind[l, i]
	if (dims[l, i] != "" || dir[l, i] != "in" || (pflag[l, i] == "large" && !large[f]))
		return 0
	if (k ~ /^(RANK|ROOT|TAG)$/)
		return pname[l, i] != "remote_leader" # only the local leader's counts
	if (k == "COUNT")
		return attr[f, "group"] == "p2p" || pname[l, i] == "count"
	return k == "DTYPE" && (attr[f, "group"] == "p2p" || pname[l, i] == "datatype")
}

# A value as a number that is the same with each MPI. p: the parameter as it stands there.
function c_value(f, l, i, p,   k) {
	k = kind[l, i]
	if (k == "DTYPE")
		return (known ? "hyb_calls_known_size(" : "hyb_calls_size(") p ")"
	return k == "TAG" || k == "COUNT" ? p : "hyb_calls_rank(" p ")"
}

# Fortran's, of which p is the address.
function fortran_value(f, l, i,   k, p) {
	k = kind[l, i]
	p = "*(const " (large[f] && fflarge[k] != "-" ? fflarge[k] : ftype[k]) " *)f_" pname[l, i]
	return c_value(f, l, i, k == "DTYPE" ? "PMPI_Type_f2c(" p ")" : p)
}

# Between two groups, who only stands beside the root names MPI_PROC_NULL, and the rest of the arguments may be anything.
function guarded(f, l, i, fortran, value,   r) {
	for (r = 1; r <= params[l]; r++)
		if (kind[l, r] == "ROOT" && kind[l, i] != "ROOT")
			return (fortran ? "*(const MPI_Fint *)f_" : "") pname[l, r] " == MPI_PROC_NULL ? 0 : " value
	return value
}

# The statement that looks at the call, `what` up to its arguments, which end with `closing`.
function look(f, l, fortran, what, closing,   i, n, done) {
	for (i = 1; i <= params[l]; i++)
		n += tells(f, l, i)
	begin_line("\t" what "(HYB_F_" name[f] ", " (known ? "" : n + 0 ","), 1)
	fresh = known
	for (i = 1; i <= params[l]; i++)
		if (tells(f, l, i))
			put(guarded(f, l, i, fortran, fortran ? fortran_value(f, l, i) : c_value(f, l, i, pname[l, i])) \
				(++done < 8 ? "," : closing))
	for (; n < 8; n++)
		put("0" (n < 7 ? "," : closing))
	print ""
}

function begin_call(f, l, fortran, what) {
	look(f, l, fortran, what, ");")
}

function go_on(f) {
	print "\tnext = HYB_CALLS_NEXT(HYB_F_" name[f] ");"
	begin_line("\treturn next(", 1)
	put_list(f, "arguments", ");")
	print "\n}\n"
}

function head(f, what) {
	begin_line(what name[f] "(", 0)
	put_list(f, "parameters", ")")
	print "\n{"
	begin_line("\tint (*next)(", 1)
	put_list(f, "types", ");")
	print "\n"
}

# Of calls that make no others the expected one needs no function of ours, so that its arguments stay where they are.
function in_c_expected(f, l) {
	head(f, "static HYB_COLD int see_")
	begin_call(f, l, 0, "hyb_calls_see")
	go_on(f)
	head(f, "static int c_")
	known = 1
	look(f, l, 0, "if (hyb_unlikely(!hyb_calls_expected", ")))")
	known = 0
	begin_line("\t\treturn see_" name[f] "(", 2)
	put_list(f, "arguments", ");")
	print ""
	go_on(f)
}

# It is named, the first time, and is made as it is.
function in_c_beyond(f) {
	begin_line("static int c_" name[f] "(", 0)
	put_list(f, "parameters", ")")
	print "\n{"
	begin_line("\tint (*next)(", 1)
	put_list(f, "types", ") = HYB_CALLS_NEXT(HYB_F_" name[f] ");")
	print "\n\n\thyb_calls_beyond(HYB_F_" name[f] ");"
	begin_line("\treturn next(", 1)
	put_list(f, "arguments", ");")
	print "\n}\n"
}

function in_c(f, l) {
	if (is_beyond(f)) {
		in_c_beyond(f)
		return
	}
	if (attr[f, "group"] == "p2p") {
		in_c_expected(f, l)
		return
	}
	begin_line("static int c_" name[f] "(", 0)
	put_list(f, "parameters", ")")
	print "\n{"
	begin_line("\tint (*next)(", 1)
	put_list(f, "types", ") = HYB_CALLS_NEXT(HYB_F_" name[f] ");")
	print ""
	begin_call(f, l, 0, "struct hyb_order *order = hyb_calls_begin")
	print "\tint ret;\n"
	begin_line("\tret = next(", 1)
	put_list(f, "arguments", ");")
	print "\n\thyb_calls_end(order);\n\treturn ret;\n}\n"
}

function in_fortran_of(f, l, its_flavour) {
	begin_line("static void c_" name[f] "_" its_flavour "(", 0)
	put_fortran(f, "parameters", ")")
	print "\n{"
	begin_line("\tvoid (*next)(", 1)
	put_fortran(f, "types", ") =")
	put("HYB_CALLS_NEXT(HYB_E_" name[f] "_" its_flavour ");")
	print ""
	if (is_beyond(f))
		print "\n\thyb_calls_beyond(HYB_F_" name[f] ");"
	else {
		begin_call(f, l, 1, "struct hyb_order *order = hyb_calls_begin")
		print ""
	}
	begin_line("\tnext(", 1)
	put_fortran(f, "arguments", ");")
	print (is_beyond(f) ? "" : "\n\thyb_calls_end(order);") "\n}\n"
}

# The values of each function, for messages.
function names(   f, l, i, text) {
	print "const char *const hyb_calls_names[HYB_MPI_FUNCTIONS] = {"
	for (f = 1; f <= functions; f++) {
		if (!is_looked_at(f))
			continue
		l = like[f]
		text = name[f]
		for (i = 1; i <= params[l]; i++)
			if (is_call(f) && tells(f, l, i))
				text = text " " pname[l, i]
		print "\t[HYB_F_" name[f] "] = \"" text "\","
	}
	print "};\n"
}

END {
	if (failed)
		exit 1
	read_declared()
	print "/* SPDX-License-Identifier: BSD-3-Clause */"
	print "/* Generated by gen-calls.awk from mpi.tbl for the ABI " abi ". */"
	print "#include \"pmpi/adapter/order/calls.h\"\n"
	for (f = 1; f <= functions; f++)
		if (is_looked_at(f) && name[f] in has_function)
			in_c(f, like[f])
	for (e = functions + 2; e <= entries; e++)
		if (is_looked_at(of[e]) && name[of[e]] in has_function)
			in_fortran_of(of[e], like[of[e]], flavour[e])
	names()
	print "void *const hyb_calls_functions[HYB_MPI_ENTRIES] = {"
	for (f = 1; f <= functions; f++)
		if (is_looked_at(f) && name[f] in has_function)
			print "\t[HYB_F_" name[f] "] = (void *)(uintptr_t)c_" name[f] ","
	for (e = functions + 2; e <= entries; e++)
		if (is_looked_at(of[e]) && name[of[e]] in has_function)
			print "\t[HYB_E_" name[of[e]] "_" flavour[e] "] = (void *)(uintptr_t)c_" name[of[e]] "_" flavour[e] ","
	print "};"
}
