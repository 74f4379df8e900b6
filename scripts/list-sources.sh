#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# list-sources.sh [SOURCE]: what lies in src, tools and test, as variables of make for Makefile.am, so that no file has to be
# named where it is built. ./bootstrap writes sources.mk with it, and make does where files came or went.
#
#   hyb_src_core_sys   the C and assembler files of each folder, without what follows
#   hyb_src_core_sys_none   none.c in it, which stands for all of the folder where a library is missing
#   (X-none.c and the X.c for which it stands are in no list: they are named where the build chooses)
#   hyb_unit_tests, hyb_slow_tests, hyb_test_scripts, hyb_mpi_programs, hyb_fortran_programs
#   hyb_folders        in which these lie
#   hyb_other_files    all else that a release has
set -eu
cd "${1:-$(dirname "$0")/..}"
LC_ALL=C
export LC_ALL
echo '# made by scripts/list-sources.sh'
# What make makes in a source folder that is built in is no source.
find src tools test bench examples python scripts doc \( -name openmpi -o -name mpich -o -name .deps -o -name '*.mod' \) -prune -o -type f \
	\( -name '*.[chS]' -o -name '*.cc' -o -name '*.[fF]90' -o -name '*.awk' -o -name '*.bash' -o -name '*.css' -o -name '*.html' \
	-o -name '*.in' -o -name '*.js' -o -name '*.map' -o -name '*.md' -o -name '*.png' -o -name '*.proto' -o -name '*.py' \
	-o -name '*.sh' -o -name '*.tbl' -o -name '*.test' -o -name '*.txt' -o -name '*.xz' -o -name '*.service.in' \) -print |
grep -vE '^src/(pmpi/(adapter/((calls|fortran|wrappers)-.*|declared-.*)|entry/stubs\.S|table/functions\.[ch])|ompt/gomp/(functions\.[ch]|stubs\.S|turns\.h|wrappers\.h)|collector/common/syscalls\.h|export/perfetto/trace\.pb-c\.[ch]|(export/html|timeline/web)/hashes\.h)$' |
sort | awk '
	function add(name, file) {
		if (!(name in list))
			names[++count] = name
		list[name] = list[name] " \\\n\t" file
	}
	# The lists begin so that automake sees them also where they are empty.
	BEGIN {
		n = split("unit_tests slow_tests test_scripts mpi_programs fortran_programs mpi_headers fortran_files other_files folders", all, " ")
		for (i = 1; i <= n; i++) {
			names[++count] = "hyb_" all[i]
			list["hyb_" all[i]] = ""
		}
	}
	function is_slow(file,   line, slow) {
		while (!slow && (getline line <file) > 0)
			slow = line == "# slow"
		close(file)
		return slow
	}
	{ files[++total] = $0; there[$0] = 1 }
	END {
		for (i = 1; i <= total; i++) {
			file = files[i]
			folder = name = stem = file
			sub("/[^/]*$", "", folder)
			sub(".*/", "", name)
			sub("\\.[^.]*$", "", stem)
			variable = "hyb_" folder
			gsub("/", "_", variable)
			if (file ~ /^(src|tools|test)\// && !(folder in known)) {
				known[folder] = 1
				add("hyb_folders", folder)
			}
			if (file ~ /^(src|tools)\/.*\.[chS]$/ && name !~ /\.bpf\.[ch]$/ && name !~ /\.tbl\.h$/) {
				if (name == "none.c")
					add(variable "_none", file)
				else if (name !~ /-none\.c$/ && !((stem "-none.c") in there))
					add(variable, file)
				else
					add("hyb_other_files", file)
			} else if (folder == "test/programs/fortran") {
				add("hyb_fortran_files", file)
				if (name ~ /\.F90$/ && name != "shared.F90")
					add("hyb_fortran_programs", substr(name, 1, length(name) - 4))
			} else if (folder == "test/programs" && name ~ /\.[ch]$/) {
				if (name ~ /\.c$/)
					add("hyb_mpi_programs", stem)
				else
					add("hyb_mpi_headers", file)
			} else if (file ~ /^test\/[^\/]*\/(unit|fuzz)-[^\/]*\.c$/) {
				add("hyb_unit_tests", stem)
			} else if (file ~ /^test\/.*\.test$/) {
				add(is_slow(file) ? "hyb_slow_tests" : "hyb_test_scripts", file)
			} else {
				add("hyb_other_files", file)
			}
		}
		for (i = 1; i <= count; i++)
			print names[i] " =" list[names[i]]
	}'
