/* SPDX-License-Identifier: BSD-3-Clause */
/* The page of a timeline, and with all tiles in it; see timeline.h. */
#include "timeline/web/timeline.h"

#include <errno.h>
#include <stdlib.h>

#include "timeline/web/hashes.h"
#include "export/html/page.h"
#include "timeline/json/view.h"
#include "timeline/store/tile.h"

static void put_nonce(const char *nonce, FILE *to)
{
	if (nonce)
		fprintf(to, " nonce=\"%s\"", nonce);
}

void hyb_html_timeline_begin(const char *title, const char *nonce, FILE *to)
{
	hyb_html_head(title, " - hybmon view",
		      nonce ? NULL : HYB_HTML_POLICY(HYB_HTML_VIEW_STYLE_HASH, HYB_HTML_VIEW_SCRIPT_HASH), to);
	fputs("<style", to);
	put_nonce(nonce, to);
	fputs(">\n", to);
	fwrite(hyb_html_view_style, 1, (size_t)(hyb_html_view_style_end - hyb_html_view_style), to);
	fputs("</style>\n<body>\n<noscript>This page needs JavaScript.</noscript>\n<main id=\"page\"></main>\n", to);
}

void hyb_html_timeline_end(const char *nonce, FILE *to)
{
	/* Text: the page makes a worker of it. */
	fputs("<script type=\"text/plain\" id=\"worker\">\n", to);
	fwrite(hyb_html_view_worker, 1, (size_t)(hyb_html_view_worker_end - hyb_html_view_worker), to);
	fputs("</script>\n<script", to);
	put_nonce(nonce, to);
	fputs(">\n", to);
	fwrite(hyb_html_view_script, 1, (size_t)(hyb_html_view_script_end - hyb_html_view_script), to);
	fputs("</script>\n</body>\n</html>\n", to);
}

static void put_base64(const char *data, size_t size, FILE *to)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const unsigned char *p = (const unsigned char *)data;

	for (size_t i = 0; i < size; i += 3) {
		uint32_t left = (uint32_t)(size - i), w = (uint32_t)p[i] << 16;

		w |= left > 1 ? (uint32_t)p[i + 1] << 8 : 0;
		w |= left > 2 ? p[i + 2] : 0;
		putc(digits[w >> 18], to);
		putc(digits[w >> 12 & 63], to);
		putc(left > 1 ? digits[w >> 6 & 63] : '=', to);
		putc(left > 2 ? digits[w & 63] : '=', to);
	}
}

struct tile {
	uint32_t track; /* after the last one come curves */
	uint64_t index;
};

struct level {
	struct tile *list;
	size_t count;
};

/* One tile, and its halves into `below` where it has not all. */
static int put_tile(const struct hyb_view_store *s, struct tile tile, uint32_t level, struct level *below,
		    uint64_t *left, FILE *to)
{
	struct hyb_view_bytes bytes = { 0 };
	enum hyb_view_tile_kind kind;
	int err = tile.track < s->track_count ?
		hyb_view_tile(s, tile.track, level, tile.index, &bytes, &kind) :
		hyb_view_curve_tile(s, tile.track - s->track_count, level, tile.index, &bytes, &kind);

	if (!err && bytes.size * 4 / 3 > *left) {
		err = -EFBIG;
	} else if (!err) {
		*left -= bytes.size * 4 / 3;
		fprintf(to, ",\n\"%u/%u/%llu\":\"", tile.track, level, (unsigned long long)tile.index);
		put_base64(bytes.data, bytes.size, to);
		putc('"', to);
		if (kind == HYB_VIEW_TILE_DENSITY && level) {
			below->list[below->count++] = (struct tile){ tile.track, 2 * tile.index };
			below->list[below->count++] = (struct tile){ tile.track, 2 * tile.index + 1 };
		}
	}
	free(bytes.data);
	return err;
}

/* Level by level, so that what does not fit are details. -EFBIG: there was more. */
static int put_tiles(const struct hyb_view_store *s, uint64_t left, FILE *to)
{
	const size_t all = s->track_count + s->curve_count;
	struct level now = { calloc(all + 1, sizeof(struct tile)), 0 }, below;
	uint32_t level = hyb_view_top_level(s);
	int err = now.list ? 0 : -ENOMEM;

	for (uint32_t i = 0; !err && i < all; i++)
		now.list[now.count++] = (struct tile){ i, 0 };
	for (; !err && now.count; level--) {
		below = (struct level){ calloc(2 * now.count, sizeof(struct tile)), 0 };
		err = below.list ? 0 : -ENOMEM;
		for (size_t i = 0; !err && i < now.count; i++)
			err = put_tile(s, now.list[i], level, &below, &left, to);
		free(now.list);
		now = below;
	}
	free(now.list);
	return err;
}

#define LINES 50000u /* messages that one file has */

static int put_lines(const struct hyb_view_store *s, FILE *to)
{
	uint32_t *all = calloc(s->track_count + 1, sizeof(*all));
	struct hyb_view_bytes bytes = { 0 };
	int err = all ? 0 : -ENOMEM;

	for (uint32_t i = 0; !err && i < s->track_count; i++)
		all[i] = i;
	if (!err)
		err = hyb_view_lines(s, 0, s->length, all, s->track_count, LINES, &bytes);
	if (!err) {
		fputs("\"lines\":\"", to);
		put_base64(bytes.data, bytes.size, to);
		putc('"', to);
	}
	free(bytes.data);
	free(all);
	return err;
}

int hyb_html_timeline_describe(struct hyb_view_store *s)
{
	return hyb_json_about(s);
}

static int put_findings(struct hyb_html_findings *findings, FILE *to)
{
	char *json = NULL;
	size_t size = 0;
	FILE *memory = open_memstream(&json, &size);
	int err = memory ? hyb_html_findings_write(findings, memory) : -ENOMEM;

	if (memory && fclose(memory) && !err)
		err = -ENOMEM;
	if (!err) {
		fputs("<script type=\"application/json\" id=\"findings-data\">\n", to);
		hyb_html_json(json, size, to);
		fputs("</script>\n", to);
	}
	free(json);
	return err == -ENOMEM ? err : 0;
}

int hyb_html_timeline(const struct hyb_view_store *s, struct hyb_html_findings *findings, const char *title,
		      uint64_t most, FILE *to, bool *cut)
{
	char *json = NULL;
	size_t size = 0;
	FILE *memory = open_memstream(&json, &size);
	int err = memory ? hyb_json_view(s, title, memory) : -ENOMEM;

	if (memory && fclose(memory) && !err)
		err = -ENOMEM;
	if (err) {
		free(json);
		return err;
	}
	hyb_html_timeline_begin(title, NULL, to);
	fputs("<script type=\"application/json\" id=\"view\">\n", to);
	hyb_html_json(json, size, to);
	free(json);
	fputs("</script>\n", to);
	err = put_findings(findings, to);
	fputs("<script type=\"application/json\" id=\"tiles\">\n{", to);
	if (!err)
		err = put_lines(s, to);
	if (!err)
		err = put_tiles(s, most, to);
	*cut = err == -EFBIG;
	fprintf(to, ",\n\"cut\":%s}\n</script>\n", *cut ? "true" : "false");
	hyb_html_timeline_end(NULL, to);
	return *cut ? 0 : err;
}
