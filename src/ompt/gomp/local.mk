# SPDX-License-Identifier: BSD-3-Clause
# Wrappers of libgomp's functions, as gomp.tbl has them.
hyb_gomp_generated = %D%/functions.c %D%/functions.h %D%/stubs.S %D%/turns.h %D%/wrappers.h
BUILT_SOURCES += %D%/functions.h %D%/turns.h %D%/wrappers.h
CLEANFILES += $(hyb_gomp_generated)

$(hyb_gomp_generated): %D%/gen.awk %D%/gomp.tbl
	$(hyb_V_GEN)$(MKDIR_P) $(@D) && \
	$(AWK) -v out=$(@F) -f $(srcdir)/%D%/gen.awk $(srcdir)/%D%/gomp.tbl >$@.tmp && mv $@.tmp $@
