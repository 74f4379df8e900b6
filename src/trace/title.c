/* SPDX-License-Identifier: BSD-3-Clause */
/* What to call what is defined; see defs.h. */
#include <stdio.h>

#include "trace/defs.h"

const char *hyb_comm_name(const struct hyb_comm *comm, uint64_t id, char *buf, size_t size)
{
	if (comm && comm->name && comm->name[0])
		return comm->name;
	if (comm && comm->defined && comm->def.kind == HYB_COMM_WORLD)
		return "MPI_COMM_WORLD";
	if (comm && comm->defined && comm->def.kind == HYB_COMM_SELF)
		return "MPI_COMM_SELF";
	if (comm && comm->defined)
		snprintf(buf, size, "comm#%u", comm->number);
	else
		snprintf(buf, size, "comm?%llu", (unsigned long long)id);
	return buf;
}

const char *hyb_win_name(const struct hyb_win *win, uint64_t id, char *buf, size_t size)
{
	if (win && win->name && win->name[0])
		return win->name;
	if (win && win->defined)
		snprintf(buf, size, "win#%u", win->number);
	else
		snprintf(buf, size, "win?%llu", (unsigned long long)id);
	return buf;
}
