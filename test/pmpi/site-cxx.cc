// SPDX-License-Identifier: BSD-3-Clause
// Calls from methods of a template and from a function object, written down as site.c does it.
#define OMPI_SKIP_MPICXX	// what MPIs had for C++ once
#define MPICH_SKIP_MPICXX
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#ifndef __clang__
#pragma GCC optimize("no-optimize-sibling-calls")
#endif

namespace {

FILE *expect;

void wrote(const char *function, int line)
{
	std::fprintf(expect, "0.0 %s site-cxx.cc:%d\n", function, line);
}

template <typename Value> class ranks {
public:
	explicit ranks(MPI_Comm comm) : comm_(comm) {}

	Value own() const
	{
		int value;

		wrote("MPI_Comm_rank", __LINE__ + 1);
		MPI_Comm_rank(comm_, &value);
		return static_cast<Value>(value);
	}

private:
	MPI_Comm comm_;
};

}

int main(int argc, char **argv)
{
	const auto size = [](MPI_Comm comm) {
		int value;

		wrote("MPI_Comm_size", __LINE__ + 1);
		MPI_Comm_size(comm, &value);
		return value;
	};
	double sum = 0;

	expect = std::fopen((std::string(std::getenv("TEST_EXPECT")) + "/0.0").c_str(), "w");
	if (!expect)
		return 1;
	wrote("MPI_Init", __LINE__ + 1);
	MPI_Init(&argc, &argv);
	for (int i = 0; i < 3; i++)
		sum += ranks<double>(MPI_COMM_WORLD).own() + ranks<long>(MPI_COMM_SELF).own() + size(MPI_COMM_WORLD);
	wrote("MPI_Finalize", __LINE__ + 1);
	MPI_Finalize();
	return std::fclose(expect) || sum < 0;
}
