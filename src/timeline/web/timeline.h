/* SPDX-License-Identifier: BSD-3-Clause */
/* The timeline as a page for a browser: served with what it asks for, or as one file with all of it. */
#ifndef HYB_TIMELINE_WEB_TIMELINE_H
#define HYB_TIMELINE_WEB_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "timeline/web/findings.h"
#include "timeline/store/store.h"

/* `nonce`: what the page's style and script are known by, of letters; NULL: a page of its own. */
void hyb_html_timeline_begin(const char *title, const char *nonce, FILE *to);
void hyb_html_timeline_end(const char *nonce, FILE *to);

/*
 * All of it in one page: the tiles from the whole run down to single records, as far as `most` bytes go. 0 or -ENOMEM;
 * errors of the file are the caller's to find. *cut: there was more. Without findings where there are none.
 */
int hyb_html_timeline(const struct hyb_view_store *s, struct hyb_html_findings *findings, const char *title,
		      uint64_t most, FILE *to, bool *cut);

/* What the page is told of a store that the merge has filled: its `about`. 0 or -ENOMEM. */
int hyb_html_timeline_describe(struct hyb_view_store *s);

struct hyb_html_server;

/*
 * Serves the page on 127.0.0.1 to whoever knows the token in its address, from threads of its own. `port`: 0: any that
 * is free; it is set. 0 or -errno; the store has to stay until hyb_html_serve_end, or another one is there. The title
 * stays, too.
 */
int hyb_html_serve(const struct hyb_view_store *s, const char *title, uint16_t *port, struct hyb_html_server **server);
/* The path of the page, with the token; the server's. */
const char *hyb_html_server_path(const struct hyb_html_server *server);
/* From then on it has these, which stay until hyb_html_serve_end. */
void hyb_html_serve_findings(struct hyb_html_server *server, struct hyb_html_findings *findings);
/* What there is now, of a job that runs: when it returns 0, nobody uses the store that was there before. Or -ENOMEM. */
int hyb_html_serve_another(struct hyb_html_server *server, const struct hyb_view_store *s);
/* The messages of the store that is served, found after it: hyb_view_take_messages, when nobody uses it. 0 or -ENOMEM. */
int hyb_html_serve_messages(struct hyb_html_server *server, struct hyb_view_store *s, struct hyb_view_store *messages);
void hyb_html_serve_end(struct hyb_html_server *server);

#endif
