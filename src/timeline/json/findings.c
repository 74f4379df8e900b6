/* SPDX-License-Identifier: BSD-3-Clause */
#include "timeline/json/findings.h"

#include <errno.h>
#include <stdlib.h>

#include "export/documents/document.h"
#include "export/documents/report-causes.h"
#include "export/documents/report-flat.h"
#include "export/json/value.h"

#define CAUSES 200u /* that are listed */

/* Of each cause its place among those that are listed, -1: it is not. NULL without memory. */
static int *make_places(const struct hyb_report *r)
{
	const uint32_t count = r->causes.causes.count;
	int *places = calloc(count + 1, sizeof(*places));

	for (uint32_t i = 0; places && i < count; i++)
		places[r->list[i].number] = i < CAUSES ? (int)i : -1;
	return places;
}

/* [track, the one it waited for, begin, end, kind, cause], ns since the recording's begin. */
static json_t *list_waits(const struct hyb_report *r, const struct hyb_view_waits *w, const int *places)
{
	json_t *all = json_array();

	for (size_t i = 0; all && i < w->heap.count; i++) {
		const struct hyb_view_wait *one = &w->list[i];
		json_t *wait = json_pack("[i,i,I,I,s,i]", (int)one->track, (int)one->other,
					 (json_int_t)hyb_ns_sub(one->begin, r->merge.start),
					 (json_int_t)hyb_ns_sub(one->end, r->merge.start), hyb_json_wait_name(one->kind),
					 places[one->cause]);

		append(&all, wait);
	}
	return all;
}

int hyb_json_findings(const struct hyb_report *r, const struct hyb_view_waits *w, FILE *to)
{
	int *places = make_places(r), err;
	json_t *document;

	if (!places)
		return -ENOMEM;
	document = json_pack("{so,so,so,so,so}", "waited", number((uint64_t)r->causes.waited), "total", number(w->total),
			     "causes", hyb_json_causes(r, CAUSES), "waits", list_waits(r, w, places), "advice",
			     hyb_json_advice(r));
	err = hyb_json_document(document, to);
	free(places);
	return err;
}
