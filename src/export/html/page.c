/* SPDX-License-Identifier: BSD-3-Clause */
#include "export/html/page.h"

#include <stdlib.h>
#include <string.h>

#include "reader/streams/printable.h"

/* Nothing may look like the element's end. In JSON a `<` is in texts only. */
void hyb_html_json(const char *json, size_t size, FILE *to)
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
		else if (*text == '"')
			fputs("&quot;", to);
		else
			putc(*text, to);
	}
}

void hyb_html_attribute(const char *name, const char *value, FILE *to)
{
	fprintf(to, " %s=\"", name);
	put_text(value, to);
	putc('"', to);
}

/* Directories may have any name, and the page's heading is its title. */
static void put_title(const char *title, FILE *to)
{
	const size_t size = 4 * strlen(title) + 1;	/* if each byte becomes \xNN */
	char *shown = malloc(size);

	if (!shown)
		return;
	hyb_printable(shown, size, title);
	put_text(shown, to);
	free(shown);
}

void hyb_html_head(const char *title, const char *after, const char *policy, FILE *to)
{
	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n", to);
	/* Before anything that it is about. */
	if (policy)
		fprintf(to, "<meta http-equiv=\"Content-Security-Policy\" content=\"%s\">\n", policy);
	fputs("<meta name=\"viewport\" content=\"width=device-width\">\n"
	      "<meta name=\"generator\" content=\"hybmon " PACKAGE_VERSION "\">\n<title>", to);
	put_title(title, to);
	fprintf(to, "%s</title>\n", after);
}
