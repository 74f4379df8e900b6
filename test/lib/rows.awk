# SPDX-License-Identifier: BSD-3-Clause
# Prints the rows of a table that are run, each with its program and the MPIs to run it with: NAME PROGRAM MPI... Variables:
# mpis, all there are; rows, of TEST_ROWS, or nothing for all; all, of TEST_ALL; sanitizers, those of the build. The first
# row of a program runs with each MPI, its further ones with one MPI each, in turn. A program in Fortran runs in one
# binding with each MPI, in each of which other programs run, too. With sanitizers, which look at our code and not at what
# is recorded, rows with the word `sanitizers` run, with one of the MPIs each. Rows that are chosen, and those of `make
# check-all`, run in all bindings with all MPIs.
BEGIN {
	FS = "|"
	n = split(mpis, mpi, " ")
	split("h mpi f08", bindings, " ")
	whole = rows != "" || all != ""
}

/^#/ || NF < 3 {
	next
}

# chosen(number, i): whether the binding is the one for that program and MPI
function chosen(binding, number, i)
{
	return binding == bindings[(number + i) % 3 + 1]
}

{
	name = $1
	gsub(/[ \t]/, "", name)
	split($2, words, " ")
	program = words[1]
	if (rows != "" && !index(" " rows " ", " " name " "))
		next
	# sanitizers take more stack
	if (sanitizers != "" && program == "small-stack")
		next
	its_mpis = ""
	if (whole) {
		its_mpis = " " mpis
	} else if (sanitizers != "") {
		if (index($5 " ", " sanitizers "))
			its_mpis = " " mpi[count++ % n + 1]
	} else if (program ~ /^fortran-/) {
		binding = program
		sub(/.*-/, "", binding)
		stem = program
		sub(/-[^-]*$/, "", stem)
		if (stem != before)
			number++
		before = stem
		for (i = 1; i <= n; i++)
			if (chosen(binding, number, i))
				its_mpis = its_mpis " " mpi[i]
	} else if (program in seen && n > 0) {
		its_mpis = " " mpi[further++ % n + 1]
	} else {
		its_mpis = " " mpis
	}
	seen[program]
	if (its_mpis != "")
		print name, program its_mpis
}
