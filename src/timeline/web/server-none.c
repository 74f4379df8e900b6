/* SPDX-License-Identifier: BSD-3-Clause */
/* server.c without libmicrohttpd: no page is served. hybmon view refuses to serve one before it comes here. */
#include <errno.h>

#include "timeline/web/timeline.h"

int hyb_html_serve(const struct hyb_view_store *s, const char *title, uint16_t *port, struct hyb_html_server **server)
{
	(void)s;
	(void)title;
	(void)port;
	*server = NULL;
	return -ENOTSUP;
}

const char *hyb_html_server_path(const struct hyb_html_server *server)
{
	(void)server;
	return "";
}

void hyb_html_serve_findings(struct hyb_html_server *server, struct hyb_html_findings *findings)
{
	(void)server;
	(void)findings;
}

int hyb_html_serve_another(struct hyb_html_server *server, const struct hyb_view_store *s)
{
	(void)server;
	(void)s;
	return -ENOTSUP;
}

int hyb_html_serve_messages(struct hyb_html_server *server, struct hyb_view_store *s, struct hyb_view_store *messages)
{
	(void)server;
	(void)s;
	(void)messages;
	return -ENOTSUP;
}

void hyb_html_serve_end(struct hyb_html_server *server)
{
	(void)server;
}
