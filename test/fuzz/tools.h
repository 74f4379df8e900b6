/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The tools' main functions, as they are called in fuzz-merge: included before all else where they are compiled for it.
 */
#ifndef TEST_FUZZ_TOOLS_H
#define TEST_FUZZ_TOOLS_H

int hyb_merge_main(int argc, char **argv);
int hyb_print_main(int argc, char **argv);
int hyb_check_main(int argc, char **argv);
int hyb_report_main(int argc, char **argv);
int hyb_diff_main(int argc, char **argv);
int hyb_view_main(int argc, char **argv);

#endif
