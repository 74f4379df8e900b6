/* SPDX-License-Identifier: BSD-3-Clause */
/* Changes experiments as damage and malice would, by what the format means where that reaches further than chance. */
#include "change.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>

#include "format/format.h"

static const uint64_t values[] = {
	0, 1, 2, 3, 7, 255, 4096, 65535, 65536, 400000, 0x7fffffff, 0x80000000, UINT32_MAX, UINT64_C(1) << 32,
	UINT64_C(1) << 40, INT64_MAX, (uint64_t)INT64_MIN, UINT64_MAX, UINT64_MAX - 1, UINT64_C(1) << 62,
};

static const char *const numbers[] = {
	"0", "1", "-1", "2", "65535", "65536", "400000", "1048576", "2147483647", "4294967295", "4294967296",
	"9223372036854775807", "-9223372036854775808", "18446744073709551615", "1e9", "-", "", "x",
};

static const char *const texts[] = {
	"\033[31m", "\033]0;title\007", "\302\233" "31m", "\233" "5m", "\377\376", "\342\200\256", "%s%n", "\\n\\n", "../../..",
	"/dev/zero", "/proc/self/mem", "//anon", "A very long name that goes on and on and on and on and on and on and on",
};

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static size_t below(size_t n)
{
	return n ? (size_t)(next_random() % n) : 0;
}

static void *must(void *p)
{
	require(p);
	return p;
}

static void add_file(struct one *one, const char *full, const char *path)
{
	struct file *f;

	one->files = must(realloc(one->files, (one->count + 1) * sizeof(*one->files)));
	f = &one->files[one->count++];
	f->path = must(strdup(path));
	f->data = fuzz_load(full, &f->size, 64);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static size_t list(const char *dir, char ***names)
{
	DIR *d = opendir(dir);
	struct dirent *e;
	size_t n = 0;

	*names = NULL;
	while (d && (e = readdir(d))) {
		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, "..") || !strncmp(e->d_name, "traces", 6))
			continue;
		*names = must(realloc(*names, (n + 1) * sizeof(**names)));
		(*names)[n++] = must(strdup(e->d_name));
	}
	if (d)
		closedir(d);
	if (n)
		qsort(*names, n, sizeof(**names), by_name);
	return n;
}

static char *join(const char *dir, const char *name)
{
	char *path;

	require(asprintf(&path, "%s/%s", dir, name) > 0);
	return path;
}

static void load_tree(struct one *one, const char *root, const char *path)
{
	char *full = join(root, path), *child, **names;
	size_t n = list(full, &names);
	struct stat st;

	free(full);
	for (size_t i = 0; i < n; i++) {
		child = *path ? join(path, names[i]) : must(strdup(names[i]));
		full = join(root, child);
		if (!lstat(full, &st) && S_ISDIR(st.st_mode))
			load_tree(one, root, child);
		else if (S_ISREG(st.st_mode) && st.st_size < (4 << 20))
			add_file(one, full, child);
		free(full);
		free(child);
		free(names[i]);
	}
	free(names);
}

void fuzz_load_corpus(struct corpus *c, const char *folder)
{
	char full[4096], **names, **inner;
	size_t n = list(folder, &names), m;

	memset(c, 0, sizeof(*c));
	c->cases = must(calloc(n + 1, sizeof(*c->cases)));
	for (size_t i = 0; i < n; i++) {
		struct one *one = &c->cases[c->count];

		snprintf(full, sizeof(full), "%s/%s", folder, names[i]);
		m = list(full, &inner);
		load_tree(one, full, "");
		if (!m || !one->count)
			continue;
		one->name = names[i];
		one->experiment = inner[0];
		c->count++;
	}
	require(c->count);
}

size_t fuzz_end(const struct file *f)
{
	size_t end = f->size;

	while (end && !f->data[end - 1])
		end--;
	return end;
}

/* The changes of bytes. */

static uint64_t odd_value(void)
{
	uint64_t v = values[below(COUNT(values))];

	return next_random() % 4 ? v : v + next_random() % 5 - 2;
}

static bool is_stream(const struct file *f)
{
	return f->size >= 4096 && !memcmp(f->data, HYB_FILE_MAGIC, 8);
}

/* The place of some word that is in use: of the file's header, a chunk's, or its records. */
static size_t some_word(const struct file *f)
{
	struct hyb_chunk_header in_chunk;
	struct hyb_file_header h;
	size_t chunks = 1, chunk, start, used;

	if (!is_stream(f) || !(next_random() % 8))
		return below(sizeof(h) / 8) * 8;
	memcpy(&h, f->data, sizeof(h));
	if (h.chunk_size >= HYB_CHUNK_MIN && f->size > h.header_size)
		chunks = (f->size - h.header_size) / h.chunk_size + 1;
	chunk = h.header_size + below(chunks) * h.chunk_size;
	if (chunk + sizeof(in_chunk) > f->size)
		return below(f->size / 8) * 8;
	memcpy(&in_chunk, f->data + chunk, sizeof(in_chunk));
	used = in_chunk.used < f->size / 8 ? in_chunk.used : 0;
	start = chunk + (next_random() % 6 ? sizeof(struct hyb_chunk_header) : 0);
	if (!used || start + used * 8 > f->size)
		used = 16;
	start += below(used) * 8;
	return start + 8 <= f->size ? start : f->size / 8 * 8 - 8;
}

static void change_word(const struct file *f, const struct file *other)
{
	size_t at = some_word(f), from = some_word(f);
	uint64_t w, v = odd_value();
	unsigned int shift;

	if (f->size < 16)
		return;
	memcpy(&w, f->data + at, 8);
	switch (next_random() % 9) {
	case 0:
		w = v;
		break;
	case 1:
		w ^= UINT64_C(1) << next_random() % 64;
		break;
	case 2: /* another type, the same size */
		w = (w & ~(UINT64_C(0x9f) << 56)) | (next_random() & 0x9f) << 56;
		break;
	case 3: /* or any */
		w = (w & ~(UINT64_C(0xff) << 56)) | next_random() << 56;
		break;
	case 4: /* half a word */
		w = next_random() % 2 ? (w & ~UINT64_C(0xffffffff)) | (uint32_t)v : (uint32_t)w | v << 32;
		break;
	case 5: /* the id, or how many words */
		w = (w & ~(UINT64_C(0xffff) << 40)) | (v & 0xffff) << 40;
		break;
	case 6: /* some 16 bits */
		shift = (unsigned int)(next_random() % 4) * 16;
		w = (w & ~(UINT64_C(0xffff) << shift)) | (v & 0xffff) << shift;
		break;
	case 7: /* the word of another place */
		memcpy(&w, f->data + from, 8);
		break;
	case 8: /* or of another stream, with some that follow */
		from = some_word(other);
		if (from + 32 <= other->size && at + 32 <= f->size)
			memcpy(f->data + at, other->data + from, 32);
		return;
	}
	memcpy(f->data + at, &w, 8);
}

/* Words go, or come twice: what follows in the chunk is moved. */
static void shift_words(const struct file *f)
{
	size_t at = some_word(f), by = (1 + below(4)) * 8, end = at + 4096 < f->size ? at + 4096 : f->size;

	if (at + by >= end)
		return;
	if (next_random() % 2)
		memmove(f->data + at, f->data + at + by, end - at - by);
	else
		memmove(f->data + at + by, f->data + at, end - at - by);
}

static void change_bytes(const struct file *f, size_t *size)
{
	for (size_t n = 1 + below(3); n && *size; n--)
		fuzz_change(f->data, size, below(*size), odd_value(), (unsigned int)(next_random() % 3));
}

/* Of text: replaces `length` bytes at `at`. */
static void replace(struct file *f, size_t at, size_t length, const char *by, size_t by_length)
{
	uint8_t *data = must(malloc(f->size + by_length + 64));

	memcpy(data, f->data, at);
	memcpy(data + at, by, by_length);
	memcpy(data + at + by_length, f->data + at + length, f->size - at - length);
	f->size += by_length - length;
	free(f->data);
	f->data = data;
}

/* A line's value, number, or the line itself. Fixed lines keep their length. */
static void change_line(struct file *f)
{
	size_t at = below(f->size), end, value, length;
	char line[512];
	const char *by;

	while (at && f->data[at - 1] != '\n')
		at--;
	for (end = at; end < f->size && f->data[end] != '\n'; end++)
		;
	for (value = at; value < end && f->data[value] != ' '; value++)
		;
	value += value < end;
	by = next_random() % 3 ? numbers[below(COUNT(numbers))] : texts[below(COUNT(texts))];
	switch (next_random() % 6) {
	case 0: /* goes */
		replace(f, at, end - at + (end < f->size), "", 0);
		return;
	case 1: /* comes twice */
		length = end - at < sizeof(line) - 1 ? end - at : sizeof(line) - 2;
		memcpy(line, f->data + at, length);
		line[length] = '\n';
		replace(f, at, 0, line, length + 1);
		return;
	case 2: /* is longer than it was */
		replace(f, value, end - value, by, strlen(by));
		return;
	}
	if (end - value < sizeof(line)) {
		memset(line, ' ', sizeof(line));
		length = strlen(by) < end - value || at >= 1024 ? strlen(by) : end - value;
		memcpy(line, by, length);
		replace(f, value, end - value, line, at < 1024 ? end - value : length);
	}
}

static const struct file *some_file(const struct corpus *c)
{
	const struct one *one = &c->cases[below(c->count)];

	return &one->files[below(one->count)];
}

static void change_file(const struct corpus *c, const struct one *one, struct file *f)
{
	const struct file *other = next_random() % 4 ? &one->files[below(one->count)] : some_file(c);
	size_t times = 1 + (next_random() % 3 ? 0 : below(8));

	for (; times && f->size; times--) {
		if (!is_stream(f) && next_random() % 8)
			change_line(f);
		else if (is_stream(f) && next_random() % 8)
			change_word(f, other);
		else if (is_stream(f) && next_random() % 2)
			shift_words(f);
		else
			change_bytes(f, &f->size);
	}
	if (!(next_random() % 10))
		f->size = below(f->size + 1);
}

/* The changes of files, as they are put down. */

static void make_folders(const char *path)
{
	char folder[4096];
	char *slash;

	snprintf(folder, sizeof(folder), "%s", path);
	for (slash = strchr(folder + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = 0;
		mkdir(folder, 0777);
		*slash = '/';
	}
}

static void put_file(const char *to, const char *path, const uint8_t *data, size_t size)
{
	char full[4096];
	int fd;

	snprintf(full, sizeof(full), "%s/%s", to, path);
	make_folders(full);
	fd = open(full, O_WRONLY | O_CREAT | O_TRUNC | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC, 0666);
	if (fd < 0)
		return; /* where something else was put */
	require(write(fd, data, size) == (ssize_t)size);
	close(fd);
}

/* Something else in a file's place. */
static void put_other(const char *to, const char *path)
{
	static const char *const targets[] = { "/dev/zero", "/dev/tty", "..", ".", "defs.hyb", "thread-0.hyb", "/proc/self/environ",
					       "/nowhere", "/dev/stdin" };
	char full[4096];

	snprintf(full, sizeof(full), "%s/%s", to, path);
	make_folders(full);
	switch (next_random() % 4) {
	case 0:
		mkfifo(full, 0666);
		break;
	case 1:
		mkdir(full, 0777);
		break;
	default:
		require(!symlink(targets[below(COUNT(targets))], full) || errno == EEXIST);
	}
}

/* A new name beside it: another thread, CPU, or process; or a neighbour. */
static void put_twice(const char *to, const struct file *f)
{
	static const char *const names[] = { "thread-1.hyb", "thread-7.hyb", "thread-4294967295.hyb", "cpu-0.hyb", "cpu-9.hyb",
					     "task-3.hyb", "profile", "defs.hyb", "../h.1/defs.hyb", "../h.1/thread-0.hyb",
					     "../h.1/manifest", "../../beside/manifest", "../../.x/manifest", "../.hybmon-1/manifest" };
	const char *slash = strrchr(f->path, '/');
	char path[4096];

	snprintf(path, sizeof(path), "%.*s/%s", slash ? (int)(slash - f->path) : 0, f->path, names[below(COUNT(names))]);
	put_file(to, path, f->data, f->size);
}

static void put(const struct one *one, const char *to)
{
	for (size_t i = 0; i < one->count; i++)
		put_file(to, one->files[i].path, one->files[i].data, one->files[i].size);
}

void fuzz_make(const struct corpus *c, unsigned long long number, const char *to, char *what, size_t size)
{
	const struct one *one;
	struct file f;
	size_t changes;

	random_state = (number + 1) * UINT64_C(0x9e3779b97f4a7c15);
	for (int i = 0; i < 8; i++)
		next_random();
	one = &c->cases[below(c->count)];
	changes = 1 + (next_random() % 2 ? 0 : below(4));
	snprintf(what, size, "%s", one->experiment);
	mkdir(to, 0777);
	for (; changes; changes--) {
		const struct file *of = &one->files[below(one->count)], *other = some_file(c);

		switch (next_random() % 16) {
		case 0: /* the first that is there stays, so an empty one stands for none */
			put_file(to, of->path, (const uint8_t *)"", 0);
			break;
		case 1:
			put_other(to, of->path);
			break;
		case 2:
			put_twice(to, of);
			break;
		case 3: /* another experiment's */
			put_file(to, of->path, other->data, other->size);
			break;
		default:
			f = *of;
			f.data = must(malloc(f.size + 64));
			memcpy(f.data, of->data, f.size);
			change_file(c, one, &f);
			put_file(to, of->path, f.data, f.size);
			free(f.data);
		}
	}
	for (size_t i = 0; i < one->count; i++) {
		char full[4096];
		struct stat st;

		snprintf(full, sizeof(full), "%s/%s", to, one->files[i].path);
		if (!lstat(full, &st) || !(next_random() % 200))
			continue;
		put_file(to, one->files[i].path, one->files[i].data, one->files[i].size);
	}
}

void fuzz_truncate(const struct one *one, size_t file, size_t length, const char *to, char *what, size_t size)
{
	snprintf(what, size, "%s", one->experiment);
	put(one, to);
	put_file(to, one->files[file].path, one->files[file].data, length);
}
