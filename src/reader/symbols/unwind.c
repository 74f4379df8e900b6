/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Unwinds copies of stacks with elfutils; see unwind.h. Each process has modules where it had files mapped, at that
 * time; the files themselves are open once for all of them.
 */
#include "reader/symbols/unwind.h"

#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <errno.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "reader/containers/array.h"
#include "reader/containers/search.h"
#include "reader/symbols/object-file.h"
#include "reader/streams/stream.h"

#define FRAMES_MAX 1024 /* damaged tables and registers may go round in circles */

/* A file that some process has mapped. */
struct image {
	const char *path; /* the definitions' */
	Elf *elf;	  /* NULL: it cannot be read, or is not what ran */
};

struct module {
	const char *path;
	Elf *elf;
	GElf_Addr begin;
	GElf_Addr end;
};

struct process {
	uint32_t tgid;
	size_t first; /* its mappings in the definitions */
	size_t count;
	size_t used; /* of these: those that have begun by now, of which the modules are made */
	Dwfl *dwfl;  /* NULL: there are none */
	bool attached; /* they can be used */
};

struct hyb_unwinder {
	const struct hyb_kdefs *defs;
	const char *vdso;
	hyb_unwind_mapped mapped;
	void *arg;
	struct image *images;
	size_t image_count;
	size_t image_room;
	struct process *processes;
	size_t process_count;
	size_t process_room;
	struct module *modules; /* of the process at work, while they are reported */
	size_t module_count;
	size_t module_room;
	/* the copy at work, */
	const uint64_t *registers;
	unsigned int register_count;
	uint16_t machine;
	uint64_t sp;
	const uint64_t *stack;
	size_t stack_words;
	/* and what it says */
	uint64_t addresses[FRAMES_MAX];
	bool exact[FRAMES_MAX];
	uint32_t count;
	bool failed; /* since the last frame: something was to be read that is not in the copy */
	bool beyond; /* it is behind the copy */
};

static int find_elf(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base, char **file, Elf **elf);

/* Unwinding needs no debug information of its own file. */
static int find_nothing(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base, const char *file,
			const char *link, GElf_Word sum, char **path)
{
	(void)module;
	(void)data;
	(void)name;
	(void)base;
	(void)file;
	(void)link;
	(void)sum;
	(void)path;
	return -1;
}

static const Dwfl_Callbacks callbacks = {
	.find_elf = find_elf,
	.find_debuginfo = find_nothing,
	.section_address = dwfl_offline_section_address,
};

static int find_elf(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base, char **file, Elf **elf)
{
	(void)module;
	(void)name;
	(void)base;
	(void)file;
	/* One more user of the same. */
	*elf = elf_begin(-1, ELF_C_READ_MMAP, *data);
	return -1;
}

static pid_t no_more(Dwfl *dwfl, void *arg, void **thread)
{
	(void)dwfl;
	(void)arg;
	(void)thread;
	return 0;
}

static bool get_thread(Dwfl *dwfl, pid_t tid, void *arg, void **thread)
{
	(void)dwfl;
	(void)tid;
	*thread = arg;
	return true;
}

static bool read_memory(Dwfl *dwfl, Dwarf_Addr address, Dwarf_Word *word, void *arg)
{
	struct hyb_unwinder *u = arg;
	const uint64_t offset = address - u->sp;

	(void)dwfl;
	if (address < u->sp || offset > u->stack_words * sizeof(*u->stack) - sizeof(*word) ||
	    u->stack_words * sizeof(*u->stack) < sizeof(*word)) {
		u->failed = true;
		u->beyond |= address >= u->sp;
		return false;
	}
	memcpy(word, (const char *)u->stack + offset, sizeof(*word));
	return true;
}

static bool set_registers(Dwfl_Thread *thread, void *arg)
{
	const struct hyb_unwinder *u = arg;
	const bool own_pc = u->machine != EM_X86_64; /* DWARF has no number for it */

	if (!dwfl_thread_state_registers(thread, 0, u->register_count - own_pc, u->registers))
		return false;
	if (own_pc)
		dwfl_thread_state_register_pc(thread, u->registers[u->register_count - 1]);
	return true;
}

static const Dwfl_Thread_Callbacks thread_callbacks = {
	.next_thread = no_more,
	.get_thread = get_thread,
	.memory_read = read_memory,
	.set_initial_registers = set_registers,
};

static Elf *open_elf(const char *path, int64_t since)
{
	struct stat st;
	int fd = hyb_object_file_open(path, &st);
	Elf *elf = NULL;

	if (fd >= 0 && (!since || st.st_mtim.tv_sec <= since / 1000000000))
		elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (elf && (elf_kind(elf) != ELF_K_ELF || gelf_getclass(elf) != ELFCLASS64 || elf_cntl(elf, ELF_C_FDDONE))) {
		elf_end(elf);
		elf = NULL;
	}
	if (fd >= 0)
		close(fd);
	return elf;
}

/* Valid until the next call. NULL without memory. */
static const struct image *find_image(struct hyb_unwinder *u, const struct hyb_kmapping *m)
{
	const bool vdso = !strcmp(m->path, "[vdso]");
	struct image *images;

	for (size_t i = 0; i < u->image_count; i++)
		if (!strcmp(u->images[i].path, m->path))
			return &u->images[i];
	images = hyb_array_room(u->images, &u->image_room, u->image_count, sizeof(*images));
	if (!images)
		return NULL;
	u->images = images;
	images[u->image_count] = (struct image){ .path = m->path };
	if (*m->path == '/')
		images[u->image_count].elf = open_elf(m->path, u->mapped(u->arg, m));
	else if (vdso && u->vdso)
		images[u->image_count].elf = open_elf(u->vdso, 0);
	return &images[u->image_count++];
}

/* Where the file as a whole is, of which the mapping has a part. False: nowhere. */
static bool place(const struct image *image, const struct hyb_kmapping *m, struct module *module)
{
	GElf_Addr bias = 0, begin = UINT64_MAX, end = 0;
	bool found = false;
	size_t count;
	GElf_Phdr p;

	if (!image->elf || elf_getphdrnum(image->elf, &count))
		return false;
	for (size_t i = 0; i < count && i < INT32_MAX; i++) {
		if (!gelf_getphdr(image->elf, (int)i, &p) || p.p_type != PT_LOAD)
			continue;
		begin = begin < p.p_vaddr ? begin : p.p_vaddr & -(p.p_align ? p.p_align : 1);
		end = end > p.p_vaddr + p.p_memsz ? end : p.p_vaddr + p.p_memsz;
		/* What is mapped begins at a page, so it may begin before the segment. */
		if (!found && p.p_flags & PF_X && m->def.offset < p.p_offset + p.p_filesz &&
		    m->def.offset + m->def.length > p.p_offset) {
			bias = m->def.address - (p.p_vaddr + m->def.offset - p.p_offset);
			found = true;
		}
	}
	*module = (struct module){ image->path, image->elf, begin + bias, end + bias };
	return found && module->begin < module->end;
}

static bool overlaps(const struct hyb_unwinder *u, const struct module *module)
{
	for (size_t i = 0; i < u->module_count; i++)
		if (module->begin < u->modules[i].end && u->modules[i].begin < module->end)
			return true;
	return false;
}

/* What was mapped last holds: of what is not there any more nobody tells. */
static int collect_modules(struct hyb_unwinder *u, const struct process *p)
{
	struct module module, *modules;

	u->module_count = 0;
	for (size_t i = p->used; i-- > 0;) {
		const struct hyb_kmapping *m = &u->defs->mappings[p->first + i];
		const struct image *image = find_image(u, m);

		if (!image)
			return -ENOMEM;
		if (!place(image, m, &module) || overlaps(u, &module))
			continue;
		modules = hyb_array_room(u->modules, &u->module_room, u->module_count, sizeof(*modules));
		if (!modules)
			return -ENOMEM;
		u->modules = modules;
		modules[u->module_count++] = module;
	}
	return 0;
}

/* Makes them anew: those that are replaced would leave traces. */
static int report(struct hyb_unwinder *u, struct process *p)
{
	Elf *first = NULL;
	int ret = collect_modules(u, p);

	if (p->dwfl)
		dwfl_end(p->dwfl);
	p->attached = false;
	p->dwfl = ret ? NULL : dwfl_begin(&callbacks);
	if (!p->dwfl)
		return ret ? ret : -ENOMEM;
	for (size_t i = 0; i < u->module_count; i++) {
		const struct module *m = &u->modules[i];
		Dwfl_Module *module = dwfl_report_module(p->dwfl, m->path, m->begin, m->end);
		void **data;

		if (!module || !dwfl_module_info(module, &data, NULL, NULL, NULL, NULL, NULL, NULL))
			continue;
		*data = m->elf;
		first = m->elf;
	}
	if (dwfl_report_end(p->dwfl, NULL, NULL))
		return -ENOMEM;
	p->attached = first && dwfl_attach_state(p->dwfl, first, (pid_t)p->tgid, &thread_callbacks, u);
	return 0;
}

/* The process as it is by that time; times do not go back. NULL without memory. */
static struct process *find_process(struct hyb_unwinder *u, uint32_t tgid, uint64_t time)
{
	const struct hyb_kdefs *d = u->defs;
	struct process *p = NULL, *processes;
	size_t used;

	for (size_t i = 0; !p && i < u->process_count; i++)
		if (u->processes[i].tgid == tgid)
			p = &u->processes[i];
	if (!p) {
		processes = hyb_array_room(u->processes, &u->process_room, u->process_count, sizeof(*processes));
		if (!processes)
			return NULL;
		u->processes = processes;
		p = &processes[u->process_count++];
		*p = (struct process){ .tgid = tgid, .first = HYB_SEARCH(i, d->mapping_count, d->mappings[i].tgid < tgid) };
		while (p->first + p->count < d->mapping_count && d->mappings[p->first + p->count].tgid == tgid)
			p->count++;
	}
	for (used = p->used; used < p->count && d->mappings[p->first + used].def.start <= time; used++)
		;
	if (p->dwfl && used == p->used)
		return p;
	p->used = used;
	return report(u, p) ? NULL : p;
}

static int take_frame(Dwfl_Frame *frame, void *arg)
{
	struct hyb_unwinder *u = arg;
	Dwarf_Addr pc;
	bool exact;

	/* It looks at who called this one already. */
	u->failed = u->beyond = false;
	if (!dwfl_frame_pc(frame, &pc, &exact) || u->count == FRAMES_MAX)
		return DWARF_CB_ABORT;
	u->addresses[u->count] = pc;
	u->exact[u->count++] = exact;
	return DWARF_CB_OK;
}

/* False: it is none of a machine that is known here. */
static bool take_copy(struct hyb_unwinder *u, const uint64_t *copy, size_t words)
{
	u->register_count = copy[0] >> HYB_COPY_REGISTERS_SHIFT & HYB_COPY_REGISTERS_MASK;
	u->machine = copy[0] & HYB_COPY_MACHINE_MASK;
	if (words <= u->register_count || !((u->machine == EM_X86_64 && u->register_count == 17) ||
					    (u->machine == EM_AARCH64 && u->register_count == 33)))
		return false;
	u->registers = copy + 1;
	u->sp = u->registers[u->machine == EM_X86_64 ? 7 : 31];
	u->stack = copy + 1 + u->register_count;
	u->stack_words = words - 1 - u->register_count;
	u->count = 0;
	u->failed = u->beyond = false;
	return true;
}

bool hyb_unwinder_can(void)
{
	return true;
}

int hyb_unwinder_run(struct hyb_unwinder *u, uint32_t tgid, uint64_t time, const uint64_t *copy, size_t words,
		     struct hyb_kunwound *unwound, enum hyb_unwind_end *end)
{
	struct process *p;
	int ret;

	if (!words || !take_copy(u, copy, words))
		return -EINVAL;
	p = find_process(u, tgid, time);
	if (!p)
		return -ENOMEM;
	if (!p->attached)
		return -ENOTSUP;
	ret = dwfl_getthread_frames(p->dwfl, (pid_t)tgid, take_frame, u);
	if (!u->count)
		return -EINVAL;
	/* libdwfl takes it for the outermost frame if the stack cannot be read. */
	*end = !ret && !u->failed ? HYB_UNWIND_WHOLE : u->beyond && copy[0] & HYB_COPY_GOES_ON ? HYB_UNWIND_SHORT : HYB_UNWIND_LOST;
	*unwound = (struct hyb_kunwound){ u->addresses, u->exact, u->count, *end != HYB_UNWIND_WHOLE };
	return 0;
}

static void free_all(struct hyb_unwinder *u)
{
	for (size_t i = 0; i < u->process_count; i++)
		if (u->processes[i].dwfl)
			dwfl_end(u->processes[i].dwfl);
	for (size_t i = 0; i < u->image_count; i++)
		if (u->images[i].elf)
			elf_end(u->images[i].elf);
	free(u->processes);
	free(u->images);
	free(u->modules);
}

struct hyb_unwinder *hyb_unwinder_new(const struct hyb_kdefs *defs, const char *vdso, hyb_unwind_mapped mapped, void *arg)
{
	struct hyb_unwinder *u = calloc(1, sizeof(*u));

	if (!u)
		return NULL;
	u->defs = defs;
	u->vdso = vdso;
	u->mapped = mapped;
	u->arg = arg;
	elf_version(EV_CURRENT);
	return u;
}

void hyb_unwinder_free(struct hyb_unwinder *u)
{
	if (!u)
		return;
	free_all(u);
	free(u);
}
