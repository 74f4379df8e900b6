# SPDX-License-Identifier: BSD-3-Clause
# A function's parameters as C and Fortran write them, for the generators of what stands in a function's place. They are
# run with table.awk before it.

# The functions that the MPI declares, as list-declared.sh lists them in `declared': has_function.
function read_declared(   line, status) {
	while ((status = (getline line < declared)) > 0)
		has_function[line] = 1
	if (status < 0) {
		printf "cannot read %s\n", declared > "/dev/stderr"
		exit 1
	}
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

function c_type(f) {
	return attr[f, "return"] == "" ? "int" : ctype[attr[f, "return"]]
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
			item[++n] = what == "types" ? "size_t" : \
				(what == "parameters" ? "size_t " : "") "l_" pname[l, i]
	all = n
	if (!n)
		put((what == "arguments" ? "" : "void") close_with)
	for (i = 1; i <= all; i++)
		put(item[i] (i < all ? "," : close_with))
}
