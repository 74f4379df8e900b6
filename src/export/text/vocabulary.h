/* SPDX-License-Identifier: BSD-3-Clause */
/* The vocabulary of tables of fields, as format/records.tbl.h describes it: what an enum print_how does not have. */
#ifndef HYB_EXPORT_TEXT_VOCABULARY_H
#define HYB_EXPORT_TEXT_VOCABULARY_H

#include "export/text/fields.h"

#define F(shown, kind, key, where, meaning) { key, PRINT_##shown, .how = PRINT_##kind, PRINT_AT_##where },
#define PRINT_FIELDS(...) (const struct print_field[]){ __VA_ARGS__ { NULL } }

#define PRINT_LIST(list) .names = list, .count = PRINT_COUNT_OF(list)
#define PRINT_NAMED(list) PRINT_NAME, PRINT_LIST(list)
#define PRINT_LISTED(list) PRINT_ENTRY, PRINT_LIST(list)
#define PRINT_FLAGS(list) PRINT_BITS, PRINT_LIST(list)
#define PRINT_PIPED(list) PRINT_MODES, PRINT_LIST(list)
#define PRINT_TAIL(most) PRINT_WORD, .count = (most)
#define PRINT_OWN(name) PRINT_SPECIAL, .show = show_##name

#define PRINT_PART(place, byte, bytes, lowest, width) \
	.from = place, .at = byte, .size = bytes, .low = lowest, .bits = width
#define PRINT_SIZE(type, member) sizeof(((struct type *)0)->member)
#define PRINT_AT_ID PRINT_PART(PRINT_FROM_ID, 0, 8, 0, 64)
#define PRINT_AT_BITS(word, high, low) PRINT_PART(PRINT_FROM_WORDS, 8 * (word), 8, low, (high) - (low) + 1)
#define PRINT_AT_WORD(word) PRINT_AT_BITS(word, 63, 0)
#define PRINT_AT_DETAIL(high, low) PRINT_AT_BITS(1, (high) + 32, (low) + 32)
#define PRINT_AT_OF(type, member) \
	PRINT_PART(PRINT_FROM_WORDS, 8 + offsetof(struct type, member), PRINT_SIZE(type, member), 0, \
		   8 * PRINT_SIZE(type, member))
#define PRINT_AT_GOT(type, member) PRINT_AT_GOT_BITS(type, member, 8 * PRINT_SIZE(type, member) - 1, 0)
#define PRINT_AT_GOT_BITS(type, member, high, low) \
	PRINT_PART(PRINT_FROM_DECODED, offsetof(struct type, member), PRINT_SIZE(type, member), low, (high) - (low) + 1)

#endif
