# SPDX-License-Identifier: BSD-3-Clause
# The rows of a table that are run, each with its program and the MPIs to run it with: NAME PROGRAM MPI...; or
# NAME skip REASON. Variables: mpis, all there are; rows, of TEST_ROWS, or nothing for all; sanitizers, those of the
# build. Sanitizers look at our code, not at what is recorded, and take their time: with them a row is run with the MPIs
# in turn and a Fortran program in one binding, since all of it has run without them. Rows that were chosen are run as
# ever.
BEGIN {
	FS = "|"
	n = split(mpis, mpi, " ")
}

/^#/ || NF < 3 {
	next
}

{
	name = $1
	gsub(/[ \t]/, "", name)
	split($2, words, " ")
	program = words[1]
	if (rows != "" && !index(" " rows " ", " " name " "))
		next
	if (sanitizers != "" && program == "small-stack") {
		print name, "skip sanitizers take more stack"
		next
	}
	if (sanitizers == "" || rows != "") {
		print name, program, mpis
		next
	}
	turn = count
	if (program ~ /^fortran-/) {
		binding = program
		sub(/.*-/, "", binding)
		sub(/-[^-]*$/, "", program)
		if (program != before)
			programs++
		before = program
		if (binding != (programs % 2 ? "h" : "f08")) {
			print name, "skip with sanitizers in one binding only"
			next
		}
		program = program "-" binding
		turn = int(count / 2)
	}
	count++
	print name, program, mpi[turn % n + 1]
}
