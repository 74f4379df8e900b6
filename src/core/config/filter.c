/* SPDX-License-Identifier: BSD-3-Clause */
/* The filter file; see filter.h. */
#include "core/config/filter.h"

#include <string.h>

#include "core/sys/log.h"
#include "core/sys/memory.h"
#include "core/sys/sys.h"
#include "core/sys/text.h"

struct rule {
	struct rule *before;
	const char *pattern;
	enum hyb_filter_kind kind;
	enum { EXCLUDE, INCLUDE, SHORTEST, WHATS } what;
	uint64_t shortest;	/* ns */
};

static const char *const kinds[HYB_FILTER_KINDS] = { "region", "file", "function", "mpi", "openmp" };
static const char *const whats[WHATS] = { "exclude", "include", "shortest" };
static struct rule *last;
static bool has[HYB_FILTER_KINDS];

/* One of the characters of a set that begins behind its bracket; *end is behind it. A set that does not end is none. */
static bool in_set(const char *set, char c, const char **end)
{
	bool not = *set == '!' || *set == '^', found = false;
	const char *p = set + not;

	do {
		if (!*p)
			return *end = NULL, false;
		if (p[1] == '-' && p[2] && p[2] != ']') {
			found |= c >= p[0] && c <= p[2];
			p += 3;
		} else {
			found |= c == *p++;
		}
	} while (*p != ']');
	*end = p + 1;
	return found != not;
}

/* One character, other than by an asterisk; *next is the pattern behind it. */
static bool matches_one(const char *pattern, char c, const char **next)
{
	*next = pattern + 1;
	if (!c)
		return false;
	if (*pattern == '?')
		return true;
	if (*pattern == '[') {
		bool found = in_set(pattern + 1, c, next);

		if (*next)
			return found;
		*next = pattern + 1;
	} else if (*pattern == '\\' && pattern[1]) {
		*next = pattern + 2;
		return pattern[1] == c;
	}
	return *pattern == c;
}

/* An asterisk takes as little as it may; where that fails, the last one takes one character more. */
bool hyb_filter_matches(const char *pattern, const char *name)
{
	const char *star = NULL, *from = NULL, *next;

	for (;;) {
		if (*pattern == '*') {
			star = ++pattern;
			from = name;
		} else if (!*pattern && !*name) {
			return true;
		} else if (*pattern && matches_one(pattern, *name, &next)) {
			pattern = next;
			name++;
		} else if (star && *from) {
			pattern = star;
			name = ++from;
		} else {
			return false;
		}
	}
}

bool hyb_filter_has(enum hyb_filter_kind kind)
{
	return has[kind];
}

static bool fits(const struct rule *rule, const struct hyb_filtered *what)
{
	if (rule->kind == HYB_FILTER_FILE)
		return what->kind != HYB_FILTER_MPI && what->file && hyb_filter_matches(rule->pattern, what->file);
	if (rule->kind != what->kind)
		return false;
	for (size_t i = 0; i < sizeof(what->names) / sizeof(what->names[0]) && what->names[i]; i++) {
		if (hyb_filter_matches(rule->pattern, what->names[i]))
			return true;
	}
	return false;
}

bool hyb_filter_leaves_out(const struct hyb_filtered *what)
{
	for (const struct rule *rule = last; rule; rule = rule->before) {
		if (rule->what != SHORTEST && fits(rule, what))
			return rule->what == EXCLUDE;
	}
	return false;
}

uint64_t hyb_filter_shortest(const struct hyb_filtered *what)
{
	for (const struct rule *rule = last; rule; rule = rule->before) {
		if (rule->what == SHORTEST && fits(rule, what))
			return rule->shortest;
	}
	return 0;
}

static char *skip_blanks(char *p)
{
	return p + strspn(p, " \t\r");
}

/* The word at p, which is ended there; *p is moved behind it. */
static char *take_word(char **p)
{
	char *word = skip_blanks(*p), *end = word + strcspn(word, " \t\r");

	*p = *end ? end + 1 : end;
	*end = 0;
	return word;
}

/* A number and its unit: 0, 500ns, 2us, 1ms. */
static bool take_time(const char *word, uint64_t *ns)
{
	static const struct {
		const char *unit;
		uint64_t ns;
	} units[] = { { "ns", 1 }, { "us", 1000 }, { "ms", 1000000 }, { "s", 1000000000 } };
	uint64_t value = 0;
	const char *p = word;

	for (; *p >= '0' && *p <= '9'; p++) {
		value = 10 * value + (uint64_t)(*p - '0');
		if (value > 1000000000)
			return false;
	}
	for (size_t i = 0; p != word && i < sizeof(units) / sizeof(units[0]); i++) {
		if (!strcmp(p, units[i].unit)) {
			*ns = value * units[i].ns;
			return true;
		}
	}
	*ns = 0;
	return p != word && !*p && !value;
}

static unsigned int take_of(const char *word, const char *const *words, unsigned int count)
{
	unsigned int i = 0;

	while (i < count && strcmp(word, words[i]))
		i++;
	return i;
}

/* What is wrong with the line, NULL: nothing. */
static const char *take_line(char *line)
{
	struct rule rule = { .before = last };
	struct rule *made;
	size_t length;
	char *p = skip_blanks(line);

	if (!*p || *p == '#')
		return NULL;
	rule.what = take_of(take_word(&p), whats, WHATS);
	if (rule.what == WHATS)
		return "a rule begins with exclude, include or shortest";
	if (rule.what == SHORTEST && !take_time(take_word(&p), &rule.shortest))
		return "after shortest comes a time such as 500ns or 2us, or 0";
	rule.kind = take_of(take_word(&p), kinds, HYB_FILTER_KINDS);
	if (rule.kind == HYB_FILTER_KINDS)
		return "after that comes region, file, function, mpi or openmp";
	if (rule.what == SHORTEST && (rule.kind == HYB_FILTER_MPI || rule.kind == HYB_FILTER_OPENMP))
		return "after a time comes region, file or function: what is short of MPI and OpenMP is recorded";
	p = skip_blanks(p);
	for (length = strlen(p); length && strchr(" \t\r", p[length - 1]); length--)
		p[length - 1] = 0;
	if (!length)
		return "and then a name or pattern";
	rule.pattern = p;
	made = hyb_alloc(sizeof(*made));
	if (!made)
		return "there is no memory for it";
	*made = rule;
	last = made;
	has[rule.kind] = true;
	return NULL;
}

/* All of it, with a zero behind; NULL: *err says why. */
static char *read_all(const char *path, long *err)
{
	size_t size = 64 << 10;
	char *text;
	long n;

	for (;;) {
		text = hyb_alloc(size);
		if (!text) {
			*err = -ENOMEM;
			return NULL;
		}
		n = hyb_sys_read_file(path, text, size);
		if (n < 0) {
			*err = n;
			return NULL;
		}
		if (n < (long)size - 1)
			return text;
		size *= 4;
	}
}

static void forget(void)
{
	last = NULL;
	memset(has, 0, sizeof(has));
}

void hyb_filter_load(const char *path)
{
	unsigned int number = 1;
	const char *wrong;
	char *text, *end;
	long err = 0;

	if (!*path)
		return;
	text = read_all(path, &err);
	if (!text) {
		hyb_log(HYB_LOG_WARNING, "HYBMON_FILTER: cannot read %s: %s; nothing is left out by it", path,
			hyb_text_errno((int)-err));
		return;
	}
	for (; *text; text = end, number++) {
		end = text + strcspn(text, "\n");
		if (*end)
			*end++ = 0;
		wrong = take_line(text);
		if (!wrong)
			continue;
		hyb_log(HYB_LOG_WARNING, "HYBMON_FILTER: %s:%u: %s; nothing is left out by it", path, number, wrong);
		forget();
		return;
	}
	for (int i = 0; i < HYB_FILTER_KINDS; i++) {
		if (i != HYB_FILTER_MPI)
			has[i] |= has[HYB_FILTER_FILE];
	}
}
