/* SPDX-License-Identifier: BSD-3-Clause */
#include "export/text/end.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void print_die(int err)
{
	fprintf(stderr, "hybmon-print: error: %s\n", strerror(err));
	exit(EXIT_FAILED);
}

void print_check_output(void)
{
	if (!ferror(stdout))
		return;
	if (errno != EPIPE)
		fprintf(stderr, "hybmon-print: error: cannot write: %s\n", strerror(errno));
	_exit(EXIT_FAILED);
}

void *print_must(void *p)
{
	if (!p)
		print_die(ENOMEM);
	return p;
}
