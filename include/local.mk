# SPDX-License-Identifier: BSD-3-Clause
# What programs use: the header; for Fortran the module's source, which each compiler translates for itself, and for the
# one that is at hand ready made; for Python a module.
include_HEADERS = %D%/hybmon.h %D%/hybmon.F90
pythonlibdir = $(pkgdatadir)/python
dist_pythonlib_DATA = python/hybmon.py

if HAVE_FC
fortranlibdir = $(libdir)/hybmon/fortran
nodist_fortranlib_DATA = lib/hybmon/fortran/hybmon.mod lib/hybmon/fortran/libhybmon-fortran.a
hyb_V_FC = $(hyb_v_fc_$(V))
hyb_v_fc_ = $(hyb_v_fc_$(AM_DEFAULT_VERBOSITY))
hyb_v_fc_0 = @echo "  FC      " $@;
lib/hybmon/fortran/libhybmon-fortran.a: %D%/hybmon.F90
	$(hyb_V_FC)rm -rf $(@D) && $(MKDIR_P) $(@D) && $(HYB_FC) -O2 -g -fPIC -J$(@D) -c $(srcdir)/%D%/hybmon.F90 \
		-o $(@D)/hybmon.o && $(AR) cr $@ $(@D)/hybmon.o && rm -f $(@D)/hybmon.o
lib/hybmon/fortran/hybmon.mod: lib/hybmon/fortran/libhybmon-fortran.a
CLEANFILES += $(nodist_fortranlib_DATA)
endif
