/* SPDX-License-Identifier: BSD-3-Clause */
/* See lacking.h. HYB_MISSING comes from configure: ids of core/config/optional.tbl.h with blanks between them. */
#include "tools/common/lacking.h"

#include <stdio.h>
#include <string.h>

static const struct {
	const char *id; /* with a blank on both sides */
	const char *name;
	const char *without;
} optionals[] = {
#define HYB_OPTIONAL(id, name, packages, without) { " " #id " ", name, without },
#include "core/config/optional.tbl.h"
#undef HYB_OPTIONAL
};

bool hyb_build_lacks(enum hyb_optional o)
{
	return strstr(" " HYB_MISSING " ", optionals[o].id);
}

const char *hyb_optional_name(enum hyb_optional o)
{
	return optionals[o].name;
}

const char *hyb_optional_without(enum hyb_optional o)
{
	return optionals[o].without;
}

void hyb_optional_advice(enum hyb_optional o, char advice[HYB_ADVICE_SIZE])
{
	snprintf(advice, HYB_ADVICE_SIZE, "install %s, then configure and build again", hyb_optional_packages(o));
}

static void put_line(const struct hyb_library_need *need, FILE *to)
{
	char advice[HYB_ADVICE_SIZE];

	hyb_optional_advice(need->library, advice);
	fprintf(to, "%s needs %s, which this build lacks: %s\n", need->what, hyb_optional_name(need->library), advice);
}

bool hyb_lacks(const char *command, const struct hyb_library_need *need)
{
	if (!hyb_build_lacks(need->library))
		return false;
	fprintf(stderr, "%s: ", command);
	put_line(need, stderr);
	return true;
}

void hyb_lacks_help(const struct hyb_library_need *need)
{
	static bool begun;

	if (!hyb_build_lacks(need->library))
		return;
	if (!begun)
		putchar('\n');
	begun = true;
	put_line(need, stdout);
}
