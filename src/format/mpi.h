/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The raw trace format of what is MPI's: kinds of messages, one-sided operations and file operations, and the
 * definitions of communicators, windows, topologies and files. Part of format/format.h, which is to be included.
 */
#ifndef HYB_FORMAT_MPI_H
#define HYB_FORMAT_MPI_H

#include <stdint.h>

enum hyb_rma_what {
	HYB_RMA_CREATE = 1,	/* the window came to be, or ended */
	HYB_RMA_DESTROY,
	HYB_RMA_PUT,		/* operations */
	HYB_RMA_GET,
	HYB_RMA_ACCUMULATE,
	HYB_RMA_GET_ACCUMULATE,
	HYB_RMA_FETCH_AND_OP,
	HYB_RMA_COMPARE_AND_SWAP,
	HYB_RMA_DONE,		/* the request of an operation is complete */
	HYB_RMA_FENCE,		/* synchronisation */
	HYB_RMA_POST,
	HYB_RMA_START,
	HYB_RMA_COMPLETE,
	HYB_RMA_WAIT,		/* or a test that was successful */
	HYB_RMA_LOCK,
	HYB_RMA_UNLOCK,
	HYB_RMA_FLUSH,
	HYB_RMA_FLUSH_LOCAL,
	HYB_RMA_SYNC,
};

enum hyb_rma_flag {
	HYB_RMA_ALLOCATED = 1,	/* CREATE, DESTROY: with memory of MPI's */
	HYB_RMA_REQUEST = 2,	/* an operation has a request */
	HYB_RMA_SUM = 4,	/* FETCH_AND_OP adds */
	HYB_RMA_REPLACE = 8,	/* FETCH_AND_OP swaps */
	HYB_RMA_SHARED = 16,	/* LOCK */
	HYB_RMA_FIRST = 32,	/* FENCE: it completes nothing */
};

/*
 * MPICH's MPI_Isendrecv leaves its status empty, so nobody is told how many bytes came, nor from whom where the receive
 * was for any source or tag. The send that it matches has both.
 */
#define HYB_BYTES_UNKNOWN UINT64_MAX
#define HYB_ANY (-1)	/* source or tag */
#define HYB_NO_PEER (-2)	/* nobody, MPI_PROC_NULL; or the source of a message that a probe had matched before */
#define HYB_NO_ROOT (-1)
#define HYB_NO_COMM UINT32_C(0xffffff)	/* in 24 bits: a communicator that nobody told us of */

#define HYB_NO_WIN UINT32_MAX	/* a window that nobody told us of */

enum hyb_comm_kind {
	HYB_COMM_WORLD = 1,	/* members are world ranks 0..size-1 */
	HYB_COMM_SELF = 2,
	HYB_COMM_INTRA = 3,
	HYB_COMM_INTER = 4,	/* size is the local group's, remote_size the other's */
};

/*
 * A communicator as one of its members sees it. Ids are the process's own and never used again. The same
 * communicator has other ids in other processes; it is the one with the same `key`: made of what all
 * members know without talking to each other (see src/pmpi/adapter/handles/comm-key.h). Its members are had from the
 * DEF_MEMBERS of whoever is rank 0 in it, or from the parent where same_members is set, or, where
 * rank 0's stream is missing, from the (rank, world rank) of each member's own definition.
 */
struct hyb_def_comm {
	uint64_t key[2];
	uint32_t kind;		/* enum hyb_comm_kind */
	uint32_t rank;		/* of this process in it */
	uint32_t size;
	uint32_t remote_size;
	uint32_t parent;	/* id of the communicator it was made from; its own where there is none */
	uint32_t same_members;	/* 1: the same members in the same order as the parent */
	/*
	 * Where the parent has members of other jobs: `key` is hyb_key_of_step of the parent's key and this, so
	 * that a reader that has found out what the parent is can tell what this is. Else 0.
	 */
	uint64_t step[2];
	/* of this process's MPI; the communicator that was defined last with a handle has it. 0: not told */
	uint64_t handle;
};

/* What this process's MPI calls some sources and tags. */
struct hyb_def_mpi {
	int32_t any_source;
	int32_t any_tag;
	int32_t proc_null;
	int32_t reserved;
};

/*
 * An intercommunicator to processes that have an MPI_COMM_WORLD of their own. Its key is known to this side only; the
 * other side's has the same port, the sizes the other way round, and was made at about the same time.
 */
enum hyb_meeting_role {
	HYB_MEETING_SPAWN = 1,	/* with processes that this side started */
	HYB_MEETING_PARENT = 2,	/* with those who started this side */
	HYB_MEETING_ACCEPT = 3,
	HYB_MEETING_CONNECT = 4,
	HYB_MEETING_JOIN = 5,
	HYB_MEETING_PAIR = 6,	/* MPI_Intercomm_create by a communicator of several jobs */
};

struct hyb_def_meeting {
	uint64_t counter;	/* raw, when the call came back */
	uint64_t port[2];	/* key of the port's name, of the socket, of the tag; 0: not known here */
	uint32_t role;		/* enum hyb_meeting_role */
	uint32_t root;		/* world rank of who led this side; UINT32_MAX: not known */
};

/*
 * A message of the library's own to another process and back (HYBMON_SYNC), of which each way was the quickest that was
 * seen then, or one of them; raw counters, `there` the other process's.
 */
struct hyb_def_sync {
	uint64_t out;		/* before it was sent */
	uint64_t there;		/* when it had arrived, before the answer was sent */
	uint64_t back;		/* when that had arrived */
	uint32_t rank;		/* of the other process in MPI_COMM_WORLD */
	uint32_t reserved;
};

/* A window as one of its members sees it; `key` as a communicator's. */
struct hyb_def_win {
	uint64_t key[2];
	uint32_t comm;		/* it was made over; its ranks are the window's */
	uint32_t number;	/* it is that communicator's child of this number; 0: not known */
};

struct hyb_def_members {	/* world ranks of members first..first+count-1, UINT32_MAX: unknown */
	uint32_t first;
	uint32_t count;
	uint32_t remote;	/* 1: of the remote group */
	uint32_t reserved;
};

/*
 * The shape of a communicator as MPI was told it. One that has the members of its parent (same_members) and no shape
 * of its own has its parent's. Behind the struct lie elements first..first+count-1 of a list; long lists come in
 * pieces, front to back:
 *	CART		extents of the `in` dimensions, whether each is periodic (0, 1), this process's coordinates
 *	GRAPH		ranks of this process's `out` neighbours
 *	DIST_GRAPH	ranks of the `in` it receives from, of the `out` it sends to; if weighted, the weights of both
 */
enum hyb_topology_kind {
	HYB_TOPOLOGY_CART = 1,
	HYB_TOPOLOGY_GRAPH = 2,
	HYB_TOPOLOGY_DIST_GRAPH = 3,
};

struct hyb_def_topology {
	uint32_t kind;		/* enum hyb_topology_kind */
	uint32_t in;
	uint32_t out;
	uint32_t nodes;		/* GRAPH: of the whole of it */
	uint32_t edges;
	uint32_t weighted;	/* DIST_GRAPH: 1 */
	uint32_t first;
	uint32_t count;
};

/*
 * What HYB_IO says, with the words behind its first one. A file is the id of a DEF_FILE. Offsets are bytes, as
 * counted in the file's view; UINT64_MAX where they are not known.
 */
enum hyb_io_what {
	HYB_IO_OPEN = 1,	/* file. flags: enum hyb_io_mode */
	HYB_IO_CLOSE,		/* file */
	HYB_IO_DELETE,		/* file */
	HYB_IO_SEEK,		/* file, offset as asked for, position reached. flags: enum hyb_io_whence */
	HYB_IO_VIEW,		/* file, displacement in bytes, bytes of an elementary type */
	HYB_IO_SIZE,		/* file, bytes. flags: 1: preallocated */
	HYB_IO_READ,		/* file, id, bytes requested, bytes done, offset. flags: enum hyb_io_flags */
	HYB_IO_WRITE,
	HYB_IO_FLUSH,
	/* file, id, bytes: the end of what was begun non-blocking or split. flags: READ or WRITE, which it was */
	HYB_IO_DONE,
	HYB_IO_FAILED,		/* file, id: its end where that is an error, with which it is not known what it did */
};

/* How a file was opened. */
enum hyb_io_mode {
	HYB_IO_RDONLY = 1, HYB_IO_WRONLY = 2, HYB_IO_RDWR = 4, HYB_IO_CREATE = 8, HYB_IO_EXCL = 16,
	HYB_IO_DELETE_ON_CLOSE = 32, HYB_IO_UNIQUE_OPEN = 64, HYB_IO_SEQUENTIAL = 128,
	HYB_IO_APPEND = 256,
};

enum hyb_io_whence {
	HYB_IO_FROM_START = 0, HYB_IO_FROM_CURRENT = 1, HYB_IO_FROM_END = 2,
	HYB_IO_SEEK_SHARED = 16,	/* of the shared pointer */
};

enum hyb_io_flags {
	HYB_IO_COLLECTIVE = 1,
	HYB_IO_NONBLOCKING = 2,	/* only begun: a DONE with the same id ends it; done is 0 */
	HYB_IO_SPLIT = 4,	/* the same; a later call of the program is the end */
	HYB_IO_SHARED = 8,	/* at the shared pointer */
	HYB_IO_EXPLICIT = 16,	/* at an offset that was given */
};

#define HYB_IO_NO_OFFSET UINT64_MAX
#define HYB_IO_NO_COMM UINT32_MAX

/* A file as it was opened once, or only named. Ids are the process's own and never used again. */
struct hyb_def_file {
	uint32_t comm;		/* which opened it; HYB_IO_NO_COMM: not known, or it was not opened */
	uint32_t mode;		/* enum hyb_io_mode, 0: it was not opened */
	uint32_t name_length;	/* bytes of UTF-8 behind the struct, padded to words with zeroes */
	uint32_t reserved;
};

#endif
