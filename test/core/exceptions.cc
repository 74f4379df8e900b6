// SPDX-License-Identifier: BSD-3-Clause
// Scopes that are left by exceptions, in templates, constructors and lambdas.
#include <stdexcept>

#include "said.h"

struct says {
	const char *name;
	int line;
	says(const char *name_, int line_) : name(name_), line(line_) {}
	~says() { SAID("leave", name, line); }
};

// says is left after the scope, which was begun after it.
#define SCOPE(name) says said_of(name, __LINE__); HYBMON_SCOPE(name); SAID("enter", name, __LINE__)

template <typename T> static T twice(T value)
{
	SCOPE("twice");
	return value + value;
}

struct fails {
	fails()
	{
		SCOPE("constructor");
		throw std::runtime_error("as it should");
	}
};

static int thrower(int depth)
{
	SCOPE("thrower");
	if (depth == 0)
		throw depth;
	return thrower(depth - 1);
}

int main()
{
	said_thread(0);
	{
		SCOPE("main");
		try {
			thrower(4);
		} catch (int) {
			twice(1);
			twice(2.5);
			twice(2);
		}
		try {
			fails never;
		} catch (const std::exception &e) {
			printf("%s\n", e.what());
		}
	}
	return 0;
}
