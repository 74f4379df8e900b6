/* SPDX-License-Identifier: BSD-3-Clause */
#include "html/page.h"

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

void hyb_html_head(const char *title, const char *after, FILE *to)
{
	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n"
	      "<meta name=\"viewport\" content=\"width=device-width\">\n"
	      "<meta name=\"generator\" content=\"hybmon " PACKAGE_VERSION "\">\n<title>", to);
	put_text(title, to);
	fprintf(to, "%s</title>\n", after);
}
