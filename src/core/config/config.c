/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads the environment into hyb_config. Runs inside any program, in the middle of its first MPI
 * call: so no malloc, no stdio, no locale. The environment is walked once; getenv() would not show
 * the variables that are misspelt.
 */
#include "core/config/config.h"

#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "core/sys/memory.h"
#include "core/sys/sys.h"

#define PREFIX "HYBMON_"
#define PREFIX_LENGTH (sizeof(PREFIX) - 1)

enum type {
	TYPE_BOOL, TYPE_NUMBER, TYPE_SIZE, TYPE_PAGES, TYPE_TIME_MS, TYPE_TIME_US, TYPE_ENUM, TYPE_SET, TYPE_PATH, TYPE_TEXT,
};

#define SET_FIXED 2	/* words of a SET that are no bits: all, none */

struct variable {
	const char *name;
	const char *fallback;
	const char *range;
	const char *help;
	size_t offset;		/* of the member of struct hyb_config */
	enum type type;
};

static const struct variable variables[] = {
#define HYB_CONFIG(type_, name_, member_, fallback_, range_, help_) { \
	.name = PREFIX #name_, .fallback = fallback_, .range = range_, .help = help_, \
	.offset = offsetof(struct hyb_config, member_), .type = TYPE_##type_ },
#include "core/config/config.tbl.h"
#undef HYB_CONFIG
};

#define VARIABLES (sizeof(variables) / sizeof(variables[0]))

/* What the environment said of each, copied: the program may overwrite its environment's memory. */
static struct {
	const char *text;
	enum hyb_config_source source;
} given[VARIABLES];

struct hyb_config hyb_config;

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool same_word(const char *text, const char *word, size_t length)
{
	size_t i;

	for (i = 0; i < length; i++) {
		if (lower(text[i]) != word[i])
			return false;
	}
	return text[i] == '\0';
}

/* Who needs more edits than that has not misspelt a word. */
#define MOST_EDITS 8

static unsigned int least(unsigned int a, unsigned int b)
{
	return a < b ? a : b;
}

/*
 * Edits from a to b, or more than limit if it takes more. Of the table of the edits between their beginnings only what
 * lies within limit of its diagonal is looked at, one row after the other: row[limit + j - i] is of the first i and j.
 */
static unsigned int distance(const char *a, size_t a_length, const char *b, size_t b_length, unsigned int limit)
{
	unsigned int row[2 * MOST_EDITS + 2];
	const size_t width = 2 * (size_t)limit + 1;

	if ((a_length < b_length ? b_length - a_length : a_length - b_length) > limit)
		return limit + 1;
	for (size_t k = 0; k <= width; k++)
		row[k] = k < limit || k == width ? limit + 1 : (unsigned int)k - limit;
	for (size_t i = 1; i <= a_length; i++) {
		unsigned int before = limit + 1, fewest = limit + 1;

		for (size_t k = 0; k < width; k++) {
			const size_t j = i + k - limit; /* wraps where there is no such cell */

			if (i + k < limit || j > b_length)
				row[k] = limit + 1;
			else if (j > 0)
				row[k] = least(row[k] + (lower(a[i - 1]) != lower(b[j - 1])), least(before, row[k + 1]) + 1);
			else
				row[k] = (unsigned int)i;
			before = row[k];
			fewest = least(fewest, row[k]);
		}
		if (fewest > limit)
			return limit + 1;
	}
	return least(row[limit + b_length - a_length], limit + 1);
}

bool hyb_config_closer(const char *text, size_t length, const char *word, size_t word_length,
		       unsigned int *best)
{
	unsigned int limit = 1 + (unsigned int)word_length / 3;
	unsigned int edits;

	if (*best == 0)
		return false;
	limit = least(limit, MOST_EDITS);
	if (limit >= *best)
		limit = *best - 1;
	edits = distance(text, length, word, word_length, limit);
	if (edits > limit)
		return false;
	*best = edits;
	return true;
}

/* Word number n of "a|b|c"; its length in *length. NULL: there are not so many. */
static const char *range_word(const char *range, unsigned int n, size_t *length)
{
	while (n > 0) {
		range = strchr(range, '|');
		if (!range)
			return NULL;
		range++;
		n--;
	}
	*length = strcspn(range, "|");
	return range;
}

static bool is_amount(enum type type)
{
	return type >= TYPE_NUMBER && type <= TYPE_TIME_US;
}

/* What a unit stands for, in ns or bytes; its length in *length. 0: there is none. */
static uint64_t unit_of(enum type type, const char *text, size_t *length)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} times[] = { { "ns", 1 }, { "us", 1000 }, { "ms", 1000000 }, { "s", 1000000000 } };
	static const char sizes[] = "kmgt";
	const char *size;

	for (size_t i = 0; type >= TYPE_TIME_MS && i < sizeof(times) / sizeof(times[0]); i++) {
		*length = strlen(times[i].name);
		if (lower(text[0]) == times[i].name[0] && (*length == 1 || lower(text[1]) == 's'))
			return times[i].ns;
	}
	*length = 1;
	size = (type == TYPE_SIZE || type == TYPE_PAGES) && *text ? strchr(sizes, lower(*text)) : NULL;
	return size ? UINT64_C(1) << 10 * (size - sizes + 1) : 0;
}

/*
 * Reads digits and a unit of the type, if there is one. A time is rounded up to what is stored; what is too large for 64
 * bits becomes UINT64_MAX. Returns where it stopped, NULL if there were no digits.
 */
static const char *parse_amount(enum type type, const char *text, uint64_t *amount)
{
	const uint64_t stored = type == TYPE_TIME_MS ? 1000000 : type == TYPE_TIME_US ? 1000 : 1;
	const char *p = text;
	uint64_t value = 0, unit;
	size_t length;

	for (; *p >= '0' && *p <= '9'; p++) {
		if (__builtin_mul_overflow(value, UINT64_C(10), &value) ||
		    __builtin_add_overflow(value, (uint64_t)(*p - '0'), &value))
			value = UINT64_MAX;
	}
	if (p == text)
		return NULL;
	unit = unit_of(type, p, &length);
	if (unit)
		p += length;
	if (unit < stored && unit)
		value = value / (stored / unit) + (value % (stored / unit) != 0);
	else if (unit && __builtin_mul_overflow(value, unit / stored, &value))
		value = UINT64_MAX;
	*amount = value;
	return p;
}

static enum hyb_config_source set_amount(const struct variable *var, const char *text, uint64_t *member)
{
	uint64_t page = getauxval(AT_PAGESZ);
	uint64_t amount, min, max;
	const char *rest = parse_amount(var->type, text, &amount);

	if (!rest || *rest != '\0')
		return HYB_CONFIG_WRONG;
	parse_amount(var->type, parse_amount(var->type, var->range, &min) + 2, &max);
	*member = amount < min ? min : amount > max ? max : amount;
	if (var->type == TYPE_PAGES && page > 0)
		*member = (*member + page - 1) / page * page;
	return amount < min || amount > max ? HYB_CONFIG_CLAMPED : HYB_CONFIG_ENVIRONMENT;
}

static enum hyb_config_source set_enum(const struct variable *var, const char *text,
				       unsigned int *member)
{
	const char *word;
	unsigned int i;
	size_t length;

	for (i = 0; (word = range_word(var->range, i, &length)) != NULL; i++) {
		if (same_word(text, word, length)) {
			*member = i;
			return HYB_CONFIG_ENVIRONMENT;
		}
	}
	return HYB_CONFIG_WRONG;
}

/* The next word of "a,-b,c" behind rest; *length is 0 at the end. *minus: it is to be taken away. */
static const char *next_word(const char **rest, size_t *length, bool *minus)
{
	const char *word = *rest + strspn(*rest, ", ");

	*minus = *word == '-';
	word += *minus;
	*length = strcspn(word, ", ");
	*rest = word + *length;
	return word;
}

/* Its position in the range, UINT_MAX: it is not there. */
static unsigned int word_position(const char *range, const char *text, size_t text_length)
{
	const char *word;
	size_t length;
	unsigned int i;

	for (i = 0; (word = range_word(range, i, &length)) != NULL; i++) {
		size_t n = 0;

		while (n < length && n < text_length && lower(text[n]) == word[n])
			n++;
		if (n == length && n == text_length)
			return i;
	}
	return UINT_MAX;
}

static uint32_t all_words(const char *range)
{
	uint32_t all = 0;
	size_t length;

	for (unsigned int i = SET_FIXED; range_word(range, i, &length); i++)
		all |= UINT32_C(1) << (i - SET_FIXED);
	return all;
}

static enum hyb_config_source set_words(const struct variable *var, const char *text,
					uint32_t *member)
{
	const uint32_t all = all_words(var->range);
	const char *word = text;
	uint32_t set = 0;
	bool first = true;
	bool minus;
	size_t length;

	while (word = next_word(&text, &length, &minus), length > 0) {
		unsigned int i = word_position(var->range, word, length);
		uint32_t bits = i == 0 ? all : i == 1 ? 0 : UINT32_C(1) << ((i - SET_FIXED) & 31);

		if (i == UINT_MAX)
			return HYB_CONFIG_WRONG;
		if (first && minus)
			set = all;
		first = false;
		if (i == 1 && !minus)
			set = 0;
		set = minus ? set & ~bits : set | bits;
	}
	if (first)
		return HYB_CONFIG_WRONG;
	*member = set;
	return HYB_CONFIG_ENVIRONMENT;
}

static enum hyb_config_source set_bool(const char *text, bool *member)
{
	static const struct variable words = { .range = "no|yes|off|on|false|true|0|1" };
	unsigned int word;

	if (set_enum(&words, text, &word) == HYB_CONFIG_WRONG)
		return HYB_CONFIG_WRONG;
	*member = word & 1;
	return HYB_CONFIG_ENVIRONMENT;
}

/* Sets the variable's member to what the text means; leaves it alone if the text means nothing. */
static enum hyb_config_source set_value(const struct variable *var, const char *text)
{
	void *member = (char *)&hyb_config + var->offset;

	switch (var->type) {
	case TYPE_BOOL:
		return set_bool(text, member);
	case TYPE_NUMBER:
	case TYPE_SIZE:
	case TYPE_PAGES:
	case TYPE_TIME_MS:
	case TYPE_TIME_US:
		return set_amount(var, text, member);
	case TYPE_ENUM:
		return set_enum(var, text, member);
	case TYPE_SET:
		return set_words(var, text, member);
	case TYPE_PATH:
	case TYPE_TEXT:
		*(const char **)member = text;
		return HYB_CONFIG_ENVIRONMENT;
	}
	return HYB_CONFIG_WRONG;
}

/* Which variable an entry "NAME=value" of the environment is, VARIABLES if none. */
static size_t find_variable(const char *entry, size_t length)
{
	size_t i;

	for (i = 0; i < VARIABLES; i++) {
		if (strlen(variables[i].name) == length &&
		    memcmp(variables[i].name, entry, length) == 0)
			break;
	}
	return i;
}

/*
 * An empty value is as good as none, and of two with the same name the first holds, as with
 * getenv().
 */
static void read_entry(const char *entry)
{
	size_t length = strcspn(entry, "=");
	const char *value = entry + length + 1;
	size_t i = find_variable(entry, length);
	char *copy;

	if (i == VARIABLES || entry[length] == '\0' || *value == '\0' || given[i].text)
		return;
	length = strlen(value) + 1;
	copy = hyb_alloc(length);
	if (!copy)
		return;
	given[i].text = memcpy(copy, value, length);
	given[i].source = set_value(&variables[i], copy);
}

/* The text of a value that is no path; buffer has room for any. */
#define TEXT_SIZE 256

/* all, none, what is in it, or all with what is not: the shorter of both. */
static const char *show_words(const struct variable *var, uint32_t set, char *buffer)
{
	const uint32_t all = all_words(var->range);
	bool most = 2 * __builtin_popcount(set) > __builtin_popcount(all);
	uint32_t named = most ? all & ~set : set;
	const char *word = range_word(var->range, set == 0, &(size_t){ 0 });
	size_t length = strcspn(word, "|");
	char *p = buffer;

	if (most || set == 0)
		p = (char *)memcpy(buffer, word, length) + length;
	for (unsigned int i = 0; named >> i; i++) {
		if (!(named >> i & 1))
			continue;
		if (p > buffer)
			*p++ = ',';
		if (most)
			*p++ = '-';
		word = range_word(var->range, i + SET_FIXED, &length);
		p = (char *)memcpy(p, word, length) + length;
	}
	*p = '\0';
	return buffer;
}

/* In the largest unit that leaves it whole. */
static const char *show_amount(enum type type, uint64_t amount, char *buffer)
{
	static const char *const sizes[] = { "", "K", "M", "G", "T" }, *const times[] = { "us", "ms", "s" };
	const bool size = type == TYPE_SIZE || type == TYPE_PAGES, time = type == TYPE_TIME_MS || type == TYPE_TIME_US;
	const unsigned int factor = size ? 1024 : 1000, most = size ? 4 : time ? 2 : 0;
	unsigned int unit = type == TYPE_TIME_MS;
	char *p = buffer + TEXT_SIZE;
	size_t length;

	for (; unit < most && amount > 0 && amount % factor == 0; unit++)
		amount /= factor;
	*--p = '\0';
	length = strlen(size ? sizes[unit] : time ? times[unit] : "");
	p = (char *)memcpy(p - length, size ? sizes[unit] : time ? times[unit] : "", length);
	do
		*--p = (char)('0' + amount % 10);
	while (amount /= 10);
	return p;
}

static const char *show_value(const struct variable *var, char *buffer)
{
	const void *member = (const char *)&hyb_config + var->offset;
	const char *word;
	size_t length = 0;

	if (var->type == TYPE_PATH || var->type == TYPE_TEXT)
		return *(const char *const *)member;
	if (var->type == TYPE_SET)
		return show_words(var, *(const uint32_t *)member, buffer);
	if (var->type == TYPE_BOOL || var->type == TYPE_ENUM) {
		/* a bool's range names its true word first */
		unsigned int n = var->type == TYPE_BOOL ? !*(const bool *)member :
							  *(const unsigned int *)member;

		word = range_word(var->range, n, &length);
		memcpy(buffer, word, length);
		buffer[length] = '\0';
		return buffer;
	}
	return show_amount(var->type, *(const uint64_t *)member, buffer);
}

static void warn_unknown(const char *entry, size_t length)
{
	unsigned int best = UINT_MAX;
	const char *near = NULL;
	size_t i;
	char *name = hyb_alloc(length + 1);

	for (i = 0; i < VARIABLES; i++) {
		if (hyb_config_closer(entry + PREFIX_LENGTH, length - PREFIX_LENGTH,
				      variables[i].name + PREFIX_LENGTH,
				      strlen(variables[i].name) - PREFIX_LENGTH, &best))
			near = variables[i].name;
	}
	if (!name)
		return;
	memcpy(name, entry, length);
	if (near)
		hyb_log(HYB_LOG_WARNING, "%s is no variable of hybmon; did you mean %s?", name,
			near);
	else
		hyb_log(HYB_LOG_WARNING, "%s is no variable of hybmon; \"hybmon config\" lists all",
			name);
}

/* Of a SET it is the first wrong word that is said to be so. */
static void warn_word(const struct variable *var, const char *text)
{
	unsigned int i, best = UINT_MAX;
	const char *word, *near = NULL, *wrong = text, *rest = text;
	size_t length, near_length = 0, wrong_length = strlen(text);
	char buffer[TEXT_SIZE] = "";
	char *which = NULL;
	bool minus;

	if (var->type == TYPE_SET) {
		do
			wrong = next_word(&rest, &wrong_length, &minus);
		while (wrong_length > 0 && word_position(var->range, wrong, wrong_length) != UINT_MAX);
		which = wrong_length > 0 ? hyb_alloc(wrong_length + 3) : NULL;
		if (which)
			memcpy((char *)memcpy(which, ": ", 2) + 2, wrong, wrong_length);
	}
	for (i = 0; (word = range_word(var->range, i, &length)) != NULL; i++) {
		if (hyb_config_closer(wrong, wrong_length, word, length, &best)) {
			near = word;
			near_length = length;
		}
	}
	if (near) {
		memcpy(buffer, near, near_length);
		buffer[near_length] = '\0';
	}
	hyb_log(HYB_LOG_WARNING, "%s=%s%s is none of %s;%s%s%s %s is used", var->name, text,
		which ? which : "", var->range, near ? " did you mean " : "", buffer,
		near ? "?" : "", var->fallback);
}

static void warn_value(const struct variable *var, const char *text, enum hyb_config_source source)
{
	char buffer[TEXT_SIZE];
	const char *value;

	if (source == HYB_CONFIG_CLAMPED) {
		value = show_value(var, buffer);
		hyb_log(HYB_LOG_WARNING, "%s=%s is outside %s; %s is used", var->name, text,
			var->range, value);
		return;
	}
	if (is_amount(var->type)) {
		hyb_log(HYB_LOG_WARNING, "%s=%s is no %s in the range %s; %s is used", var->name, text,
			var->type == TYPE_NUMBER ? "number" : var->type >= TYPE_TIME_MS ? "time" : "size", var->range, var->fallback);
		return;
	}
	warn_word(var, text);
}

/* With HYBMON_ORDER=only nothing else is recorded. */
static void leave_out_the_rest(void)
{
	hyb_config.mpi = 0;
	hyb_config.omp = 0;
	hyb_config.user = 0;
	hyb_config.kernel = HYB_KERNEL_OFF;
	hyb_config.counters = "";
	hyb_config.sample = "";
}

static void load(void)
{
	char **entry;
	size_t i;

	for (i = 0; i < VARIABLES; i++)
		set_value(&variables[i], variables[i].fallback);
	if (getauxval(AT_SECURE)) {
		hyb_config.enable = false;
		return;
	}
	for (entry = environ; entry && *entry; entry++) {
		if (strncmp(*entry, PREFIX, PREFIX_LENGTH) == 0)
			read_entry(*entry);
	}
	if (hyb_config.order == HYB_ORDER_WISH_ONLY)
		leave_out_the_rest();
}

/* Only when all is read it is known how much is to be said. */
static void warn(void)
{
	char **entry;
	size_t i;

	if (!hyb_config.enable)
		return;
	for (i = 0; i < VARIABLES; i++) {
		if (given[i].source > HYB_CONFIG_ENVIRONMENT)
			warn_value(&variables[i], given[i].text, given[i].source);
	}
	for (entry = environ; entry && *entry; entry++) {
		size_t length = strcspn(*entry, "=");

		if (strncmp(*entry, PREFIX, PREFIX_LENGTH) == 0 &&
		    find_variable(*entry, length) == VARIABLES)
			warn_unknown(*entry, length);
	}
}

void hyb_config_load(void)
{
	static uint32_t once;
	int error = errno;
	uint64_t signals;
	int taken;

	if (__atomic_load_n(&once, __ATOMIC_ACQUIRE) == HYB_SYS_ONCE_DONE)
		return;
	do {
		hyb_sys_block_signals(&signals);
		taken = hyb_sys_once_take(&once);
		if (taken > 0) {
			load();
			hyb_log_most = hyb_config.verbose;
			hyb_sys_once_give(&once);
		}
		hyb_sys_restore_signals(&signals);
		if (taken == -EAGAIN)
			hyb_sys_once_wait(&once);
	} while (taken == -EAGAIN);
	/* Nobody waits for what reads stderr. */
	if (taken > 0)
		warn();
	errno = error;
}

void hyb_config_each(void (*visit)(const struct hyb_config_item *item, void *context),
		     void *context)
{
	static const char *const kinds[] = {
		[TYPE_BOOL] = "yes or no", [TYPE_NUMBER] = "number", [TYPE_SIZE] = "size", [TYPE_PAGES] = "size",
		[TYPE_TIME_MS] = "time", [TYPE_TIME_US] = "time",
		[TYPE_ENUM] = "word", [TYPE_SET] = "words", [TYPE_PATH] = "path", [TYPE_TEXT] = "text",
	};
	char buffer[TEXT_SIZE];
	size_t i;

	for (i = 0; i < VARIABLES; i++) {
		const struct variable *var = &variables[i];
		struct hyb_config_item item = {
			.name = var->name, .kind = kinds[var->type], .fallback = var->fallback,
			.range = var->range, .help = var->help, .value = show_value(var, buffer),
			.given = given[i].text, .source = given[i].source,
		};

		visit(&item, context);
	}
}

const char *hyb_config_word(const char *name, unsigned int n, char text[HYB_CONFIG_WORD])
{
	const struct variable *var = variables;
	const char *word;
	size_t length = 0;

	while (strcmp(var->name + PREFIX_LENGTH, name))
		var++;
	word = range_word(var->range, var->type == TYPE_SET ? n + SET_FIXED : n, &length);
	if (length >= HYB_CONFIG_WORD)
		length = 0;
	if (length)
		memcpy(text, word, length);
	text[length] = '\0';
	return text;
}
