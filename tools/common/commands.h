/* SPDX-License-Identifier: BSD-3-Clause */
/* The commands that have options of their own, each in a file of its name. They return the exit status. */
#ifndef HYB_TOOLS_COMMON_COMMANDS_H
#define HYB_TOOLS_COMMON_COMMANDS_H

int hyb_check_main(int argc, char **argv);
int hyb_diff_main(int argc, char **argv);
int hyb_filter_main(int argc, char **argv);
int hyb_graph_main(int argc, char **argv);
int hyb_merge_main(int argc, char **argv);
int hyb_print_main(int argc, char **argv);
int hyb_races_main(int argc, char **argv);
int hyb_report_main(int argc, char **argv);
int hyb_view_main(int argc, char **argv);

#endif
