/* SPDX-License-Identifier: BSD-3-Clause */
/* See detail.h. */
#include "timeline/store/detail.h"

#include <errno.h>
#include <string.h>

static bool same_detail(const void *entry, const void *key)
{
	return !memcmp(entry, key, sizeof(struct hyb_view_detail));
}

/* Those that many records have alike: which are texts, small numbers, and errors. */
static bool is_kept(const struct hyb_attribute *a)
{
	switch (a->id) {
	case HYB_ATTRIBUTE_ERROR:
	case HYB_ATTRIBUTE_ABANDONED:
	case HYB_ATTRIBUTE_SITE:
	case HYB_ATTRIBUTE_CALLPATH:
	case HYB_ATTRIBUTE_KERNEL_NEXT:
	case HYB_ATTRIBUTE_KERNEL_STATE:
	case HYB_ATTRIBUTE_KERNEL_WAKER:
	case HYB_ATTRIBUTE_KERNEL_HELD:
	case HYB_ATTRIBUTE_KERNEL_CPU:
		return true;
	case HYB_ATTRIBUTE_KERNEL_RETURN:
		return (int64_t)a->value < 0;
	default:
		return false;
	}
}

uint32_t hyb_view_detail_of(struct hyb_view_store *s, pthread_mutex_t *lock, const struct hyb_merge_event *e, uint32_t detail)
{
	struct hyb_view_detail key, *found;

	for (uint32_t i = e->attribute_count; i-- > 0;) {
		if (!is_kept(&e->attributes[i]))
			continue;
		memset(&key, 0, sizeof(key));
		key.next = detail;
		key.id = e->attributes[i].id;
		key.value = e->attributes[i].value;
		pthread_mutex_lock(lock);
		found = hyb_table_find(&s->details, hyb_hash_bytes(&key, sizeof(key)), &key);
		if (!found) {
			found = hyb_table_add(&s->details,
					      hyb_hash_bytes(&key, sizeof(key)));
			if (found)
				*found = key;
		}
		if (found)
			detail = (uint32_t)(found -
					    (struct hyb_view_detail *)s->details.entries);
		pthread_mutex_unlock(lock);
	}
	return detail;
}

int hyb_view_details_begin(struct hyb_view_store *s)
{
	struct hyb_view_detail none = { 0 };

	hyb_table_init(&s->details, sizeof(struct hyb_view_detail), same_detail);
	return hyb_table_add(&s->details, hyb_hash_bytes(&none, sizeof(none))) ? 0 : -ENOMEM;
}
