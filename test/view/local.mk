# SPDX-License-Identifier: BSD-3-Clause
hyb_test_scripts += %D%/private.test %D%/tail.test %D%/view.test
hyb_mpi_programs += %D%/nested
test/openmpi/%: %D%/%.c $(hyb_mpi_headers)
	$(call hyb_build_mpi,$(OPENMPI_CC))
test/mpich/%: %D%/%.c $(hyb_mpi_headers)
	$(call hyb_build_mpi,$(MPICH_CC))
EXTRA_DIST += %D%/server.sh %D%/view.py %D%/controls.py %D%/curves.py %D%/pictures.py $(addprefix %D%/pictures/, \
	dark.png exact.png fewer.png low.png part.png search.png whole.png)

EXTRA_PROGRAMS += %D%/grow
%C%_grow_SOURCES = %D%/grow.c %D%/growing.c %D%/growing.h
%C%_grow_LDADD = src/view/libview.a src/analysis/libanalysis.a $(hyb_merge_libraries) $(ZSTD_LIBS)
%D%/tail.log: %D%/grow$(EXEEXT)
