/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * All that hybmon can be built without: HYB_OPTIONAL(ID, name, Debian packages that a build needs for it, what a build
 * without it lacks). configure looks for each and makes the list HYB_MISSING of the ids that it did not find or was
 * told to leave out. From this table come configure's summary, the messages of the commands and hybmon doctor.
 * configure reads the file as text: each entry is one line, its strings hold no escaped quotes.
 */
HYB_OPTIONAL(OPENMPI, "Open MPI", "libopenmpi-dev", "programs that use it are not recorded")
HYB_OPTIONAL(MPICH, "MPICH", "libmpich-dev", "programs that use MPICH, Intel MPI or MVAPICH are not recorded")
HYB_OPTIONAL(OTF2, "OTF2", "libotf2-trace-dev", "no hybmon merge --to=otf2 or --to=otf2-samples")
HYB_OPTIONAL(JANSSON, "jansson", "libjansson-dev", "no JSON, no report --html, no hybmon view")
HYB_OPTIONAL(MICROHTTPD, "libmicrohttpd", "libmicrohttpd-dev", "hybmon view writes pages, but serves none")
HYB_OPTIONAL(ZSTD, "libzstd", "libzstd-dev", "hybmon view needs more space on disk")
HYB_OPTIONAL(PROTOBUF_C, "protobuf-c", "libprotobuf-c-dev protobuf-c-compiler", "no hybmon merge --to=perfetto")
HYB_OPTIONAL(LIBDW, "libdw", "libdw-dev", "addresses instead of source lines, no call chains from copies of stacks")
HYB_OPTIONAL(BPF, "clang and libbpf", "clang libbpf-dev", "no HYBMON_KERNEL=bpf")
HYB_OPTIONAL(FORTRAN, "gfortran", "gfortran", "the Fortran module is installed as source only")
HYB_OPTIONAL(PANDOC, "pandoc", "pandoc", "no manual pages")
