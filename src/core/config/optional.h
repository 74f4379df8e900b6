/* SPDX-License-Identifier: BSD-3-Clause */
/* The optional libraries and programs, by number, and the Debian packages that a build needs for each. */
#ifndef HYB_CORE_CONFIG_OPTIONAL_H
#define HYB_CORE_CONFIG_OPTIONAL_H

enum hyb_optional {
#define HYB_OPTIONAL(id, name, packages, without) HYB_OPTIONAL_##id,
#include "core/config/optional.tbl.h"
#undef HYB_OPTIONAL
	HYB_OPTIONALS,
};

/* The words after "install". */
static inline const char *hyb_optional_packages(enum hyb_optional o)
{
	static const char *const all[] = {
#define HYB_OPTIONAL(id, name, packages, without) packages,
#include "core/config/optional.tbl.h"
#undef HYB_OPTIONAL
	};

	return all[o];
}

#endif
