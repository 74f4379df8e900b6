/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks of hybmon doctor: the libraries that hybmon consists of and those that it listens to. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/doctor/doctor.h"
#include "tools/common/tool.h"
#include "tools/run/prepare.h"
#include "tools/run/program.h"
#include "tools/run/runtime.h"

static void free_list(char **list)
{
	for (size_t i = 0; list && list[i]; i++)
		free(list[i]);
	free(list);
}

void hyb_check_library(void)
{
	char *path = hyb_prepare_library();

	if (path && strpbrk(path, ": "))
		hyb_doctor_say(HYB_HEALTH_NO, "install it where no folder's name has blanks or colons",
			       "%s cannot stand in LD_PRELOAD", path);
	else if (path)
		hyb_doctor_say(HYB_HEALTH_YES, NULL, "%s", path);
	else
		hyb_doctor_say(HYB_HEALTH_NO, "install hybmon again, or name the library with \"hybmon run --library\"",
			       "libhybmon.so.1 is not where this hybmon was installed");
	free(path);
}

static void look_at_mpi(const char *library, const char *path, const char *abi, const char *what)
{
	char *adapter = library ? hyb_prepare_adapter(library, abi) : NULL;

	if (adapter && !access(adapter, R_OK))
		hyb_doctor_say(HYB_HEALTH_YES, NULL, "%s (%s) by %s", what, path, adapter);
	else
		hyb_doctor_say(HYB_HEALTH_NO, "build hybmon where this MPI's mpicc is, for example by "
			       "configure --with-mpi=/path/to/mpicc", "%s (%s): there is no adapter for it", what,
			       path);
	free(adapter);
}

void hyb_check_mpi(void)
{
	static const struct {
		const char *library, *abi, *what;
	} known[] = {
		{ "libmpi.so.40", "openmpi", "Open MPI" },
		{ "libmpich.so.12", "mpich", "MPICH" },
		{ "libmpi.so.12", "mpich", "MPICH's family" },
	};
	char *library = hyb_prepare_library();
	bool any = false;

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		char **paths = hyb_runtime_cached(known[i].library);

		if (paths)
			look_at_mpi(library, paths[0], known[i].abi, known[i].what);
		any = any || paths;
		free_list(paths);
	}
	for (size_t i = 0; library && !any && i < 2; i++) {
		char *adapter = hyb_prepare_adapter(library, known[i].abi);

		if (!access(adapter, R_OK)) {
			hyb_doctor_say(HYB_HEALTH_YES, NULL, "%s, where it is loaded by a module, by %s", known[i].what,
				       adapter);
			any = true;
		}
		free(adapter);
	}
	if (!any)
		hyb_doctor_say(HYB_HEALTH_ABSENT, "install an MPI, and build hybmon with its mpicc",
			       "no MPI that hybmon knows is among the system's libraries");
	free(library);
}

void hyb_check_openmp(void)
{
	char **list = hyb_runtime_list();

	for (size_t i = 0; list && list[i]; i++) {
		const char *why = hyb_runtime_refuses(list[i]);

		if (!why)
			hyb_doctor_say(HYB_HEALTH_YES, NULL, "%s, and programs with clang's or Intel's", list[i]);
		else
			hyb_doctor_say(HYB_HEALTH_NO, "build LLVM's runtime with LIBOMP_OMPT_SUPPORT", "%s %s", list[i],
				       why);
	}
	if (!list)
		hyb_doctor_say(HYB_HEALTH_PARTLY, "install one (Debian: libomp5)",
			       "of programs that bring LLVM's or Intel's runtime; there is none on this machine");
	free_list(list);
}

void hyb_check_libgomp(void)
{
	char **gomp = hyb_runtime_cached(HYB_LIBGOMP);

	if (gomp)
		hyb_doctor_say(HYB_HEALTH_YES, NULL, "%s, as it is", gomp[0]);
	else
		hyb_doctor_say(HYB_HEALTH_YES, NULL, "there is no libgomp.so.1 here, and so no program that uses it");
	free_list(gomp);
}

void hyb_check_merge(void)
{
	char *exe = realpath("/proc/self/exe", NULL);
	char *path = exe ? hyb_tool_format("%.*shybmon-merge", (int)(hyb_program_base(exe) - exe), exe) : NULL;

	if (path && !access(path, X_OK))
		hyb_doctor_say(HYB_HEALTH_YES, NULL, "%s", path);
	else
		hyb_doctor_say(HYB_HEALTH_NO, "install hybmon again", "%s is not there", path ? path : "hybmon-merge");
	free(path);
	free(exe);
}

void hyb_check_build(void)
{
	bool whole = true;

	for (int o = 0; o < HYB_OPTIONALS; o++) {
		if (!hyb_build_lacks(o))
			continue;
		hyb_doctor_lacks(HYB_HEALTH_PARTLY, o);
		whole = false;
	}
	if (whole)
		hyb_doctor_say(HYB_HEALTH_YES, NULL, "lacks nothing that hybmon can be built with");
}
