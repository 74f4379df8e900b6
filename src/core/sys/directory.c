/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading a directory; see directory.h. */
#include "core/sys/directory.h"

#include <dirent.h>

#include "core/sys/sys.h"

bool hyb_directory_read(long fd, unsigned int reads, hyb_directory_visitor visit, void *data)
{
	union {
		struct dirent64 first;
		char bytes[8192];
	} buf;
	bool ended = false;

	while (fd >= 0 && !ended && reads--) {
		long n = HYB_SYS(getdents64, fd, &buf, sizeof(buf), 0, 0, 0);

		if (n <= 0)
			break;
		for (long at = 0; at < n && !ended; ) {
			const struct dirent64 *d = (const struct dirent64 *)(buf.bytes + at);

			at += d->d_reclen;
			ended = visit(d->d_name, data);
		}
	}
	if (fd >= 0)
		hyb_sys_close(fd);
	return ended;
}
