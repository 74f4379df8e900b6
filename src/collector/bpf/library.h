/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The libbpf of the machine where this runs, loaded when the source is opened: one build serves machines with it and
 * without. This includes libbpf's own headers, and lets its functions be called by their own names.
 */
#ifndef HYB_COLLECTOR_BPF_LIBRARY_H
#define HYB_COLLECTOR_BPF_LIBRARY_H

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <stddef.h>

/* Each function that is used, also those that libbpf's macros use. */
#define HYB_LIBBPF_FUNCTIONS(X) \
	X(bpf_link__destroy) \
	X(bpf_map__fd) \
	X(bpf_map__max_entries) \
	X(bpf_map__set_initial_value) \
	X(bpf_map__set_max_entries) \
	X(bpf_map__value_size) \
	X(bpf_map_create) \
	X(bpf_map_delete_elem) \
	X(bpf_map_freeze) \
	X(bpf_map_get_next_key) \
	X(bpf_map_lookup_elem) \
	X(bpf_map_update_elem) \
	X(bpf_obj_get_info_by_fd) \
	X(bpf_object__close) \
	X(bpf_object__find_map_by_name) \
	X(bpf_object__find_program_by_name) \
	X(bpf_object__load) \
	X(bpf_object__next_program) \
	X(bpf_object__open_mem) \
	X(bpf_program__attach) \
	X(bpf_program__attach_perf_event) \
	X(bpf_program__autoload) \
	X(bpf_program__fd) \
	X(bpf_program__set_autoload) \
	X(btf__find_by_name_kind) \
	X(btf__free) \
	X(btf__load_vmlinux_btf) \
	X(btf__name_by_offset) \
	X(btf__type_by_id) \
	X(libbpf_set_print)

struct hyb_libbpf {
#define HYB_LIBBPF_MEMBER(name) __typeof__(&name) name;
	HYB_LIBBPF_FUNCTIONS(HYB_LIBBPF_MEMBER)
#undef HYB_LIBBPF_MEMBER
};

extern struct hyb_libbpf hyb_libbpf;

/*
 * Loads libbpf, if it is not loaded yet. 0; -ENOENT: it is not there; -ENOSYS: it lacks a function. After an error no
 * function of it may be called.
 */
int hyb_libbpf_load(void);

#ifndef HYB_LIBBPF_PLAIN /* defined by library.c, which needs the names themselves */
#define bpf_link__destroy hyb_libbpf.bpf_link__destroy
#define bpf_map__fd hyb_libbpf.bpf_map__fd
#define bpf_map__max_entries hyb_libbpf.bpf_map__max_entries
#define bpf_map__set_initial_value hyb_libbpf.bpf_map__set_initial_value
#define bpf_map__set_max_entries hyb_libbpf.bpf_map__set_max_entries
#define bpf_map__value_size hyb_libbpf.bpf_map__value_size
#define bpf_map_create hyb_libbpf.bpf_map_create
#define bpf_map_delete_elem hyb_libbpf.bpf_map_delete_elem
#define bpf_map_freeze hyb_libbpf.bpf_map_freeze
#define bpf_map_get_next_key hyb_libbpf.bpf_map_get_next_key
#define bpf_map_lookup_elem hyb_libbpf.bpf_map_lookup_elem
#define bpf_map_update_elem hyb_libbpf.bpf_map_update_elem
#define bpf_obj_get_info_by_fd hyb_libbpf.bpf_obj_get_info_by_fd
#define bpf_object__close hyb_libbpf.bpf_object__close
#define bpf_object__find_map_by_name hyb_libbpf.bpf_object__find_map_by_name
#define bpf_object__find_program_by_name hyb_libbpf.bpf_object__find_program_by_name
#define bpf_object__load hyb_libbpf.bpf_object__load
#define bpf_object__next_program hyb_libbpf.bpf_object__next_program
#define bpf_object__open_mem hyb_libbpf.bpf_object__open_mem
#define bpf_program__attach hyb_libbpf.bpf_program__attach
#define bpf_program__attach_perf_event hyb_libbpf.bpf_program__attach_perf_event
#define bpf_program__autoload hyb_libbpf.bpf_program__autoload
#define bpf_program__fd hyb_libbpf.bpf_program__fd
#define bpf_program__set_autoload hyb_libbpf.bpf_program__set_autoload
#define btf__find_by_name_kind hyb_libbpf.btf__find_by_name_kind
#define btf__free hyb_libbpf.btf__free
#define btf__load_vmlinux_btf hyb_libbpf.btf__load_vmlinux_btf
#define btf__name_by_offset hyb_libbpf.btf__name_by_offset
#define btf__type_by_id hyb_libbpf.btf__type_by_id
#define libbpf_set_print hyb_libbpf.libbpf_set_print
#endif

#endif
