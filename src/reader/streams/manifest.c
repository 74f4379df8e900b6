/* SPDX-License-Identifier: BSD-3-Clause */
/* The manifest of one process as a table of keys and values; see manifest.h. */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "reader/streams/manifest.h"
#include "reader/containers/array.h"

void hyb_manifest_init(struct hyb_manifest *m)
{
	memset(m, 0, sizeof(*m));
	m->rank = -1;
	m->ranks = -1;
	m->pid = -1;
	m->ended = "-";
	m->lost_why = "";
	m->host = "";
	m->boot = "";
	m->program = "";
	m->started = "";
	m->counter = "";
	m->mpi = "";
	m->mpi_standard = "";
	m->adapter = "";
	m->experiment = "";
}

/* \\ and \n back to what they stand for, in place. */
static void unescape(char *s)
{
	char *to = s;

	for (; *s; s++) {
		if (*s == '\\' && (s[1] == '\\' || s[1] == 'n')) {
			s++;
			*to++ = *s == 'n' ? '\n' : '\\';
		} else {
			*to++ = *s;
		}
	}
	*to = 0;
}

/* A number that is not negative, or `otherwise`. */
static int64_t number(const char *s, int64_t otherwise)
{
	char *end;
	long long n;

	errno = 0;
	n = strtoll(s, &end, 10);
	return errno || end == s || *end || n < 0 ? otherwise : (int64_t)n;
}

static enum hyb_run_state run_state(const char *s)
{
	static const char *const names[] = {
		[HYB_RUN_RUNNING] = "running",
		[HYB_RUN_FINALIZED] = "finalized",
		[HYB_RUN_ENDED] = "ended",
	};

	for (size_t i = HYB_RUN_RUNNING; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!strcmp(s, names[i]))
			return (enum hyb_run_state)i;
	}
	return HYB_RUN_UNKNOWN;
}

static void set_member(struct hyb_manifest *m, const char *key, const char *value)
{
	const struct {
		const char *key;
		const char **text;
		int64_t *number;
	} members[] = {
		{ "ended", &m->ended, NULL },	    { "rank", NULL, &m->rank },
		{ "ranks", NULL, &m->ranks },	    { "lost", NULL, (int64_t *)&m->lost },
		{ "lost-why", &m->lost_why, NULL }, { "threads", NULL, (int64_t *)&m->threads },
		{ "host", &m->host, NULL },	    { "boot", &m->boot, NULL },
		{ "pid", NULL, &m->pid },	    { "program", &m->program, NULL },
		{ "started", &m->started, NULL },   { "counter", &m->counter, NULL },
		{ "mpi", &m->mpi, NULL },	    { "mpi-standard", &m->mpi_standard, NULL },
		{ "adapter", &m->adapter, NULL },   { "experiment", &m->experiment, NULL },
	};

	if (!strcmp(key, "state"))
		m->state = run_state(value);
	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
		if (strcmp(key, members[i].key))
			continue;
		if (members[i].text)
			*members[i].text = value;
		else
			*members[i].number = number(value, *members[i].number);
	}
}

/*
 * Takes the line apart, in place. A fixed line is padded, and its value may have no line end to
 * trust.
 */
static bool split_line(char *line, bool fixed, struct hyb_manifest_line *out)
{
	char *colon = strchr(line, ':');
	char *value;

	if (!colon || colon == line)
		return false;
	*colon = 0;
	value = colon + 1;
	if (*value == ' ')
		value++;
	if (fixed) {
		size_t n = strlen(value);

		while (n && value[n - 1] == ' ')
			value[--n] = 0;
	}
	unescape(value);
	out->key = line;
	out->value = value;
	return true;
}

static int add_line(struct hyb_manifest *m, size_t *room, char *line, bool fixed)
{
	struct hyb_manifest_line parsed, *lines;

	if (!split_line(line, fixed, &parsed))
		return 0;
	lines = hyb_array_room(m->lines, room, m->count, sizeof(*lines));
	if (!lines)
		return -ENOMEM;
	m->lines = lines;
	m->lines[m->count++] = parsed;
	/* A fixed line that was never set says nothing; `ended` says so itself. */
	if (!fixed || strcmp(parsed.value, "-"))
		set_member(m, parsed.key, parsed.value);
	return 0;
}

/* The text is m->text, terminated, with no zero byte inside. */
static int parse_lines(struct hyb_manifest *m, size_t size)
{
	const size_t fixed_size = HYB_MANIFEST_FIXED_LINES * HYB_MANIFEST_LINE_SIZE;
	size_t room = 0, at = 0;

	while (at < size) {
		char *line = m->text + at;
		char *end = memchr(line, '\n', size - at);
		int err;

		/* A last line without its end was cut short by the death of its writer. */
		if (!end)
			break;
		*end = 0;
		err = at ? add_line(m, &room, line, at < fixed_size) : 0;
		if (err)
			return err;
		at = (size_t)(end - m->text) + 1;
	}
	return 0;
}

static int check_title(const char *path, const char *text, size_t size, const struct hyb_diag *diag)
{
	static const char magic[] = HYB_MANIFEST_MAGIC;
	const size_t length = sizeof(magic) - 1;

	if (size > length && !memcmp(text, magic, length) &&
	    (text[length] == ' ' || text[length] == '\n'))
		return 0;
	if (size > length && !memcmp(text, magic, length - 1))
		hyb_diag_say(diag, HYB_SEV_ERROR,
			     "%s: has a newer format than this program knows: use a newer hybmon",
			     path);
	else
		hyb_diag_say(diag, HYB_SEV_ERROR, "%s: is not the manifest of a process", path);
	return -EINVAL;
}

int hyb_manifest_parse(const char *path, const char *text, size_t size, const struct hyb_diag *diag,
		       struct hyb_manifest *m)
{
	int err;

	hyb_manifest_init(m);
	err = check_title(path, text, size, diag);
	if (err)
		return err;
	m->text = malloc(size + 1);
	if (!m->text)
		return -ENOMEM;
	for (size_t i = 0; i < size; i++)
		m->text[i] = text[i] ? text[i] : ' ';
	m->text[size] = 0;
	err = parse_lines(m, size);
	if (err)
		hyb_manifest_free(m);
	return err;
}

int hyb_manifest_read(const char *path, uid_t owner, const struct hyb_diag *diag, struct hyb_manifest *m)
{
	char *text = NULL;
	size_t size = 0;
	int err;

	hyb_manifest_init(m);
	err = hyb_file_read(path, owner, HYB_MANIFEST_MAX, &text, &size);
	if (!err) {
		err = hyb_manifest_parse(path, text, size, diag, m);
		free(text);
	} else if (err == -EINVAL || err == -EFBIG) {
		hyb_diag_say(diag, HYB_SEV_ERROR, "%s: is not the manifest of a process", path);
		err = -EINVAL;
	} else if (err != -ENOENT) {
		hyb_diag_say(diag, HYB_SEV_ERROR, "%s: cannot be read: %s", path, hyb_file_error(err));
	}
	return err;
}

const char *hyb_manifest_get(const struct hyb_manifest *m, const char *key, size_t index)
{
	for (size_t i = 0; i < m->count; i++) {
		if (!strcmp(m->lines[i].key, key) && !index--)
			return m->lines[i].value;
	}
	return NULL;
}

void hyb_manifest_free(struct hyb_manifest *m)
{
	free(m->lines);
	free(m->text);
	m->lines = NULL;
	m->text = NULL;
	m->count = 0;
}

uint64_t hyb_manifest_hz(const struct hyb_manifest *m)
{
	const char *digits = strchr(m->counter, ' ');
	unsigned long long hz = digits ? strtoull(digits, NULL, 10) : 0;

	return hz >= 1000000 ? hz : 0;
}
