/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Serves a timeline on 127.0.0.1. Others have processes on the same machine, and any page that a browser shows may send
 * requests there. So the path begins with a token that nobody can guess, and what does not name this server as its
 * host, or comes from a page of another origin, is refused (DNS rebinding).
 */
#include "timeline/web/timeline.h"

#include <arpa/inet.h>
#include <errno.h>
#include <microhttpd.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "timeline/web/peer.h"
#include "timeline/json/view.h"
#include "timeline/store/look.h"

#define TOKEN  32 /* hexadecimal digits */
#define LINES  4000u
#define TRACKS 4096u /* that one request may name */

struct hyb_html_server {
	pthread_rwlock_t lock; /* of the four below: who answers a request has it for reading */
	const struct hyb_view_store *store;
	char *json;
	size_t json_size;
	uint64_t generation; /* how often there was another store */
	const char *title;
	struct hyb_html_findings *findings; /* NULL: none are shown */
	struct MHD_Daemon *daemon;
	uint16_t port;
	char path[TOKEN + 3]; /* "/TOKEN/" */
	char nonce[TOKEN + 1];
	char policy[256];
	char hosts[2][32]; /* as which browsers know it */
	char *page;
	size_t page_size;
};

static int make_random(char text[TOKEN + 1])
{
	unsigned char bytes[TOKEN / 2];

	if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes))
		return -EIO;
	for (size_t i = 0; i < sizeof(bytes); i++)
		sprintf(text + 2 * i, "%02x", bytes[i]);
	return 0;
}

static enum MHD_Result answer(const struct hyb_html_server *h, struct MHD_Connection *c, unsigned int status,
			      const char *type, void *data, size_t size, enum MHD_ResponseMemoryMode mode)
{
	struct MHD_Response *r = MHD_create_response_from_buffer(size, data, mode);
	enum MHD_Result ret;

	if (!r) {
		if (mode == MHD_RESPMEM_MUST_FREE)
			free(data);
		return MHD_NO;
	}
	MHD_add_response_header(r, "Content-Type", type);
	MHD_add_response_header(r, "Content-Security-Policy", h->policy);
	MHD_add_response_header(r, "X-Content-Type-Options", "nosniff");
	MHD_add_response_header(r, "Referrer-Policy", "no-referrer");
	MHD_add_response_header(r, "Cross-Origin-Resource-Policy", "same-origin");
	MHD_add_response_header(r, "Cache-Control", "no-store");
	ret = MHD_queue_response(c, status, r);
	MHD_destroy_response(r);
	return ret;
}

static enum MHD_Result refuse(const struct hyb_html_server *h, struct MHD_Connection *c, unsigned int status,
			      const char *why)
{
	return answer(h, c, status, "text/plain; charset=utf-8", (void *)why, strlen(why), MHD_RESPMEM_MUST_COPY);
}

static bool is_ours(const struct hyb_html_server *h, struct MHD_Connection *c)
{
	const char *host = MHD_lookup_connection_value(c, MHD_HEADER_KIND, "Host");
	const char *origin = MHD_lookup_connection_value(c, MHD_HEADER_KIND, "Origin");
	bool known = false;

	for (int i = 0; host && i < 2; i++)
		known |= !strcmp(host, h->hosts[i]) &&
			 (!origin || (!strncmp(origin, "http://", 7) && !strcmp(origin + 7, h->hosts[i])));
	return known;
}

/* The same time whatever is wrong. */
static bool has_token(const struct hyb_html_server *h, const char *url)
{
	size_t length = strlen(h->path);
	unsigned char other = 0;

	if (strlen(url) < length)
		return false;
	for (size_t i = 0; i < length; i++)
		other |= (unsigned char)(url[i] ^ h->path[i]);
	return !other;
}

static bool get_number(struct MHD_Connection *c, const char *name, uint64_t most, uint64_t *value)
{
	const char *text = MHD_lookup_connection_value(c, MHD_GET_ARGUMENT_KIND, name);
	char *end;

	if (!text || *text < '0' || *text > '9')
		return false;
	errno = 0;
	*value = strtoull(text, &end, 10);
	return !errno && !*end && *value <= most;
}

static enum MHD_Result give(const struct hyb_html_server *h, struct MHD_Connection *c, int err,
			    struct hyb_view_bytes *bytes)
{
	if (!err)
		return answer(h, c, MHD_HTTP_OK, "application/octet-stream", bytes->data, bytes->size,
			      MHD_RESPMEM_MUST_FREE);
	free(bytes->data);
	return refuse(h, c, MHD_HTTP_INTERNAL_SERVER_ERROR,
		      err == -ENOMEM ? "out of memory\n" : "what hybmon view kept is damaged: remove view.cache, and start it again\n");
}

static enum MHD_Result give_tile(const struct hyb_html_server *h, struct MHD_Connection *c)
{
	struct hyb_view_bytes bytes = { 0 };
	enum hyb_view_tile_kind kind;
	uint64_t track, level, index;

	if (!h->store->track_count || !get_number(c, "track", h->store->track_count - 1, &track) ||
	    !get_number(c, "level", hyb_view_top_level(h->store), &level) ||
	    !get_number(c, "index", h->store->length / ((uint64_t)HYB_VIEW_COLUMNS << level), &index))
		return refuse(h, c, MHD_HTTP_BAD_REQUEST, "no such tile\n");
	return give(h, c, hyb_view_tile(h->store, track, (uint32_t)level, index, &bytes, &kind), &bytes);
}

static enum MHD_Result give_curve(const struct hyb_html_server *h, struct MHD_Connection *c)
{
	struct hyb_view_bytes bytes = { 0 };
	enum hyb_view_tile_kind kind;
	uint64_t curve, level, index;

	if (!h->store->curve_count || !get_number(c, "curve", h->store->curve_count - 1, &curve) ||
	    !get_number(c, "level", hyb_view_top_level(h->store), &level) ||
	    !get_number(c, "index", h->store->length / ((uint64_t)HYB_VIEW_COLUMNS << level), &index))
		return refuse(h, c, MHD_HTTP_BAD_REQUEST, "no such curve\n");
	return give(h, c, hyb_view_curve_tile(h->store, curve, (uint32_t)level, index, &bytes, &kind), &bytes);
}

/* "1,2,3": numbers of tracks; to be freed, NULL if it is none. */
static uint32_t *get_tracks(const struct hyb_html_server *h, struct MHD_Connection *c, size_t *count)
{
	const char *text = MHD_lookup_connection_value(c, MHD_GET_ARGUMENT_KIND, "tracks");
	uint32_t *list = text ? calloc(TRACKS, sizeof(*list)) : NULL;
	char *end;

	for (*count = 0; list && *text; text = *end ? end + 1 : end) {
		unsigned long long track = *text >= '0' && *text <= '9' ? strtoull(text, &end, 10) : UINT64_MAX;

		if (track >= h->store->track_count || *count == TRACKS || (*end && *end != ',')) {
			free(list);
			return NULL;
		}
		list[(*count)++] = (uint32_t)track;
	}
	return list;
}

static enum MHD_Result give_lines(const struct hyb_html_server *h, struct MHD_Connection *c)
{
	struct hyb_view_bytes bytes = { 0 };
	uint64_t from, until;
	size_t count;
	uint32_t *tracks = get_tracks(h, c, &count);
	enum MHD_Result ret;

	if (!tracks || !get_number(c, "from", UINT64_MAX, &from) || !get_number(c, "until", UINT64_MAX, &until))
		ret = refuse(h, c, MHD_HTTP_BAD_REQUEST, "no such messages\n");
	else
		ret = give(h, c, hyb_view_lines(h->store, from, until, tracks, count, LINES, &bytes), &bytes);
	free(tracks);
	return ret;
}

/* "a,b": ids of regions, as bits; to be freed, NULL if it is none. */
static uint8_t *get_regions(const struct hyb_html_server *h, struct MHD_Connection *c)
{
	const char *text = MHD_lookup_connection_value(c, MHD_GET_ARGUMENT_KIND, "regions");
	const uint32_t count = h->store->regions;
	uint8_t *bits = text ? calloc(count / 8 + 1, 1) : NULL;
	char *end;

	for (; bits && *text; text = *end ? end + 1 : end) {
		unsigned long long id = *text >= '0' && *text <= '9' ? strtoull(text, &end, 10) : UINT64_MAX;

		if (id >= count || (*end && *end != ',')) {
			free(bits);
			return NULL;
		}
		bits[id / 8] |= (uint8_t)(1u << id % 8);
	}
	return bits;
}

static enum MHD_Result give_found(const struct hyb_html_server *h, struct MHD_Connection *c)
{
	struct hyb_view_wish wish = { get_regions(h, c), h->store->regions };
	struct hyb_view_bytes bytes = { 0 };
	struct hyb_view_found found;
	uint64_t time, before;
	size_t count;
	uint32_t *tracks = get_tracks(h, c, &count);
	enum MHD_Result ret;

	if (!tracks || !wish.bits || !get_number(c, "time", UINT64_MAX - 1, &time) ||
	    !get_number(c, "before", 1, &before)) {
		ret = refuse(h, c, MHD_HTTP_BAD_REQUEST, "no such regions\n");
	} else {
		found = hyb_view_find(h->store, tracks, count, time, before, &wish);
		ret = give(h, c, hyb_view_put(&bytes, &found, sizeof(found)), &bytes);
	}
	free(tracks);
	free((void *)wish.bits);
	return ret;
}

static enum MHD_Result give_shares(const struct hyb_html_server *h, struct MHD_Connection *c)
{
	struct hyb_view_bytes bytes = { 0 };
	uint64_t from, until;
	size_t count;
	uint32_t *tracks = get_tracks(h, c, &count);
	enum MHD_Result ret;
	int err;

	if (!tracks || !get_number(c, "from", UINT64_MAX, &from) || !get_number(c, "until", UINT64_MAX, &until) ||
	    until < from) {
		ret = refuse(h, c, MHD_HTTP_BAD_REQUEST, "no such span\n");
	} else {
		err = hyb_view_shares(h->store, tracks, count, from, until, &bytes);
		ret = err == -E2BIG ? refuse(h, c, MHD_HTTP_CONTENT_TOO_LARGE, "too many events\n") :
				      give(h, c, err, &bytes);
	}
	free(tracks);
	return ret;
}

static enum MHD_Result give_sums(const struct hyb_html_server *h, struct MHD_Connection *c)
{
	struct hyb_view_bytes bytes = { 0 };
	uint64_t from, until;
	size_t count;
	uint32_t *tracks = get_tracks(h, c, &count);
	enum MHD_Result ret;

	if (!tracks || !count || !get_number(c, "from", UINT64_MAX, &from) ||
	    !get_number(c, "until", UINT64_MAX, &until) || until < from)
		ret = refuse(h, c, MHD_HTTP_BAD_REQUEST, "no such span\n");
	else
		ret = give(h, c, hyb_view_sums(h->store, tracks, count, from, until, &bytes), &bytes);
	free(tracks);
	return ret;
}

/* Whether there is something new: pages of a job that runs ask now and then. */
static enum MHD_Result give_state(const struct hyb_html_server *h, struct MHD_Connection *c)
{
	static const char *const words[] = { "false", "true" };
	const struct hyb_view_store *s = h->store;
	char text[160];
	int size = snprintf(text, sizeof(text),
			    "{\"generation\":%llu,\"running\":%s,\"pairing\":%s,\"sketch\":%s,\"rough\":%s,\"whole\":%llu,"
			    "\"elsewhere\":%s}",
			    (unsigned long long)h->generation, words[s->running], words[s->pairing], words[s->sketch],
			    words[s->rough], (unsigned long long)s->whole, words[s->elsewhere]);

	return answer(h, c, MHD_HTTP_OK, "application/json", text, (size_t)size, MHD_RESPMEM_MUST_COPY);
}

/* They take a while: 202 until then. None of a job that runs, or before all is read. */
static enum MHD_Result give_findings(const struct hyb_html_server *h, struct MHD_Connection *c)
{
	const char *json = NULL;
	size_t size = 0;
	int err = h->findings && !h->store->running && !h->store->sketch ? hyb_html_findings_get(h->findings, &json, &size) : -ENODATA;

	if (err == -EAGAIN)
		return refuse(h, c, MHD_HTTP_ACCEPTED, "not yet\n");
	if (err)
		return refuse(h, c, MHD_HTTP_NOT_FOUND, "there are no findings\n");
	return answer(h, c, MHD_HTTP_OK, "application/json", (void *)json, size, MHD_RESPMEM_PERSISTENT);
}

static enum MHD_Result respond(const struct hyb_html_server *h, struct MHD_Connection *c, const char *url,
			       const char *method)
{
	if (!is_ours(h, c))
		return refuse(h, c, MHD_HTTP_FORBIDDEN, "this is hybmon view, and you asked for something else\n");
	if (!has_token(h, url))
		return refuse(h, c, MHD_HTTP_FORBIDDEN, "the address that hybmon view printed has a token; use all of it\n");
	if (strcmp(method, "GET"))
		return refuse(h, c, MHD_HTTP_METHOD_NOT_ALLOWED, "GET only\n");
	url += strlen(h->path);
	if (!*url)
		return answer(h, c, MHD_HTTP_OK, "text/html; charset=utf-8", h->page, h->page_size, MHD_RESPMEM_PERSISTENT);
	if (!strcmp(url, "view"))
		return answer(h, c, MHD_HTTP_OK, "application/json", h->json, h->json_size, MHD_RESPMEM_MUST_COPY);
	if (!strcmp(url, "findings"))
		return give_findings(h, c);
	if (!strcmp(url, "state"))
		return give_state(h, c);
	if (!strcmp(url, "tile"))
		return give_tile(h, c);
	if (!strcmp(url, "curve"))
		return give_curve(h, c);
	if (!strcmp(url, "lines"))
		return give_lines(h, c);
	if (!strcmp(url, "sums"))
		return give_sums(h, c);
	if (!strcmp(url, "shares"))
		return give_shares(h, c);
	if (!strcmp(url, "find"))
		return give_found(h, c);
	return refuse(h, c, MHD_HTTP_NOT_FOUND, "there is nothing of that name\n");
}

static enum MHD_Result on_request(void *arg, struct MHD_Connection *c, const char *url, const char *method,
				  const char *version, const char *upload, size_t *upload_size, void **state)
{
	struct hyb_html_server *h = arg;
	enum MHD_Result ret;

	(void)version;
	(void)upload;
	(void)upload_size;
	(void)state;
	pthread_rwlock_rdlock(&h->lock);
	ret = respond(h, c, url, method);
	pthread_rwlock_unlock(&h->lock);
	return ret;
}

static int make_page(struct hyb_html_server *h)
{
	FILE *to = open_memstream(&h->page, &h->page_size);

	if (!to)
		return -ENOMEM;
	hyb_html_timeline_begin(h->title, h->nonce, to);
	hyb_html_timeline_end(h->nonce, to);
	return fclose(to) ? -ENOMEM : 0;
}

static int describe(const struct hyb_html_server *h, const struct hyb_view_store *s, char **json, size_t *size)
{
	FILE *to;
	int err;

	*json = NULL;
	to = open_memstream(json, size);
	err = to ? hyb_json_view(s, h->title, to) : -ENOMEM;
	if (to && fclose(to) && !err)
		err = -ENOMEM;
	if (err)
		free(*json);
	return err;
}

/* Under the lock, to write. */
static void serve(struct hyb_html_server *h, const struct hyb_view_store *s, char *json, size_t size)
{
	free(h->json);
	h->json = json;
	h->json_size = size;
	h->store = s;
	h->generation++;
}

int hyb_html_serve_another(struct hyb_html_server *h, const struct hyb_view_store *s)
{
	char *json;
	size_t size;
	int err = describe(h, s, &json, &size);

	if (err)
		return err;
	pthread_rwlock_wrlock(&h->lock);
	serve(h, s, json, size);
	pthread_rwlock_unlock(&h->lock);
	return 0;
}

/* At once with what describes it: a page that sees that they are there asks for that. */
int hyb_html_serve_messages(struct hyb_html_server *h, struct hyb_view_store *s, struct hyb_view_store *messages)
{
	char *json;
	size_t size;
	int err;

	pthread_rwlock_wrlock(&h->lock);
	hyb_view_take_messages(s, messages);
	err = describe(h, s, &json, &size);
	if (!err)
		serve(h, s, json, size);
	pthread_rwlock_unlock(&h->lock);
	return err;
}

/* Others could keep all connections that there may be, and say nothing. */
static enum MHD_Result may_come(void *server, const struct sockaddr *peer, socklen_t length)
{
	const struct hyb_html_server *h = server;

	return length >= sizeof(struct sockaddr_in) && peer->sa_family == AF_INET &&
	       hyb_peer_is_another((const struct sockaddr_in *)peer, __atomic_load_n(&h->port, __ATOMIC_RELAXED)) ? MHD_NO : MHD_YES;
}

static int start(struct hyb_html_server *h, uint16_t *port)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons(*port),
				       .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	const union MHD_DaemonInfo *info;

	errno = 0;
	h->daemon = MHD_start_daemon(MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_AUTO, 0, may_come, h, on_request, h,
				     MHD_OPTION_SOCK_ADDR, (struct sockaddr *)&address, MHD_OPTION_THREAD_POOL_SIZE, 4u,
				     MHD_OPTION_CONNECTION_LIMIT, 256u, MHD_OPTION_CONNECTION_TIMEOUT, 60u, MHD_OPTION_END);
	if (!h->daemon)
		return errno ? -errno : -EIO;
	info = MHD_get_daemon_info(h->daemon, MHD_DAEMON_INFO_BIND_PORT);
	if (info)
		*port = info->port;
	__atomic_store_n(&h->port, *port, __ATOMIC_RELAXED);
	snprintf(h->hosts[0], sizeof(h->hosts[0]), "127.0.0.1:%u", *port);
	snprintf(h->hosts[1], sizeof(h->hosts[1]), "localhost:%u", *port);
	return 0;
}

int hyb_html_serve(const struct hyb_view_store *s, const char *title, uint16_t *port, struct hyb_html_server **server)
{
	struct hyb_html_server *h = calloc(1, sizeof(*h));
	char token[TOKEN + 1];
	int err = h ? make_random(token) : -ENOMEM;

	*server = h;
	if (h)
		pthread_rwlock_init(&h->lock, NULL);
	if (!err)
		err = make_random(h->nonce);
	if (!err) {
		h->title = title;
		snprintf(h->path, sizeof(h->path), "/%s/", token);
		snprintf(h->policy, sizeof(h->policy),
			 "default-src 'none'; connect-src 'self'; style-src 'nonce-%s'; script-src 'nonce-%s'; worker-src blob:; "
			 "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'", h->nonce, h->nonce);
		err = make_page(h);
	}
	if (!err)
		err = hyb_html_serve_another(h, s);
	if (!err)
		err = start(h, port);
	return err;
}

void hyb_html_serve_findings(struct hyb_html_server *h, struct hyb_html_findings *findings)
{
	pthread_rwlock_wrlock(&h->lock);
	h->findings = findings;
	pthread_rwlock_unlock(&h->lock);
}

const char *hyb_html_server_path(const struct hyb_html_server *server)
{
	return server->path;
}

void hyb_html_serve_end(struct hyb_html_server *server)
{
	if (!server)
		return;
	if (server->daemon)
		MHD_stop_daemon(server->daemon);
	pthread_rwlock_destroy(&server->lock);
	free(server->page);
	free(server->json);
	free(server);
}
