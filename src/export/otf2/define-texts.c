/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The strings of the archive: those of the model with their numbers, since events name some of them, and after them
 * those that only definitions have. Each is written before the first definition that needs it.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "export/otf2/define.h"

static void write_models(struct hyb_define *d)
{
	const struct hyb_names *names = &d->m->model.names;

	for (; d->strings < names->table.count; d->strings++)
		hyb_define_check(d, OTF2_GlobalDefWriter_WriteString(d->writer, d->strings,
								     hyb_names_text(names, d->strings)));
}

uint32_t hyb_define_name(struct hyb_define *d, const char *text)
{
	uint32_t models = d->m->model.names.table.count, had = d->own.table.count, number;

	write_models(d);
	number = hyb_names_find(&d->m->model.names, text);
	if (number != HYB_NAME_NONE)
		return number;
	number = hyb_names_add(&d->own, text);
	d->no_memory |= number == HYB_NAME_NONE;
	if (d->own.table.count > had)
		hyb_define_check(d, OTF2_GlobalDefWriter_WriteString(d->writer, models + number,
								     hyb_names_text(&d->own, number)));
	return number == HYB_NAME_NONE ? number : models + number;
}

uint32_t hyb_define_format(struct hyb_define *d, const char *format, ...)
{
	uint32_t number;
	va_list va;
	char *text;
	int ret;

	va_start(va, format);
	ret = vasprintf(&text, format, va);
	va_end(va);
	if (ret < 0) {
		d->no_memory = true;
		return HYB_NAME_NONE;
	}
	number = hyb_define_name(d, text);
	free(text);
	return number;
}
