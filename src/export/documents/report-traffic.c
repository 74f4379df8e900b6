/* SPDX-License-Identifier: BSD-3-Clause */
/* What was moved, in a report's document. */
#include "export/documents/report-traffic.h"

#include "analysis/profile/traffic.h"
#include "reader/streams/word.h"
#include "export/json/value.h"

static json_t *pack_who(const struct hyb_report *r, uint32_t process)
{
	const struct hyb_model_process *p = &r->merge.model.processes[process];

	return json_pack("{so,so*}", "process", number(process), "rank", number_if(p->ranked, p->group));
}

/* What the row is of. */
static json_t *pack_key(const struct hyb_report *r, const struct hyb_traffic_row *row)
{
	const struct hyb_model *m = &r->merge.model;

	switch (row->kind) {
	case HYB_TRAFFIC_PAIR:
		return json_pack("{so,so}", "from", pack_who(r, row->a), "to", pack_who(r, row->b));
	case HYB_TRAFFIC_SIZE:
		return json_pack("{so}", "size", number(hyb_traffic_from(row->b)));
	case HYB_TRAFFIC_COLLECTIVE:
		return json_pack("{ss,so}", "operation", hyb_coll_word((enum hyb_coll)row->a), "size",
				 number(hyb_traffic_from(row->b)));
	case HYB_TRAFFIC_READ:
	case HYB_TRAFFIC_WRITE:
		return json_pack("{so,ss,so}", "file",
				 text(hyb_names_text(&m->names, hyb_files_at(&m->files, row->a)->name)), "operation",
				 row->kind == HYB_TRAFFIC_READ ? "read" : "write", "small", number(row->small));
	case HYB_TRAFFIC_UNPAIRED:
		break;
	}
	return json_object();
}

static json_t *pack_row(const struct hyb_report *r, const struct hyb_traffic_row *row)
{
	json_t *object = pack_key(r, row);
	json_t *more = json_pack("{so,so,so,so,so,so}", "count", number(row->count), "bytes", number(row->bytes),
				 "timed", number(row->timed), "timed_bytes", number(row->timed_bytes), "time",
				 number((uint64_t)row->ns), "longest", number((uint64_t)row->most));

	if (!object || !more || json_object_update(object, more)) {
		json_decref(object);
		object = NULL;
	}
	json_decref(more);
	return object;
}

static json_t *list_rows(const struct hyb_report *r, enum hyb_traffic_kind first, enum hyb_traffic_kind last)
{
	json_t *rows = json_array();

	for (uint32_t i = 0; i < r->traffic.rows.count; i++) {
		const struct hyb_traffic_row *row = hyb_table_at(&r->traffic.rows, i);

		if (row->kind >= first && row->kind <= last)
			append(&rows, pack_row(r, row));
	}
	return rows;
}

json_t *hyb_json_traffic(const struct hyb_report *r)
{
	return json_pack("{so,so,so,so,so}", "messages", list_rows(r, HYB_TRAFFIC_PAIR, HYB_TRAFFIC_PAIR), "sizes",
			 list_rows(r, HYB_TRAFFIC_SIZE, HYB_TRAFFIC_SIZE), "unpaired",
			 list_rows(r, HYB_TRAFFIC_UNPAIRED, HYB_TRAFFIC_UNPAIRED), "collectives",
			 list_rows(r, HYB_TRAFFIC_COLLECTIVE, HYB_TRAFFIC_COLLECTIVE), "files",
			 list_rows(r, HYB_TRAFFIC_READ, HYB_TRAFFIC_WRITE));
}
