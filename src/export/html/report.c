/* SPDX-License-Identifier: BSD-3-Clause */
/* See report.h. The page is its style, the report as JSON, and a script that shows that. */
#include "export/html/report.h"

#include <errno.h>
#include <stdlib.h>

#include "export/html/hashes.h"
#include "export/html/page.h"
#include "export/documents/report.h"

static void put_page(const char *title, const char *timeline, const char *json, size_t size, FILE *to)
{
	hyb_html_head(title, " - hybmon report", HYB_HTML_POLICY(HYB_HTML_STYLE_HASH, HYB_HTML_SCRIPT_HASH), to);
	fputs("<style>\n", to);
	fwrite(hyb_html_style, 1, (size_t)(hyb_html_style_end - hyb_html_style), to);
	fputs("</style>\n<body>\n<noscript>This page needs JavaScript. hybmon report shows the same as text.</noscript>\n"
	      "<main id=\"page\"", to);
	if (timeline)
		hyb_html_attribute("data-timeline", timeline, to);
	fputs("></main>\n<script type=\"application/json\" id=\"report\">\n", to);
	hyb_html_json(json, size, to);
	fputs("</script>\n<script>\n", to);
	fwrite(hyb_html_script, 1, (size_t)(hyb_html_script_end - hyb_html_script), to);
	fputs("</script>\n</body>\n</html>\n", to);
}

/* The directories, in memory of its own. */
static char *make_title(const struct hyb_report *r)
{
	char *title = NULL;
	size_t size = 0;
	FILE *to = open_memstream(&title, &size);

	if (!to)
		return NULL;
	for (size_t i = 0; i < r->options.dir_count; i++)
		fprintf(to, "%s%s", i ? ", " : "", r->options.dirs[i]);
	fclose(to);
	return title;
}

int hyb_html_report(const struct hyb_report *r, const char *timeline, FILE *to)
{
	char *title = make_title(r), *json = NULL;
	size_t size = 0;
	FILE *memory = title ? open_memstream(&json, &size) : NULL;
	int err = memory ? hyb_json_report(r, memory) : -ENOMEM;

	if (memory && fclose(memory) && !err)
		err = -ENOMEM;
	if (!err)
		put_page(title, timeline, json, size, to);
	free(json);
	free(title);
	return err;
}
