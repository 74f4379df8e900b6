# SPDX-License-Identifier: BSD-3-Clause
# What is made from the tables.
hyb_pmpi_tables = $(srcdir)/%D%/mpi.tbl $(srcdir)/%D%/kinds.tbl $(srcdir)/%D%/records.tbl
hyb_pmpi_awk = $(AWK) -v fortran_names="$(HYB_FORTRAN_NAMES)" -f $(srcdir)/%D%/table.awk -f $(srcdir)/%D%/lists.awk \
	-f $(srcdir)/%D%/records.awk
hyb_pmpi_deps = %D%/table.awk %D%/lists.awk %D%/records.awk %D%/mpi.tbl %D%/kinds.tbl %D%/records.tbl
hyb_V_GEN = $(hyb_v_gen_$(V))
hyb_v_gen_ = $(hyb_v_gen_$(AM_DEFAULT_VERBOSITY))
hyb_v_gen_0 = @echo "  GEN     " $@;
EXTRA_DIST += \
	%D%/README.md \
	%D%/common.tbl \
	%D%/gen-fortran.awk \
	%D%/gen-calls.awk \
	%D%/gen-coverage.awk \
	%D%/gen-functions.awk \
	%D%/gen-stubs.awk \
	%D%/gen-wrappers.awk \
	%D%/kinds.tbl \
	%D%/list-declared.sh \
	%D%/lists.awk \
	%D%/mpi.tbl \
	%D%/records.awk \
	%D%/records.tbl \
	%D%/table.awk \
	%D%/unwrapped.tbl \
	%D%/wrapper.awk
BUILT_SOURCES += %D%/functions.h
CLEANFILES += %D%/functions.h %D%/functions.c

%D%/functions.h: $(hyb_pmpi_deps) %D%/gen-functions.awk
	$(hyb_V_GEN)$(MKDIR_P) $(@D) && \
	$(hyb_pmpi_awk) -v out=h -f $(srcdir)/%D%/gen-functions.awk \
		$(hyb_pmpi_tables) >$@.tmp && mv $@.tmp $@
%D%/functions.c: $(hyb_pmpi_deps) %D%/gen-functions.awk
	$(hyb_V_GEN)$(MKDIR_P) $(@D) && \
	$(hyb_pmpi_awk) -v out=c -f $(srcdir)/%D%/gen-functions.awk \
		$(hyb_pmpi_tables) >$@.tmp && mv $@.tmp $@
