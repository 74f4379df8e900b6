/* SPDX-License-Identifier: BSD-3-Clause */
/* What is shown is completed while it is served, and follows a job that runs. */
#ifndef HYB_TOOLS_VIEW_VIEW_FOLLOW_H
#define HYB_TOOLS_VIEW_VIEW_FOLLOW_H

#include <signal.h>

#include "timeline/web/timeline.h"
#include "tools/view/view-load.h"

/*
 * Until wish->stop is set, by signals which are blocked but while it sleeps and reads; `before`: the mask that has them
 * not. *load is served; it becomes what is served then.
 */
void hyb_follow(struct hyb_html_server *server, struct hyb_load **load, const sigset_t *before);

#endif
