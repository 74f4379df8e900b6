# SPDX-License-Identifier: BSD-3-Clause
# The life of a recorded process: becomes part of libhybmon.so.
hyb_process_files = \
	%D%/announce.c \
	%D%/announce.h \
	%D%/api.c \
	%D%/collector-service.c \
	%D%/collector.c \
	%D%/collector.h \
	%D%/exits.c \
	%D%/exits.h \
	%D%/experiment.c \
	%D%/experiment.h \
	%D%/job.c \
	%D%/job.h \
	%D%/load.c \
	%D%/load.h \
	%D%/place.c \
	%D%/place.h \
	%D%/process.c \
	%D%/process.h \
	%D%/rendezvous.c
