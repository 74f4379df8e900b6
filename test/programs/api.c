/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * hybmon.h as a program uses it that must run without the library too: pause and resume, from the start
 * (HYBMON_RECORD=off: `api off`; paused before anything is recorded: `api early`) and in the middle.
 */
#define HYBMON_WEAK
#include "hybmon.h"

#include "expect.h"

static void calls(int n)
{
	int rank;

	for (int i = 0; i < n; i++)
		CALL(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
}

static void unrecorded_calls(int n)
{
	int rank;

	for (int i = 0; i < n; i++)
		MPI_Comm_rank(MPI_COMM_WORLD, &rank);
}

int main(int argc, char **argv)
{
	int early = argc > 1 && strcmp(argv[1], "early") == 0;
	int off = early || (argc > 1 && strcmp(argv[1], "off") == 0);
	int present = hybmon_pause && hybmon_resume && hybmon_is_recording && hybmon_version;

	/* before there is anything to record: nothing is made of it */
	if (early) {
		HYBMON_CALL(hybmon_resume);
		HYBMON_CALL(hybmon_pause);
	}
	if (off) {
		MPI_Init(&argc, &argv);
		unrecorded_calls(3);
		CHECK(!present || !hybmon_is_recording());
		HYBMON_CALL(hybmon_resume);
		expect_line("recording on");
	} else {
		CALL(MPI_Init(&argc, &argv));
	}
	calls(2);
	CHECK(!present || hybmon_is_recording());
	HYBMON_CALL(hybmon_pause);
	HYBMON_CALL(hybmon_pause);
	expect_line("recording off");
	CHECK(!present || !hybmon_is_recording());
	unrecorded_calls(5);
	HYBMON_CALL(hybmon_resume);
	expect_line("recording on");
	calls(2);
	if (present)
		CHECK(strlen(hybmon_version()) > 0);
	CALL(MPI_Finalize());
	return 0;
}
