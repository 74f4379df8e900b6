#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Prints the names of the functions that an MPI's headers declare, one a line; with --data those of variables.
# usage: list-declared.sh [--data] CC [FLAGS...], for example: list-declared.sh mpicc.mpich
set -eu

# The wrapper compilers add their include paths only where they see a source file. Open MPI declares
# what the standard removed, but its library still has, on request.
preprocess() {
	"$@" -E -P -DOMPI_OMIT_MPI1_COMPAT_DECLS=0 -include mpi.h $extra -x c /dev/null
}

data=
[ "${1-}" != --data ] || { data=yes; shift; }
[ $# -gt 0 ] || { echo 'usage: list-declared.sh [--data] CC [FLAGS...]' >&2; exit 2; }

# Extensions are in a header of their own, where there are any.
extra='-include mpi-ext.h'
preprocess "$@" >/dev/null 2>&1 || extra=
text=$(preprocess "$@")

if [ -n "$data" ]; then
	printf '%s\n' "$text" | sed -n \
		-e '/^ *typedef/d' \
		-e 's/__attribute__ *(([^()]*\(([^()]*)\)*[^()]*))//g' \
		-e '/^ *extern [^(]*;/s/^.*[ *]\([A-Za-z0-9_]*MPI[A-Za-z0-9_]*\|ompi_[A-Za-z0-9_]*\) *\(\[[^]]*\]\)* *;.*/\1/p' |
		LC_ALL=C sort -u
	exit
fi

# A declaration has its name in front of the first parenthesis but those of attributes.
printf '%s\n' "$text" | sed -n \
	-e '/^ *typedef/d' \
	-e 's/__attribute__ *(([^()]*\(([^()]*)\)*[^()]*))//g' \
	-e 's/^[^(]*[ *]\(MPIX\{0,1\}_[A-Za-z0-9_]*\) *(.*/\1/p' | LC_ALL=C sort -u
