/* SPDX-License-Identifier: BSD-3-Clause */
/* See report.h. The page is its style, the report as JSON, and a script that shows that. */
#include "html/report.h"

#include <errno.h>
#include <stdlib.h>

#include "html/page.h"
#include "json/report.h"

/* In a script element of a page nothing may look like its end. In JSON a `<` is in texts only. */
static void put_json(const char *json, size_t size, FILE *to)
{
	for (size_t i = 0; i < size; i++)
		if (json[i] == '<')
			fputs("\\u003c", to);
		else
			putc(json[i], to);
}

static void put_text(const char *text, FILE *to)
{
	for (; *text; text++) {
		if (*text == '<')
			fputs("&lt;", to);
		else if (*text == '&')
			fputs("&amp;", to);
		else
			putc(*text, to);
	}
}

static void put_page(const struct hyb_report *r, const char *json, size_t size, FILE *to)
{
	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n"
	      "<meta name=\"viewport\" content=\"width=device-width\">\n"
	      "<meta name=\"generator\" content=\"hybmon " PACKAGE_VERSION "\">\n<title>", to);
	for (size_t i = 0; i < r->options.dir_count; i++) {
		fputs(i ? ", " : "", to);
		put_text(r->options.dirs[i], to);
	}
	fputs(" - hybmon report</title>\n<style>\n", to);
	fwrite(hyb_html_style, 1, (size_t)(hyb_html_style_end - hyb_html_style), to);
	fputs("</style>\n<body>\n<noscript>This page needs JavaScript. hybmon report shows the same as text.</noscript>\n"
	      "<main id=\"page\"></main>\n<script type=\"application/json\" id=\"report\">\n", to);
	put_json(json, size, to);
	fputs("</script>\n<script>\n", to);
	fwrite(hyb_html_script, 1, (size_t)(hyb_html_script_end - hyb_html_script), to);
	fputs("</script>\n</body>\n</html>\n", to);
}

int hyb_html_report(const struct hyb_report *r, FILE *to)
{
	char *json = NULL;
	size_t size = 0;
	FILE *memory = open_memstream(&json, &size);
	int err;

	if (!memory)
		return -ENOMEM;
	err = hyb_json_report(r, memory);
	if (fclose(memory) && !err)
		err = -ENOMEM;
	if (!err)
		put_page(r, json, size, to);
	free(json);
	return err;
}
