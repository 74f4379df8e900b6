# SPDX-License-Identifier: BSD-3-Clause
hyb_test_scripts += %D%/frozen.test
EXTRA_DIST += %D%/frozen.py
hyb_unit_tests += \
	%D%/fuzz-kernel \
	%D%/fuzz-stream \
	%D%/unit-calls \
	%D%/unit-clock \
	%D%/unit-defs \
	%D%/unit-experiment \
	%D%/unit-live \
	%D%/unit-metric \
	%D%/unit-standing \
	%D%/unit-stream
%C%_fuzz_kernel_SOURCES = %D%/fuzz-kernel.c test/lib/fuzz.h $(hyb_synth)
%C%_fuzz_kernel_LDADD = $(hyb_trace_libraries)
%C%_fuzz_stream_SOURCES = %D%/fuzz-stream.c test/lib/fuzz.h $(hyb_synth)
%C%_fuzz_stream_LDADD = $(hyb_trace_libraries)
%C%_unit_calls_SOURCES = %D%/unit-calls.c $(hyb_synth)
%C%_unit_calls_LDADD = $(hyb_trace_libraries)
%C%_unit_clock_SOURCES = %D%/unit-clock.c
%C%_unit_clock_LDADD = $(hyb_trace_libraries)
%C%_unit_defs_SOURCES = %D%/unit-defs.c $(hyb_synth)
%C%_unit_defs_LDADD = $(hyb_trace_libraries)
%C%_unit_experiment_SOURCES = %D%/unit-experiment.c $(hyb_synth)
%C%_unit_experiment_LDADD = $(hyb_trace_libraries)
%C%_unit_live_SOURCES = %D%/unit-live.c $(hyb_synth)
%C%_unit_live_LDADD = $(hyb_trace_libraries)
%C%_unit_metric_SOURCES = %D%/unit-metric.c $(hyb_synth)
%C%_unit_metric_LDADD = $(hyb_trace_libraries)
%C%_unit_standing_SOURCES = %D%/unit-standing.c $(hyb_synth)
%C%_unit_standing_LDADD = $(hyb_trace_libraries)
%C%_unit_stream_SOURCES = %D%/unit-stream.c $(hyb_synth)
%C%_unit_stream_LDADD = $(hyb_trace_libraries)
