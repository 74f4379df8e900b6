/* SPDX-License-Identifier: BSD-3-Clause */
/* The profile by line in a report's document. */
#include "export/documents/report-flat.h"
#include "export/json/value.h"

static json_t *list_rows(const struct hyb_report *r, const struct hyb_code_line *line)
{
	const uint32_t of = hyb_table_index(&r->lines.lines, line);
	json_t *rows = json_array();

	for (uint32_t i = hyb_rows_first(&r->lines.rows, of); i < r->lines.rows.count; i++) {
		const struct hyb_code_line_row *row = hyb_table_at(&r->lines.rows, i);

		if (row->line != of)
			break;
		append(&rows, hyb_json_with_process(r, row->process, json_pack("{so}", "work", number((uint64_t)row->ns))));
	}
	return rows;
}

json_t *hyb_json_lines(const struct hyb_report *r)
{
	static const char *const kinds[] = {
		[HYB_SPOT_REGION] = "region", [HYB_SPOT_BEFORE] = "before", [HYB_SPOT_PAUSED] = "not_recorded",
		[HYB_SPOT_TOP] = "thread",
	};
	json_t *all = json_array();

	for (uint32_t i = 0; i < r->lines.lines.count; i++) {
		const struct hyb_code_line *line = hyb_lines_at(&r->lines, i);
		const char *at = line->detail >= HYB_SPOT_STOPPED ? NULL : hyb_names_text(&r->merge.model.names, line->detail);

		append(&all, json_pack("{ss,so*,so*,so,so,so,so,so,so}", "kind", kinds[line->kind], "name",
				       text_if(line->region, line->region ? line->region->name : ""), "at",
				       text_if(at, at ? at : ""), "visits", number(line->visits), "work",
				       number((uint64_t)hyb_code_line_work(line)), "parts", hyb_json_parts(line->part), "waited",
				       number((uint64_t)line->waited), "waits", number(line->waits), "processes", list_rows(r, line)));
	}
	return all;
}
