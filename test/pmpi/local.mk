# SPDX-License-Identifier: BSD-3-Clause
hyb_slow_tests += %D%/fortran.test %D%/programs.test
hyb_test_scripts += \
	%D%/callstack.test \
	%D%/fortran-linked.test \
	%D%/groups.test \
	%D%/io.test \
	%D%/jump.test \
	%D%/namesakes.test \
	%D%/real.test \
	%D%/rma.test \
	%D%/session.test \
	%D%/shown.test \
	%D%/site.test \
	%D%/spawn.test \
	%D%/stand.test \
	%D%/storm.test \
	%D%/stubs.test \
	%D%/tool.test
EXTRA_DIST += \
	%D%/callstack-library.c \
	%D%/callstack.c \
	%D%/callstack.py \
	%D%/fake-mpi.c \
	%D%/fortran.tbl \
	%D%/io.tbl \
	%D%/jump.c \
	%D%/namesake.c \
	%D%/programs.tbl \
	%D%/refuse.c \
	%D%/rma.awk \
	%D%/rma.tbl \
	%D%/site-cxx.cc \
	%D%/site-library.c \
	%D%/site.c \
	%D%/site.py \
	%D%/status.c \
	%D%/stubs.c \
	%D%/tally.sh \
	%D%/tool.c
hyb_mpi_headers += \
	%D%/generalized.h \
	%D%/ring.h \
	%D%/talk.h \
	%D%/ways.h
hyb_mpi_programs += \
	%D%/api \
	%D%/callbacks \
	%D%/coll \
	%D%/comm \
	%D%/connect \
	%D%/effectless \
	%D%/enter-leave \
	%D%/errors \
	%D%/handover \
	%D%/icoll-fails \
	%D%/inter \
	%D%/io \
	%D%/isendrecv \
	%D%/kept-handles \
	%D%/large \
	%D%/newer \
	%D%/local-calls \
	%D%/p2p \
	%D%/partitioned \
	%D%/pause-one \
	%D%/pauses \
	%D%/pcontrol \
	%D%/polls \
	%D%/rare-calls \
	%D%/requests \
	%D%/requests-unusual \
	%D%/restart \
	%D%/rma \
	%D%/rma-threads \
	%D%/session \
	%D%/session-then-init \
	%D%/spawn \
	%D%/stand \
	%D%/storm \
	%D%/threads \
	%D%/topo \
	%D%/unended \
	%D%/win-callbacks
test/openmpi/%: %D%/%.c $(hyb_mpi_headers)
	$(call hyb_build_mpi,$(OPENMPI_CC))
test/mpich/%: %D%/%.c $(hyb_mpi_headers)
	$(call hyb_build_mpi,$(MPICH_CC))
%D%/real.log: $(hyb_mpi_examples)

# Each Fortran program in each of the bindings: fortran-NAME-BINDING. Where `use mpi` has no interfaces with
# choice buffers, gfortran has to be told that arguments may differ from call to call.
hyb_fortran_programs = basics buffers callbacks calls coll comms errors files io messages mixed order requests restart rma \
	session site spawn stand topo windows
hyb_fortran_files = \
	%D%/fortran/binding.h \
	%D%/fortran/expect.f90 \
	%D%/fortran/mixed.c \
	%D%/fortran/restart.c \
	%D%/fortran/shared.F90 \
	%D%/fortran/spelled.f90 \
	%D%/fortran/stand.c \
	%D%/fortran/ways.h \
	$(hyb_fortran_programs:%=%D%/fortran/%.F90)
EXTRA_DIST += $(hyb_fortran_files)
hyb_fortran_each = $(hyb_fortran_programs:%=fortran-%-h) $(hyb_fortran_programs:%=fortran-%-mpi) \
	$(hyb_fortran_programs:%=fortran-%-f08)
hyb_fortran_flags = -g -w -ffree-line-length-none -fallow-argument-mismatch
# build_fortran COMPILER DECLARED C-COMPILER: what newer versions of MPI have is used where its C header declares
# it; a program may have a part in C.
hyb_build_fortran = stem=$*; in_c=$(srcdir)/%D%/fortran/$${stem%-*}.c; object=; \
	$(MKDIR_P) $@.mod && if test -f "$$in_c"; then \
	object=$@.mod/in_c.o; $(3) $(hyb_mpi_cflags) -c "$$in_c" -o $$object; fi && $(1) -cpp -DBINDING_$${stem\#\#*-} -DON_$(word 2,$(subst /, ,$@)) \
	$$(sed -n 's/^MPIX*_\(Isendrecv\|Send_c\|Bcast_init\|Psend_init\|Session_init\)$$/-DHAVE_&/p' $(2)) \
	-J $@.mod $(hyb_fortran_flags) $(srcdir)/%D%/fortran/expect.f90 $(srcdir)/%D%/fortran/shared.F90 \
	$(srcdir)/%D%/fortran/$${stem%-*}.F90 $$object -o $@
hyb_V_MPIFC = $(hyb_v_mpifc_$(V))
hyb_v_mpifc_ = $(hyb_v_mpifc_$(AM_DEFAULT_VERBOSITY))
hyb_v_mpifc_0 = @echo "  MPIFC   " $@;
test/openmpi/fortran-%: $(hyb_fortran_files) src/pmpi/adapter/declared-openmpi.txt
	$(hyb_V_MPIFC)$(call hyb_build_fortran,$(OPENMPI_FC),src/pmpi/adapter/declared-openmpi.txt,$(OPENMPI_CC))
test/mpich/fortran-%: $(hyb_fortran_files) src/pmpi/adapter/declared-mpich.txt
	$(hyb_V_MPIFC)$(call hyb_build_fortran,$(MPICH_FC),src/pmpi/adapter/declared-mpich.txt,$(MPICH_CC))
