/* SPDX-License-Identifier: BSD-3-Clause */
/* PAPI's library: found, loaded, and left as it was; see papi-library.h. */
#include "core/counters/papi-library.h"

#include <dlfcn.h>
#include <stddef.h>

#include "core/sys/text.h"
#include "core/counters/counter.h"
#include "core/counters/papi.h"

struct hyb_papi_library hyb_papi_library;

static struct {
	const char *missing;
	int version;
	bool tried;
	bool there;		/* its functions are known */
	bool held;
	bool programs;		/* it was there before */
	bool ours;		/* nobody had begun to use it before */
} state;

static void *open_library(void)
{
	static const char *const names[] = { "libpapi.so.7.0", "libpapi.so.7.1", "libpapi.so.7.2", "libpapi.so.7", "libpapi.so" };
	const size_t count = sizeof(names) / sizeof(names[0]);
	void *library = NULL;

	/* The program's own, if it has one. */
	for (size_t i = 0; i < count && !library; i++)
		library = dlopen(names[i], RTLD_NOW | RTLD_NOLOAD);
	state.programs = library != NULL;
	for (size_t i = 0; i < count && !library; i++)
		library = dlopen(names[i], RTLD_NOW);
	return library;
}

static const char *find_functions(void *library)
{
	static const struct {
		const char *name;
		void *function;
	} functions[] = {
#define FUNCTION(name, member) { "PAPI_" name, &hyb_papi_library.member }
		FUNCTION("is_initialized", is_initialized), FUNCTION("get_opt", get_opt),
		FUNCTION("library_init", library_init), FUNCTION("shutdown", shutdown), FUNCTION("strerror", strerror),
		FUNCTION("event_name_to_code", name_to_code), FUNCTION("event_code_to_name", code_to_name),
		FUNCTION("get_event_info", event_info), FUNCTION("num_components", components),
		FUNCTION("get_component_info", component), FUNCTION("enum_cmp_event", enumerate),
		FUNCTION("enum_event", enumerate_presets), FUNCTION("thread_init", thread_init),
		FUNCTION("create_eventset", create), FUNCTION("add_named_event", add), FUNCTION("start", start),
		FUNCTION("read", read), FUNCTION("stop", stop), FUNCTION("cleanup_eventset", cleanup),
		FUNCTION("destroy_eventset", destroy),
#undef FUNCTION
	};

	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		void *found = dlsym(library, functions[i].name);

		if (!found)
			return "libpapi is none that hybmon knows: it is to be version 7";
		*(void **)functions[i].function = found;
	}
	return NULL;
}

static const char *check_version(void)
{
	static char text[96];

	state.version = hyb_papi_library.get_opt(HYB_PAPI_LIB_VERSION, NULL);
	if (state.version >> 24 == HYB_PAPI_MAJOR)
		return NULL;
	hyb_text_format(text, sizeof(text), "libpapi is version %d.%d, and hybmon knows %d", state.version >> 24 & 0xff,
			state.version >> 16 & 0xff, HYB_PAPI_MAJOR);
	return text;
}

static const char *load(void)
{
	void *library = open_library();
	const char *why;

	if (!library)
		return "PAPI (libpapi) is not here";
	why = find_functions(library);
	if (!why)
		why = check_version();
	state.there = !why;
	return why;
}

bool hyb_papi_is_programs(void)
{
	return state.programs;
}

const char *hyb_papi_load(void)
{
	if (!state.tried)
		state.missing = load();
	state.tried = true;
	if (state.missing || hyb_papi_library.is_initialized())
		return state.missing;
	if (hyb_papi_library.library_init((int)((unsigned int)state.version & 0xffff0000)) <= 0) {
		state.missing = "PAPI cannot be started (PAPI_library_init)";
		return state.missing;
	}
	state.ours = true;
	return NULL;
}

void hyb_papi_unload(void)
{
	if (state.held)
		return;
	if (state.there && state.ours)
		hyb_papi_library.shutdown();
	state.ours = false;
}

void hyb_papi_hold(bool held)
{
	state.held = held;
}

const char *hyb_papi_version(char *text, size_t size)
{
	const char *why = hyb_papi_load();

	if (!why)
		hyb_text_format(text, size, "%d.%d.%d.%d", state.version >> 24 & 0xff, state.version >> 16 & 0xff,
				state.version >> 8 & 0xff, state.version & 0xff);
	return why;
}
