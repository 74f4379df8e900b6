/* SPDX-License-Identifier: BSD-3-Clause */
/* Check of hybmon doctor: whether threads can be sampled here, and how often. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/config/config.h"
#include "tools/doctor/doctor.h"
#include "tools/common/tool.h"
#include "tools/run/prepare.h"

#define RATE_LIMIT "/proc/sys/kernel/perf_event_max_sample_rate"

static long most_samples(void)
{
	FILE *f = fopen(RATE_LIMIT, "re");
	long most = 0;

	if (f && fscanf(f, "%ld", &most) != 1)
		most = 0;
	if (f)
		fclose(f);
	return most;
}

/* The collector's words are those of its manifest: what is missing of samples, behind "missing: sample: ". */
static void report(char *said, const char *sample)
{
	const bool some = strstr(said, "samples: ");
	const char *user = strstr(said, "missing: sample: the kernel's part");
	const long most = most_samples();
	static const char mark[] = "missing: sample: ";

	if (some && user)
		hyb_doctor_say(HYB_HEALTH_PARTLY, "be root, or sysctl kernel.perf_event_paranoid=1, for what the kernel does",
			       "HYBMON_SAMPLE=%s: of user code; at most %ld samples a second (kernel.perf_event_max_sample_rate)",
			       sample, most);
	else if (some)
		hyb_doctor_say(HYB_HEALTH_YES, NULL,
			       "HYBMON_SAMPLE=%s: of user code and the kernel; at most %ld samples a second "
			       "(kernel.perf_event_max_sample_rate)", sample, most);
	else
		hyb_doctor_say(HYB_HEALTH_NO,
			       strstr(said, "this user may have no events") ?
				       "as root: sysctl kernel.perf_event_paranoid=2; a container has to allow perf_event_open" :
				       "HYBMON_SAMPLE=997Hz is possible on all machines",
			       "HYBMON_SAMPLE=%s: none can be taken", sample);
	for (char *line = strtok(said, "\n"); line; line = strtok(NULL, "\n")) {
		if (!strncmp(line, mark, strlen(mark)) && line != user)
			hyb_doctor_say(some ? HYB_HEALTH_PARTLY : HYB_HEALTH_NO, NULL, "%s", line + strlen(mark));
	}
}

/* As the user asks for it; where he asks for none, what would be if he did. */
void hyb_check_samples(void)
{
	const char *sample = *hyb_config.sample ? hyb_config.sample : "997Hz";
	char *library = hyb_prepare_library();
	char *path = library ? hyb_prepare_collector(library) : NULL;
	char *option = hyb_tool_format("--sample=%s", sample);
	char *stack = hyb_tool_format("--sample-stack=%llu", (unsigned long long)hyb_config.sample_stack);
	char try[] = "--try", source[] = "--source=off";
	char *argv[] = { path, try, source, option, stack, NULL };
	char *said = path && !access(path, X_OK) ? hyb_tool_output(argv) : NULL;

	if (said && strstr(said, "source: "))
		report(said, sample);
	else
		hyb_doctor_say(HYB_HEALTH_NO, NULL, "HYBMON_SAMPLE=%s: no collector takes them, see above, or it is not to be "
			       "understood", sample);
	free(said);
	free(stack);
	free(option);
	free(path);
	free(library);
}
