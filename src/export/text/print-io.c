/* SPDX-License-Identifier: BSD-3-Clause */
/* hybmon-print: the lines of MPI-IO. As stable as the others. */
#include <inttypes.h>
#include <stdio.h>

#include "export/text/print.h"
#include "reader/streams/io.h"

#define COUNT_OF(a) (sizeof(a) / sizeof((a)[0]))

static const char *const whats[] = {
	[HYB_IO_OPEN] = "open", [HYB_IO_CLOSE] = "close", [HYB_IO_DELETE] = "delete",
	[HYB_IO_SEEK] = "seek", [HYB_IO_VIEW] = "view",	  [HYB_IO_SIZE] = "resize",
	[HYB_IO_READ] = "read", [HYB_IO_WRITE] = "write", [HYB_IO_FLUSH] = "flush",
	[HYB_IO_DONE] = "done", [HYB_IO_FAILED] = "failed",
};

static void put_flags(const char *key, uint32_t flags, const char *const *names, size_t count)
{
	const char *separator = "";

	printf(" %s=", key);
	for (size_t i = 0; i < count; i++) {
		if (!(flags >> i & 1))
			continue;
		printf("%s%s", separator, names[i]);
		separator = "|";
	}
	if (!*separator)
		putchar('-');
}

static void put_mode(const struct print_process *p, const struct hyb_io *io)
{
	static const char *const modes[] = {
		"rdonly", "wronly", "rdwr", "create", "excl", "delete-on-close", "unique-open",
		"sequential", "append",
	};
	const struct hyb_file *file = p->defs ? hyb_defs_file(p->defs, io->file) : NULL;

	if (file && file->comm != HYB_IO_NO_COMM) {
		fputs(" comm=", stdout);
		print_put_comm(p, file->comm);
	}
	put_flags("mode", io->flags, modes, COUNT_OF(modes));
}

static void put_offset(const char *key, uint64_t offset)
{
	if (offset != HYB_IO_NO_OFFSET)
		printf(" %s=%" PRId64, key, (int64_t)offset);
}

static void put_seek(const struct hyb_io *io)
{
	static const char *const from[] = { "start", "current", "end", "?" };

	put_offset("offset", io->offset);
	printf(" from=%s", from[io->flags & 3]);
	if (io->flags & HYB_IO_SEEK_SHARED)
		fputs(" shared", stdout);
	put_offset("reached", io->reached);
}

static void put_operation(const struct hyb_io *io)
{
	static const char *const flags[] = { "collective", "non-blocking", "split", "shared", "explicit" };

	put_flags("how", io->flags, flags, COUNT_OF(flags));
	put_offset("offset", io->offset);
	printf(" bytes=%" PRIu64, io->requested);
	if (hyb_io_begun(io))
		print_put_request(io->id);
	else
		printf(" done=%" PRIu64, io->done);
}

const char *print_io_word(uint32_t what)
{
	return what < COUNT_OF(whats) && whats[what] ? whats[what] : "?";
}

void print_io(const struct print_process *p, const struct hyb_attached *a)
{
	struct hyb_io io;

	if (!hyb_io_decode(a, &io)) {
		fputs("  io ?", stdout);
		return;
	}
	printf("  io %s file=", io.what == HYB_IO_SIZE && io.flags ? "preallocate" : whats[io.what]);
	print_put_file(p, io.file);
	switch (io.what) {
	case HYB_IO_OPEN:
		put_mode(p, &io);
		break;
	case HYB_IO_SEEK:
		put_seek(&io);
		break;
	case HYB_IO_VIEW:
		put_offset("displacement", io.requested);
		printf(" unit=%" PRIu64, io.done);
		break;
	case HYB_IO_SIZE:
		printf(" bytes=%" PRIu64, io.requested);
		break;
	case HYB_IO_READ:
	case HYB_IO_WRITE:
	case HYB_IO_FLUSH:
		put_operation(&io);
		break;
	case HYB_IO_DONE:
		print_put_request(io.id);
		printf(" bytes=%" PRIu64, io.done);
		break;
	case HYB_IO_FAILED:
		print_put_request(io.id);
		break;
	}
}
