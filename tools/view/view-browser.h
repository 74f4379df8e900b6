/* SPDX-License-Identifier: BSD-3-Clause */
/* Opens the viewer's page in the user's browser, where there is a screen. */
#ifndef HYB_TOOLS_VIEW_VIEW_BROWSER_H
#define HYB_TOOLS_VIEW_VIEW_BROWSER_H

#include <signal.h>

/*
 * Command lines are everybody's to read, and the address has the token. So the browser is given a file that only this
 * user may read, and that leads to the address. `before`: the signals that the browser has blocked.
 */
void hyb_browser_open(const char *address, const sigset_t *before);
/* Removes the file. */
void hyb_browser_end(void);

#endif
