/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Saving the profile; see profile-file.h. A new file replaces the old one, so readers always see a whole one.
 */
#include "collector/bpf/profile-file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/types.h>
#include <stdio.h>
#include <unistd.h>

#include "core/sys/text.h"
#include "collector/bpf/layout.h"
#include "collector/bpf/library.h"
#include "collector/bpf/take.h"
#include "collector/common/name.h"
#include "collector/common/recording.h"
#include "collector/common/task.h"
#include "core/record/recorder.h"

static void define_names(const struct hyb_bpf_profile_key *key)
{
	const uint32_t number = key->event & ((1u << HYB_BPF_KIND_SHIFT) - 1);

	hyb_task_shown(hyb_tasks_find(key->task, NULL));
	if (key->event >> HYB_BPF_KIND_SHIFT == HYB_PROFILE_SYSCALL)
		hyb_name_syscall(number);
	else if (key->event >> HYB_BPF_KIND_SHIFT == HYB_PROFILE_IRQ)
		hyb_bpf_name_irq(number);
}

static void write_row(FILE *f, const struct hyb_bpf_profile_key *key, const struct hyb_bpf_profile *p)
{
	unsigned int last = HYB_PROFILE_BUCKETS - 1;

	fprintf(f, "%u %u %u %llu %llu %llu", key->task, key->event >> HYB_BPF_KIND_SHIFT,
		key->event & ((1u << HYB_BPF_KIND_SHIFT) - 1), p->count, p->inclusive, p->exclusive);
	while (last && !p->histogram[last])
		last--;
	for (unsigned int i = 0; i <= last; i++)
		fprintf(f, "%c%llu", i ? ',' : ' ', p->histogram[i]);
	putc('\n', f);
}

static void write_rows(FILE *f, int map)
{
	struct hyb_bpf_profile_key key, next;
	struct hyb_bpf_profile p;
	bool first = true;

	while (!bpf_map_get_next_key(map, first ? NULL : &key, &next)) {
		key = next;
		first = false;
		if (bpf_map_lookup_elem(map, &key, &p))
			continue;
		define_names(&key);
		write_row(f, &key, &p);
	}
}

int hyb_bpf_profile_save(int map, uint64_t until, uint64_t lost)
{
	char fresh[PATH_MAX], path[PATH_MAX];
	struct hyb_identity identity;
	FILE *f;
	long fd;
	int err = 0;

	if (hyb_text_format(fresh, sizeof(fresh), "%s/profile.new", hyb_kernel_recording_directory()) >= sizeof(fresh))
		return -ENAMETOOLONG;
	hyb_text_format(path, sizeof(path), "%s/profile", hyb_kernel_recording_directory());
	hyb_recorder->unlink("profile.new");
	fd = hyb_recorder->open("profile.new", O_WRONLY | O_CREAT, &identity);
	if (fd < 0)
		return (int)fd;
	f = fdopen((int)fd, "w");
	if (!f) {
		close((int)fd);
		return -ENOMEM;
	}
	fprintf(f, "hybmon kernel profile 1\nuntil %" PRIu64 "\nlost %" PRIu64 "\n", until, lost);
	write_rows(f, map);
	if (ferror(f))
		err = -EIO;
	if (fclose(f))
		err = -errno;
	if (!err && rename(fresh, path))
		err = -errno;
	if (err)
		hyb_recorder->unlink("profile.new");
	return err;
}
