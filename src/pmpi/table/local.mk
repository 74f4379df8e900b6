# SPDX-License-Identifier: BSD-3-Clause
# What is made from the tables.
hyb_pmpi_tables = $(srcdir)/%D%/mpi.tbl $(srcdir)/%D%/kinds.tbl $(srcdir)/%D%/records.tbl
hyb_pmpi_awk = $(AWK) -v fortran_names="$(HYB_FORTRAN_NAMES)" -f $(srcdir)/%D%/table.awk -f $(srcdir)/%D%/lists.awk \
	-f $(srcdir)/%D%/records.awk
hyb_pmpi_deps = %D%/table.awk %D%/lists.awk %D%/records.awk %D%/mpi.tbl %D%/kinds.tbl %D%/records.tbl
hyb_V_GEN = $(hyb_v_gen_$(V))
hyb_v_gen_ = $(hyb_v_gen_$(AM_DEFAULT_VERBOSITY))
hyb_v_gen_0 = @echo "  GEN     " $@;
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

# What leads from a call to its wrapper.
CLEANFILES += src/pmpi/entry/stubs.S
src/pmpi/entry/stubs.S: $(hyb_pmpi_deps) src/pmpi/table/gen-stubs.awk
	$(hyb_V_GEN)$(MKDIR_P) $(@D) && \
	$(hyb_pmpi_awk) -f $(srcdir)/src/pmpi/table/gen-stubs.awk $(hyb_pmpi_tables) >$@.tmp && mv $@.tmp $@
