/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every record: what it has, and how hybmon-print shows it. src/export/text/records.c makes the printer's table of it,
 * test/source/unit-records.c the tables of doc/trace-format.md. Who includes it defines the macros that they need; the
 * rows' are undefined at the end.
 *
 *	HYB_TIMED_ROW(type, words, meaning, text, fields)
 *	HYB_ATTACHED_ROW(type, words, with, meaning, text, fields)
 *		words: "" where the type gives their number. with: the records that it belongs to. text: the begin
 *	HYB_LAYOUT(group, type, words, with, meaning, fields)
 *		a record that readers make another one of, or that has code of its own. group: TIMED or ATTACHED
 *	HYB_DEFINITION(type, least, meaning, text, fields)
 *		least: so many words at least; what belongs to it begins after these. text NULL: it has code of its own
 *	HYB_KERNEL_ROW(what, part, label, names, text, when, fields)
 *		part, label, names: what --summary counts it as. when: for the document, when there is such a record
 *	HYB_IO_ROW(what, words, flags, text, fields)
 *
 * A row without a meaning has that of the row after it. A field is F(when, how, key, where, meaning):
 *
 *	when	ALWAYS; TIMES: not with --no-times; SET: not 0; KNOWN: not all ones; NATURAL: not negative; NEVER: it is
 *		for the document only
 *	how	an enum print_how of src/export/text/fields.h, or a word of vocabulary.h beside it
 *	key	what is printed before the value
 *	where	BITS(word, high, low), WORD(word); DETAIL(high, low) of a KERNEL: of bits 55-32 of its word 1;
 *		OF(struct, member) of a definition; GOT(struct, member) of what the reader made of the record; ID
 *	meaning	for the document; "": the row's meaning has it
 */
#ifndef HYB_TIMED_ROW
#define HYB_TIMED_ROW(type, words, meaning, text, fields)
#endif
#ifndef HYB_ATTACHED_ROW
#define HYB_ATTACHED_ROW(type, words, with, meaning, text, fields)
#endif
#ifndef HYB_LAYOUT
#define HYB_LAYOUT(group, type, words, with, meaning, fields)
#endif
#ifndef HYB_DEFINITION
#define HYB_DEFINITION(type, least, meaning, text, fields)
#endif
#ifndef HYB_KERNEL_ROW
#define HYB_KERNEL_ROW(what, part, label, names, text, when, fields)
#endif
#ifndef HYB_IO_ROW
#define HYB_IO_ROW(what, words, flags, text, fields)
#endif

#define NO_FIELDS

HYB_TIMED_ROW(ENTER, "", "", "enter ", F(ALWAYS, REGION, "", ID, ""))
HYB_TIMED_ROW(LEAVE, "", "id is the region", "leave ", F(ALWAYS, REGION, "", ID, ""))
HYB_LAYOUT(TIMED, EPOCH, "", "", "bits 39-0 are bits 63-40 of the counter from here on", NO_FIELDS)
HYB_TIMED_ROW(POINT, "", "id is a region or 0: something without duration, see what is attached",
	"point",
	F(SET, REGION, " ", ID, ""))
HYB_TIMED_ROW(MARK, "", "id 1: recording was switched off here, 2: on again", "",
	F(ALWAYS, OWN(mark), "", ID, ""))
HYB_TIMED_ROW(MORE, "",
	"id is the region: carries what does not fit into the groups of an Enter and its Leave, see below",
	"more ",
	F(ALWAYS, REGION, "", ID, ""))
HYB_LAYOUT(TIMED, ENTER_WIDE, "", "", "", NO_FIELDS)
HYB_LAYOUT(TIMED, LEAVE_WIDE, "", "", "word 1 is the region, where it does not fit 16 bits",
	NO_FIELDS)
HYB_LAYOUT(TIMED, CALL, "", "",
	"Enter and Leave of a short call, or of a short barrier of OpenMP, see below",
	NO_FIELDS)
HYB_TIMED_ROW(POLL, "5 or 6", "calls that found nothing or had no effect, see below", "poll ",
	F(ALWAYS, REGION, "", ID, "")
	F(ALWAYS, NUMBER, " count=", WORD(2), "")
	F(ALWAYS, LISTED(polls), "", WORD(5), "")
	F(TIMES, NUMBER, " inside-ticks=", WORD(3), "")
	F(TIMES, TIME, " until=", WORD(4), ""))
HYB_LAYOUT(TIMED, METRIC, "3 and more", "", "counters that were read together, see below",
	NO_FIELDS)
HYB_LAYOUT(TIMED, KERNEL_SUMS, "2 and more", "",
	"in profiles: what the kernel did to the thread, see below",
	NO_FIELDS)
HYB_LAYOUT(TIMED, KERNEL, "2 and more", "", "only in CPU, TASK and SAMPLE streams: see The kernel",
	NO_FIELDS)

HYB_ATTACHED_ROW(SEND, "", "ENTER", "bits 55-32 communicator, 31-0 destination; word 1: tag, bytes",
	"send",
	F(ALWAYS, OWN(reported), " to=", GOT(hyb_attached, peer), "")
	MESSAGE_FIELDS)
HYB_ATTACHED_ROW(RECV, "", "LEAVE", "the same with the source", "recv",
	F(ALWAYS, OWN(reported), " from=", GOT(hyb_attached, peer), "")
	MESSAGE_FIELDS)
HYB_ATTACHED_ROW(COLL, "", "LEAVE",
	"bits 55-32 communicator, 31-0 root, -1: none; of intercommunicators also -2: this process, -3: "
	"another of its group; word 1: bytes sent, received",
	"coll",
	F(ALWAYS, OWN(done_coll), "", GOT(hyb_attached, coll), "")
	F(ALWAYS, COMM, " comm=", GOT(hyb_attached, comm), "")
	F(KNOWN, SIGNED, " root=", GOT(hyb_attached, peer), "")
	F(ALWAYS, NUMBER, " sent=", GOT(hyb_attached, bytes), "")
	F(ALWAYS, NUMBER, " received=", GOT(hyb_attached, received), "")
	F(SET, REQUEST, " request=", GOT(hyb_attached, request), ""))
HYB_LAYOUT(ATTACHED, SEND_SHORT, "", "", "", NO_FIELDS)
HYB_LAYOUT(ATTACHED, RECV_SHORT, "", "",
	"bits 55-41 the request by its distance, 40-37 communicator, 36-25 peer, 24-16 tag, 15-14 s, 13-0 "
	"n: n * 8^s bytes",
	NO_FIELDS)
HYB_LAYOUT(ATTACHED, SEND_WIDE, "", "", "", NO_FIELDS)
HYB_LAYOUT(ATTACHED, RECV_WIDE, "", "",
	"bits 31-0 peer; word 1: communicator, tag; word 2: bytes. Of a RECV that MPI tells nothing of "
	"the bytes are all ones, and source or tag -1 where the call named none",
	NO_FIELDS)
HYB_LAYOUT(ATTACHED, COLL_WIDE, "", "LEAVE",
	"bits 55-32 communicator, 31-0 root; word 1: bytes sent; word 2: bytes received",
	NO_FIELDS)
HYB_ATTACHED_ROW(RMA, "2 to 5", "LEAVE; DONE also MORE; DESTROY in MORE: freed inside of the call",
	"bits 39-32 `enum hyb_rma_what`, 31-0 target or -1: all; word 1: flags, window; operations: words "
	"2, 3 bytes sent, received, word 4 the operation's number; DONE, its request is complete: word 2 "
	"that number; POST, START, COMPLETE, WAIT: word 2 the group",
	"rma ",
	F(ALWAYS, OWN(rma), "", WORD(0), ""))
HYB_ATTACHED_ROW(ERROR, "", "LEAVE", "", "error",
	F(ALWAYS, SIGNED, " code=", BITS(0, 31, 0), "what the call returned; absent where it succeeded"))
HYB_ATTACHED_ROW(IO, "2 to 6", "LEAVE; done also MORE", "MPI-IO, see below", "io ",
	F(ALWAYS, OWN(io), "", WORD(0), ""))
HYB_ATTACHED_ROW(SITE, "", "ENTER, CALL, POLL", "before all else", "called from",
	F(ALWAYS, OWN(site), "", BITS(0, 55, 0),
	  "the address that the call returns to, in its low 48 bits (since 1.2), see below"))
HYB_ATTACHED_ROW(BEGAN, "", "ENTER",
	"the call came after a row of polls, and the counter was not read when it began: at this time or "
	"up to some ticks later",
	"began",
	F(ALWAYS, NUMBER, " up-to-ticks-later=", BITS(0, 55, 0), "how many"))
HYB_ATTACHED_ROW(ABANDONED, "", "LEAVE",
	"the call never came back (longjmp, exception); the time is when that was noticed",
	"abandoned",
	NO_FIELDS)
HYB_LAYOUT(ATTACHED, REQUEST, "", "ENTER, LEAVE, MORE",
	"right after a SEND: it does not block; after a RECV: what a request got. Of a SEND_SHORT or "
	"RECV_SHORT only where its distance does not say it",
	F(ALWAYS, REQUEST, "", BITS(0, 55, 0), "the request"))
HYB_LAYOUT(ATTACHED, PARTITIONED, "", "ENTER, LEAVE, MORE",
	"right after a SEND or RECV and its REQUEST: the message is partitioned, and matches none that is "
	"not",
	NO_FIELDS)
HYB_ATTACHED_ROW(REQUEST_RECV, "", "LEAVE, MORE", "a receive that does not block began", "irecv",
	F(ALWAYS, REQUEST, " request=", BITS(0, 55, 0), "the request"))
HYB_ATTACHED_ROW(REQUEST_COLL, "", "LEAVE, MORE", "an operation that does not block began", "icoll",
	F(ALWAYS, OWN(coll), "", BITS(0, 7, 0), "enum hyb_coll")
	F(ALWAYS, COMM, " comm=", BITS(0, 55, 32), "communicator")
	F(NEVER, NUMBER, "", BITS(0, 31, 8), "the root as in COLL plus 4, 0: it does not fit")
	F(ALWAYS, REQUEST, " request=", WORD(1), "the request"))
HYB_ATTACHED_ROW(REQUEST_SENT, "", "LEAVE, MORE",
	"a send that does not block is complete. Bits 55-0: the request", "sent",
	F(ALWAYS, REQUEST, " request=", GOT(hyb_attached, request), ""))
HYB_LAYOUT(ATTACHED, SENT_SHORT, "", "LEAVE, MORE",
	"up to three are. Bits 15-0, 31-16, 47-32: the request's distance plus 1, 0: no more",
	NO_FIELDS)
HYB_ATTACHED_ROW(REQUEST_TESTED, "", "LEAVE, MORE",
	"a test found nothing, and this is one of what it asked for; not of tests in a row (POLL)",
	"tested",
	F(ALWAYS, REQUEST, " request=", BITS(0, 55, 0), "the request"))
HYB_ATTACHED_ROW(REQUEST_CANCELLED, "", "LEAVE, MORE", "a receive ended by being cancelled",
	"cancelled",
	F(ALWAYS, REQUEST, " request=", BITS(0, 55, 0), "the request"))
HYB_LAYOUT(ATTACHED, REQUEST_DONE, "", "LEAVE, MORE",
	"right after a COLL: what a request did, or, where the call has an ERROR, was to do",
	F(ALWAYS, OWN(coll), "", BITS(0, 31, 0), "enum hyb_coll")
	F(ALWAYS, REQUEST, "", WORD(1), "the request"))
HYB_ATTACHED_ROW(SEND_CANCELLED, "", "LEAVE, MORE", "an earlier SEND was none", "cancelled",
	F(ALWAYS, SIGNED, " to=", BITS(0, 31, 0), "peer")
	F(ALWAYS, SIGNED, " tag=", BITS(1, 31, 0), "tag")
	F(ALWAYS, COMM, " comm=", BITS(1, 63, 32), "communicator")
	F(ALWAYS, REQUEST, " request=", WORD(2), "the request"))
HYB_ATTACHED_ROW(FORK, "", "ENTER", "a region that forks", "fork",
	F(ALWAYS, NUMBER, " threads=", BITS(0, 31, 0), "threads asked for, 0: as many as there are"))
HYB_ATTACHED_ROW(JOIN, "", "LEAVE",
	"what that region's FORK began is over. Bit 0: before it a TEAM_END", "join",
	NO_FIELDS)
HYB_ATTACHED_ROW(TEAM_BEGIN, "", "ENTER, POINT",
	"the thread becomes a member, a worker with its ENTER. Bits 55-32 the team, 31-0 its number in "
	"it; word 1: which use of the team this is",
	"team begin",
	F(ALWAYS, NUMBER, " team=", GOT(hyb_attached, comm), "")
	F(ALWAYS, NUMBER, " member=", GOT(hyb_attached, peer), "")
	F(ALWAYS, NUMBER, " use=", GOT(hyb_attached, use), ""))
HYB_LAYOUT(ATTACHED, TEAM_BEGIN_SHORT, "", "ENTER, POINT", "the same, where all is small",
	F(ALWAYS, NUMBER, "", BITS(0, 55, 40), "the team")
	F(ALWAYS, NUMBER, "", BITS(0, 39, 32), "its number in it")
	F(ALWAYS, NUMBER, "", BITS(0, 31, 0), "which use"))
HYB_ATTACHED_ROW(TEAM_END, "", "LEAVE, POINT",
	"and leaves the innermost team, a worker with its LEAVE, the thread that forked with that of the "
	"region, before the JOIN",
	"team end",
	NO_FIELDS)
HYB_ATTACHED_ROW(TASK_CREATE, "", "POINT", "id of the POINT: the task's region", "task create",
	F(ALWAYS, TASK, " ", WORD(1), "the task")
	F(SET, FLAGS(task_flags), " ", BITS(0, 31, 0), "enum hyb_task_flag"))
HYB_ATTACHED_ROW(TASK_SWITCH, "", "ENTER, LEAVE, POINT", "the thread goes on with another task",
	"task switch",
	F(ALWAYS, TASK, " ", BITS(0, 47, 0), "which, 0: the implicit one"))
HYB_ATTACHED_ROW(TASK_COMPLETE, "", "LEAVE, POINT", "", "task complete",
	F(ALWAYS, TASK, " ", BITS(0, 47, 0), "the task")
	F(ALWAYS, LISTED(task_ends), "", BITS(0, 49, 48),
	  "1 it was cancelled while it was executed, 2 before; of several ends of one task the last with 1 "
	  "counts, or the one with 2"))
HYB_ATTACHED_ROW(TASK_FULFIL, "", "POINT",
	"id of the POINT: the task's region. The thread fulfilled the event of a detached task",
	"task fulfil",
	F(SET, NOTHING, " early", BITS(0, 48, 48),
	  "before the task had come to its end, which then completes it")
	F(ALWAYS, TASK, " ", BITS(0, 47, 0), "the task"))
HYB_ATTACHED_ROW(TASK_DEPEND, "", "POINT", "", "task depend",
	F(ALWAYS, TASK, " ", WORD(2), "the task that has to wait for it")
	F(ALWAYS, TASK, " on ", WORD(1), "a task"))
HYB_ATTACHED_ROW(LOCK_ACQUIRED, "", "", "", "lock acquired",
	F(ALWAYS, NUMBER, " lock=", BITS(0, 31, 0), "")
	F(ALWAYS, NUMBER, " order=", WORD(1), ""))
HYB_ATTACHED_ROW(LOCK_RELEASED, "", "LEAVE, POINT", "", "lock released",
	F(ALWAYS, NUMBER, " lock=", BITS(0, 31, 0), "the lock")
	F(ALWAYS, NUMBER, " order=", WORD(1), "how often it was had before, plus 1; 0: not known"))
HYB_ATTACHED_ROW(COUNT, "", "ENTER", "", "count",
	F(ALWAYS, NUMBER, " ", BITS(0, 55, 0), "iterations, sections or tasks of the construct"))
HYB_ATTACHED_ROW(CHUNK, "", "POINT", "", "chunk",
	F(ALWAYS, LISTED(chunks), " ", BITS(0, 31, 0), "enum hyb_chunk_kind")
	F(ALWAYS, NUMBER, " first=", WORD(1), "first iteration")
	F(ALWAYS, NUMBER, " count=", WORD(2), "how many"))
HYB_ATTACHED_ROW(CANCEL, "", "POINT", "", "cancel ",
	F(ALWAYS, FLAGS(cancels), "", BITS(0, 31, 0), "enum hyb_cancel_flag"))
HYB_ATTACHED_ROW(STACK, "", "KERNEL; ENTER, CALL, POLL",
	"right after the SITE, if there is one: how the thread came to that, see below", "stack",
	F(ALWAYS, OWN(stack), "", BITS(0, 55, 0),
	  "with a KERNEL the DEF_STACK, otherwise the DEF_FRAME that called (since 1.2), 0: not known"))
HYB_ATTACHED_ROW(STACK_COPY, "many", "KERNEL, SAMPLE, after its STACK",
	"39-32 how many registers, 16: the stack goes on where the copy ends, 15-0 the machine as ELF has "
	"it (62 x86-64, 183 ARM64); the registers by DWARF's numbers, of ARM64 the program counter after "
	"them; the stack from its pointer on",
	"stack copy",
	F(TIMES, OWN(copied), " bytes=", BITS(0, 39, 32), ""))
HYB_ATTACHED_ROW(LATE, "", "LEAVE",
	"the end was noticed late: it came some time after the thread's record before this one, and "
	"readers take that one's time",
	"late",
	NO_FIELDS)
HYB_ATTACHED_ROW(DEVICE, "", "ENTER", "of a target construct", "device",
	F(ALWAYS, DEVICE, " number=", BITS(0, 31, 0), "the device's number, -1: the host")
	F(SET, NOTHING, " nowait", BITS(0, 32, 32), "nobody waits for it"))
HYB_ATTACHED_ROW(DATA_OP, "", "ENTER; POINT where its end is not told",
	"an operation on a device's memory", "data",
	F(ALWAYS, OWN(data_op), " ", BITS(0, 31, 0), "enum hyb_data_op")
	F(SET, NOTHING, " async", BITS(0, 4, 4), "")
	F(ALWAYS, DEVICE, " from=", BITS(1, 63, 32), "device of the source")
	F(ALWAYS, DEVICE, " to=", BITS(1, 31, 0), "of the target")
	F(ALWAYS, NUMBER, " bytes=", WORD(2), "bytes"))
HYB_ATTACHED_ROW(DEPENDENCE, "", "POINT", "", "dependence",
	F(ALWAYS, LISTED(dependences), " ", BITS(0, 31, 0), "enum hyb_depend_kind")
	F(ALWAYS, TASK, " task=", WORD(1), "a task")
	F(TIMES, HEX, " address=0x", WORD(2), "address of what it depends on"))
HYB_ATTACHED_ROW(PARAMETER, "", "POINT",
	"something that the program says of its region: of the innermost one of its own that the thread "
	"is in, which the POINT names where that fits 16 bits",
	"parameter",
	F(ALWAYS, TEXT, " ", BITS(0, 31, 0), "the DEF_TEXT of its name")
	F(ALWAYS, OWN(parameter), "", BITS(0, 39, 32), "enum hyb_metric_type, or 15: a text")
	F(NEVER, NUMBER, "", WORD(1), "the value, of a text its DEF_TEXT"))
HYB_ATTACHED_ROW(MESSAGE, "1 to 15", "POINT",
	"of an error, with its text in the words after the first one", "message",
	F(ALWAYS, LISTED(messages), " ", BITS(0, 39, 32), "enum hyb_message_kind")
	F(ALWAYS, TAIL(127), " ", BITS(0, 31, 0), "how many bytes of UTF-8"))

HYB_DEFINITION(CLOCK, 6,
	"the counter with CLOCK_MONOTONIC_RAW, CLOCK_MONOTONIC, CLOCK_REALTIME, and within how many ticks "
	"they were read; the machine's clocks, without the offsets of a time namespace",
	" clock",
	F(ALWAYS, NUMBER, " counter=", OF(hyb_def_clock, counter), "")
	F(ALWAYS, NUMBER, " monotonic-raw=", OF(hyb_def_clock, monotonic_raw), "")
	F(ALWAYS, NUMBER, " monotonic=", OF(hyb_def_clock, monotonic), "")
	F(ALWAYS, NUMBER, " realtime=", OF(hyb_def_clock, realtime), "")
	F(ALWAYS, NUMBER, " width=", OF(hyb_def_clock, width), ""))
HYB_DEFINITION(SYNC, 5,
	"a message of the library's own to another process of MPI_COMM_WORLD and back: raw counters when "
	"it went, arrived and came back, and the rank (HYBMON_SYNC)",
	" sync",
	F(ALWAYS, NUMBER, " rank=", OF(hyb_def_sync, rank), "")
	F(TIMES, NUMBER, " out=", OF(hyb_def_sync, out), "")
	F(TIMES, NUMBER, " there=", OF(hyb_def_sync, there), "")
	F(TIMES, NUMBER, " back=", OF(hyb_def_sync, back), ""))
HYB_DEFINITION(REGION, 2, "role, paradigm, which collective operation it is, name", " region ",
	F(ALWAYS, BYTES, "", OF(hyb_def_region, name_length), "")
	F(TIMES, NUMBER, " id=", ID, "")
	F(ALWAYS, NAMED(roles), " role=", OF(hyb_def_region, role), "")
	F(ALWAYS, NAMED(paradigms), " paradigm=", OF(hyb_def_region, paradigm), "")
	F(ALWAYS, NUMBER, " coll=", OF(hyb_def_region, coll), ""))
/* What was added to it later is not shown. */
HYB_DEFINITION(COMM, 6,
	"a communicator as this process sees it: key, kind, rank and size, parent; its handle",
	" comm ",
	F(ALWAYS, COMM, "", ID, "")
	F(TIMES, NUMBER, " id=", ID, "")
	F(ALWAYS, NAMED(comm_kinds), " kind=", OF(hyb_def_comm, kind), "")
	F(ALWAYS, SIGNED, " rank=", OF(hyb_def_comm, rank), "")
	F(ALWAYS, NUMBER, " size=", OF(hyb_def_comm, size), "")
	F(ALWAYS, NUMBER, " remote-size=", OF(hyb_def_comm, remote_size), "")
	F(ALWAYS, COMM, " parent=", OF(hyb_def_comm, parent), "")
	F(ALWAYS, NUMBER, " same-members=", OF(hyb_def_comm, same_members), "")
	F(TIMES, KEY, " key=", OF(hyb_def_comm, key[0]), "")
	F(TIMES, KEY, "", OF(hyb_def_comm, key[1]), ""))
HYB_DEFINITION(MPI, 3,
	"what this process's MPI calls MPI_ANY_SOURCE, MPI_ANY_TAG and MPI_PROC_NULL", " mpi",
	F(ALWAYS, SIGNED, " any-source=", OF(hyb_def_mpi, any_source), "")
	F(ALWAYS, SIGNED, " any-tag=", OF(hyb_def_mpi, any_tag), "")
	F(ALWAYS, SIGNED, " proc-null=", OF(hyb_def_mpi, proc_null), ""))
HYB_DEFINITION(MEMBERS, 3, "world ranks of some of its members", " members ",
	F(ALWAYS, COMM, "", ID, "")
	F(SET, NOTHING, " remote", OF(hyb_def_members, remote), "")
	MEMBERS_FIELDS)
HYB_DEFINITION(MEETING, 5,
	"of an intercommunicator to another job: role, who led this side, key of the port, when",
	" meeting ",
	F(ALWAYS, COMM, "", ID, "")
	F(ALWAYS, NAMED(meetings), " role=", OF(hyb_def_meeting, role), "")
	F(KNOWN, NUMBER, " root=", OF(hyb_def_meeting, root), "")
	F(TIMES, KEY, " port=", OF(hyb_def_meeting, port[0]), "")
	F(TIMES, KEY, "", OF(hyb_def_meeting, port[1]), "")
	F(TIMES, TIME, " time=", OF(hyb_def_meeting, counter), ""))
HYB_DEFINITION(COMM_NAME, 2, "its name; of several the last holds", " comm-name ",
	F(ALWAYS, OWN(comm_number), "", ID, "")
	F(ALWAYS, BYTES, " ", WORD(1), ""))
HYB_DEFINITION(TOPOLOGY, 5,
	"the shape of a communicator: kind, extents and coordinates, or neighbours", " topology ",
	F(ALWAYS, COMM, "", ID, "")
	F(ALWAYS, NAMED(shapes), " kind=", OF(hyb_def_topology, kind), "")
	F(ALWAYS, OWN(shape), "", ID, ""))
HYB_DEFINITION(WIN, 4, "a window as this process sees it: key, communicator", " win ",
	F(ALWAYS, WIN, "", ID, "")
	F(TIMES, NUMBER, " id=", ID, "")
	F(ALWAYS, COMM, " comm=", OF(hyb_def_win, comm), "")
	F(TIMES, KEY, " key=", OF(hyb_def_win, key[0]), "")
	F(TIMES, KEY, "", OF(hyb_def_win, key[1]), ""))
HYB_DEFINITION(WIN_NAME, 2, "its name; of several the last holds", " win-name ",
	F(ALWAYS, OWN(win_number), "", ID, "")
	F(ALWAYS, BYTES, " ", WORD(1), ""))
HYB_DEFINITION(PLACE, 3,
	"of a region: the address in the program that follows its call, and the object it lies in; of one "
	"without a name, a function: the address one byte behind its begin",
	" place",
	F(ALWAYS, OWN(place), "", ID, "")
	F(TIMES, NUMBER, " id=", ID, ""))
HYB_DEFINITION(SOURCE, 2,
	"of a region of the program's own: line and file, as the program says them", " source ",
	F(ALWAYS, OWN(source), "", ID, ""))
HYB_DEFINITION(TEXT, 2, "a text that records name by its number: names and values of PARAMETERs",
	" text ",
	F(ALWAYS, TEXT, "", ID, "")
	F(TIMES, NUMBER, " id=", ID, ""))
HYB_DEFINITION(OBJECT, 3,
	"the program or a library: where it was loaded (address in memory less address in the file), "
	"path, build id; since 1.2 which addresses are its own, and the raw counter since when: an OBJECT "
	"in the same place with a later one takes over",
	" object ",
	F(ALWAYS, OWN(object), "", ID, ""))
HYB_DEFINITION(USAGE, 9,
	"what a thread has had of the machine so far: the time; the stream, and when it was read (1 before "
	"its first record, 2 MPI_Init is over, 3 MPI_Finalize is about to begin, 4 the thread or the "
	"process ends); ns on a CPU, ns able to run without a CPU, switches voluntary and involuntary, page "
	"faults minor and major; all ones: not known",
	" usage",
	F(ALWAYS, NUMBER, " stream=", OF(hyb_def_usage, stream), "")
	F(ALWAYS, NAMED(usages), " at=", OF(hyb_def_usage, when), "")
	F(TIMES, NUMBER, " counter=", OF(hyb_def_usage, counter), "")
	F(TIMES, SIGNED, " cpu=", OF(hyb_def_usage, cpu), "")
	F(TIMES, SIGNED, " delayed=", OF(hyb_def_usage, delayed), "")
	F(TIMES, SIGNED, " voluntary=", OF(hyb_def_usage, voluntary), "")
	F(TIMES, SIGNED, " involuntary=", OF(hyb_def_usage, involuntary), "")
	F(TIMES, SIGNED, " minor=", OF(hyb_def_usage, minor), "")
	F(TIMES, SIGNED, " major=", OF(hyb_def_usage, major), ""))
HYB_DEFINITION(MARK, 3,
	"a mark of a thread that its stream could not take when it was made, in a signal handler or a "
	"callback: its time, the stream, which (as MARK's id). It stands between that stream's events by "
	"its time",
	" recording",
	F(ALWAYS, LISTED(marks), " ", OF(hyb_def_mark, which), "")
	F(ALWAYS, NUMBER, " stream=", OF(hyb_def_mark, stream), "")
	F(TIMES, NUMBER, " counter=", OF(hyb_def_mark, counter), ""))
HYB_DEFINITION(TEAM, 4,
	"from a use of a team on, which stream's thread is one of its members; size, number",
	" team ",
	F(ALWAYS, NUMBER, "", ID, "")
	F(ALWAYS, NUMBER, " use=", OF(hyb_def_team, use), "")
	F(ALWAYS, NUMBER, " size=", OF(hyb_def_team, size), "")
	F(ALWAYS, NUMBER, " member=", OF(hyb_def_team, index), "")
	F(ALWAYS, NUMBER, " stream=", OF(hyb_def_team, stream), ""))
HYB_DEFINITION(GROUP, 3,
	"world ranks of some members of a group that synchronises by MPI_Win_post or MPI_Win_start; it "
	"may have none",
	" group ",
	F(ALWAYS, NUMBER, "", ID, "")
	MEMBERS_FIELDS)
HYB_DEFINITION(FILE, 3,
	"a file as it was opened once, or only named: communicator, access mode, name", " file ",
	F(ALWAYS, FILE, "", ID, "")
	F(TIMES, NUMBER, " id=", ID, "")
	F(KNOWN, COMM, " comm=", OF(hyb_def_file, comm), "")
	F(ALWAYS, HEX, " mode=0x", OF(hyb_def_file, mode), ""))
HYB_DEFINITION(METRIC, 0,
	"a counter: type, mode, base and exponent of its scale, flags (of the process, of the node, "
	"extrapolated), name, unit, description. Its unit has no prefix",
	NULL,
	NO_FIELDS)
HYB_DEFINITION(FRAME, 3,
	"a place in the program, and the FRAME that called it: struct hyb_def_frame (since 1.2)",
	" frame ",
	F(ALWAYS, OWN(frame), "", ID, ""))
HYB_DEFINITION(METRIC_SET, 0,
	"counters that are read together, by their ids, which are defined before it", NULL,
	NO_FIELDS)
HYB_DEFINITION(TASK, 6,
	"from a time on, what a task's number stands for: thread, process, kind, name", " task ",
	F(ALWAYS, OWN(task_name), "", OF(hyb_def_task, name[0]), "")
	F(ALWAYS, LISTED(task_kinds), " kind=", OF(hyb_def_task, kind), "")
	F(TIMES, NUMBER, " id=", ID, "")
	F(TIMES, NUMBER, " tid=", OF(hyb_def_task, tid), "")
	F(TIMES, NUMBER, " process=", OF(hyb_def_task, tgid), "")
	F(TIMES, NUMBER, " parent=", OF(hyb_def_task, parent), "")
	F(TIMES, NUMBER, " since=", OF(hyb_def_task, start), ""))
HYB_DEFINITION(KERNEL_NAME, 2, "the name of a system call, interrupt, softirq, signal or device",
	" kernel-name ",
	F(ALWAYS, LISTED(name_kinds), "", BITS(0, 39, 32), "")
	F(ALWAYS, NUMBER, " ", BITS(0, 31, 0), "")
	F(ALWAYS, TAIL(63), " ", WORD(1), ""))
HYB_DEFINITION(STACK, 3, "a call chain: addresses in the kernel, then in the program", " stack ",
	F(ALWAYS, NUMBER, "", ID, "")
	F(ALWAYS, NUMBER, " kernel=", OF(hyb_def_stack, kernel), "")
	F(ALWAYS, NUMBER, " user=", OF(hyb_def_stack, user), "")
	F(TIMES, WORDS, "", ID, ""))
HYB_DEFINITION(SYMBOL, 3, "a function of the kernel: address, size, name", " symbol ",
	F(ALWAYS, TAIL(255), "", OF(hyb_def_symbol, name_length), "")
	F(TIMES, HEX, " address=0x", OF(hyb_def_symbol, address), "")
	F(ALWAYS, NUMBER, " size=", OF(hyb_def_symbol, size), ""))
HYB_DEFINITION(MAPPING, 6,
	"a file that a process had mapped for its code from a time on; `//anon`: code that is in no file",
	" mapping ",
	F(ALWAYS, TAIL(1023), "", OF(hyb_def_mapping, path_length), "")
	F(TIMES, NUMBER, " process=", ID, "")
	F(TIMES, HEX, " address=0x", OF(hyb_def_mapping, address), "")
	F(TIMES, HEX, " length=0x", OF(hyb_def_mapping, length), "")
	F(TIMES, HEX, " offset=0x", OF(hyb_def_mapping, offset), "")
	F(TIMES, NUMBER, " since=", OF(hyb_def_mapping, start), ""))

HYB_KERNEL_ROW(SWITCH, EVENT, "switch", 0, "switch", "the current task left the CPU",
	F(ALWAYS, OWN(kernel_task), " next=", BITS(2, 31, 0), "who has the CPU next")
	F(ALWAYS, LISTED(switches), "", DETAIL(16, 16),
	  "it could have gone on (involuntary, as getrusage counts)")
	F(KNOWN, OWN(task_state), " state=", DETAIL(15, 0),
	  "its state as in the kernel's sched_switch, 0xffff: not known"))
HYB_KERNEL_ROW(RESUME, EVENT, "resume", 0, "resume", "the task has a CPU again (TASK streams only)",
	F(TIMES, NUMBER, " cpu=", DETAIL(23, 0), "CPU"))
HYB_KERNEL_ROW(WAKING, EVENT, "waking", 0, "waking", "a task is woken",
	F(ALWAYS, OWN(kernel_task), " target=", BITS(2, 31, 0), "the task that is woken")
	F(TIMES, NUMBER, " cpu=", DETAIL(21, 0), "CPU it is meant for")
	F(ALWAYS, LISTED(wakers), "", DETAIL(23, 22),
	  "2: by an interrupt, 1: by a softirq, otherwise by the current task"))
HYB_KERNEL_ROW(MIGRATE, EVENT, "migrate", 0, "migrate", "",
	F(ALWAYS, OWN(kernel_task), " target=", BITS(2, 31, 0), "the task")
	F(ALWAYS, NUMBER, " from=", BITS(2, 63, 48), "CPU it was on")
	F(ALWAYS, NUMBER, " to=", BITS(2, 47, 32), "CPU it goes to"))
HYB_KERNEL_ROW(FORK, EVENT, "fork", 0, "fork", "",
	F(ALWAYS, OWN(kernel_task), " new=", BITS(2, 31, 0), "the new task"))
HYB_KERNEL_ROW(EXIT, EVENT, "exit", 0, "exit", "the current task ends", NO_FIELDS)
HYB_KERNEL_ROW(SYSCALL_ENTER, BEGIN, "sys_", HYB_NAME_SYSCALL, "enter ", "",
	F(ALWAYS, KERNEL_NAME(SYSCALL), "", DETAIL(23, 0), "number"))
HYB_KERNEL_ROW(SYSCALL_EXIT, END, "sys_", HYB_NAME_SYSCALL, "leave ", "",
	F(ALWAYS, KERNEL_NAME(SYSCALL), "", DETAIL(23, 0), "number")
	F(ALWAYS, SIGNED, " ret=", WORD(2), "return value"))
HYB_KERNEL_ROW(FAULT_BEGIN, BEGIN, "page fault", 0, "fault begin", "",
	F(ALWAYS, LISTED(fault_of), "", DETAIL(0, 0), "of user code")
	F(TIMES, HEX, " address=0x", WORD(2), "address")
	F(TIMES, HEX, " ip=0x", WORD(3), "the instruction's"))
HYB_KERNEL_ROW(FAULT_END, END, "page fault", 0, "fault end", "",
	F(ALWAYS, LISTED(fault_kinds), "", DETAIL(1, 1), "major")
	F(ALWAYS, LISTED(fault_of), "", DETAIL(0, 0), "of user code")
	F(NEVER, NUMBER, "", DETAIL(2, 2), "there is no BEGIN")
	F(TIMES, HEX, " address=0x", WORD(2), "address"))
HYB_KERNEL_ROW(IRQ_ENTER, BEGIN, "irq ", HYB_NAME_IRQ, "enter irq ", "",
	F(ALWAYS, KERNEL_NAME(IRQ), "", DETAIL(23, 0), ""))
HYB_KERNEL_ROW(IRQ_EXIT, END, "irq ", HYB_NAME_IRQ, "leave irq ", "",
	F(ALWAYS, KERNEL_NAME(IRQ), "", DETAIL(23, 0),
	  "number; from 0x800000 on `enum hyb_irq_vector`: of no device, as the timer of the CPU"))
HYB_KERNEL_ROW(SOFTIRQ_ENTER, BEGIN, "softirq ", HYB_NAME_SOFTIRQ, "enter softirq ", "",
	F(ALWAYS, KERNEL_NAME(SOFTIRQ), "", DETAIL(23, 0), ""))
HYB_KERNEL_ROW(SOFTIRQ_EXIT, END, "softirq ", HYB_NAME_SOFTIRQ, "leave softirq ", "",
	F(ALWAYS, KERNEL_NAME(SOFTIRQ), "", DETAIL(23, 0), "vector"))
HYB_KERNEL_ROW(SIGNAL_GENERATE, EVENT, "generate ", HYB_NAME_SIGNAL, "signal generate ",
	"the current task sends one",
	F(ALWAYS, KERNEL_NAME(SIGNAL), "", DETAIL(23, 0), "number")
	F(ALWAYS, OWN(kernel_task), " to=", BITS(2, 31, 0), "to whom")
	F(ALWAYS, SIGNED, " code=", BITS(2, 63, 32), "si_code")
	F(SET, NOTHING, " not-sent", BITS(3, 1, 1), "was not sent after all")
	F(SET, NOTHING, " group", BITS(3, 0, 0), "to the process"))
HYB_KERNEL_ROW(SIGNAL_DELIVER, EVENT, "deliver ", HYB_NAME_SIGNAL, "signal deliver ",
	"to the current task",
	F(ALWAYS, KERNEL_NAME(SIGNAL), "", DETAIL(23, 0), "number")
	F(ALWAYS, SIGNED, " code=", BITS(2, 63, 32), "si_code")
	F(ALWAYS, LISTED(handlers), "", WORD(3), "handler, 0: default, 1: ignored"))
HYB_KERNEL_ROW(NET_SEND, EVENT, "net send", 0, "net send", "", NET_FIELDS("", "", "", ""))
HYB_KERNEL_ROW(NET_RECV, EVENT, "net receive", 0, "net receive", "at the socket",
	NET_FIELDS("bytes, negative: errno", "address family", "protocol", "the socket"))
HYB_KERNEL_ROW(TCP_RETRANSMIT, EVENT, "tcp retransmit", 0, "tcp retransmit", "",
	F(NEVER, NUMBER, "", DETAIL(23, 16), "address family")
	F(ALWAYS, NUMBER, " port=", BITS(2, 31, 16), "port here")
	F(ALWAYS, NUMBER, " to-port=", BITS(2, 15, 0), "port there")
	F(NEVER, HEX, "", WORD(3), "the socket"))
HYB_KERNEL_ROW(BLOCK_ISSUE, BEGIN, "block transfer", 0, "block issue", "",
	BLOCK_FIELDS("", "", "", ""))
HYB_KERNEL_ROW(BLOCK_COMPLETE, END, "block transfer", 0, "block complete", "",
	BLOCK_FIELDS("device", "bytes", "sector", "`enum hyb_block_flag`"))
HYB_KERNEL_ROW(LOST, EVENT, "lost", 0, "lost", "in TASK streams: of the current task",
	F(ALWAYS, NUMBER, " count=", WORD(2), "how many, 0: not known")
	F(ALWAYS, LISTED(losses), " why=", DETAIL(23, 0),
	  "1: the source's buffer was full, 2: the kernel held it back, 3: a switch has no record")
	F(NEVER, NUMBER, "", WORD(3), "from when"))
HYB_KERNEL_ROW(SAMPLE, EVENT, NULL, 0, "sample",
	"in SAMPLE streams: the current task was where its STACK says",
	F(ALWAYS, OWN(kernel_metric), " of=", DETAIL(23, 0), "what was sampled, a DEF_METRIC beside it")
	F(ALWAYS, NUMBER, " weight=", WORD(2), "how much of that since the task's sample before, its weight"))
HYB_KERNEL_ROW(COUNTS, EVENT, "counts", 0, "counts",
	"in TASK streams: what there was since the one before",
	F(ALWAYS, NUMBER, " voluntary=", WORD(2), "voluntary switches")
	F(ALWAYS, NUMBER, " involuntary=", WORD(3), "involuntary ones")
	F(ALWAYS, NUMBER, " minor=", WORD(4), "minor faults")
	F(ALWAYS, NUMBER, " major=", WORD(5), "major ones")
	F(TIMES, NUMBER, " ran=", WORD(6), "ns on CPUs")
	F(TIMES, NUMBER, " waited=", WORD(7), "ns waiting for one"))

HYB_IO_ROW(OPEN, "", "", "open",
	F(ALWAYS, OWN(opened), "", GOT(hyb_io, file), "")
	F(ALWAYS, PIPED(modes), " mode=", GOT(hyb_io, flags), ""))
HYB_IO_ROW(CLOSE, "", "", "close", NO_FIELDS)
HYB_IO_ROW(DELETE, "", "of open: the access mode", "delete", NO_FIELDS)
HYB_IO_ROW(SEEK, "offset asked for, position reached", "from where; 16: the shared pointer", "seek",
	F(KNOWN, SIGNED, " offset=", GOT(hyb_io, offset), "")
	F(ALWAYS, LISTED(whence), " from=", GOT_BITS(hyb_io, flags, 1, 0), "")
	F(SET, NOTHING, " shared", GOT_BITS(hyb_io, flags, 4, 4), "")
	F(KNOWN, SIGNED, " reached=", GOT(hyb_io, reached), ""))
HYB_IO_ROW(VIEW, "displacement, bytes of an elementary type", "", "view",
	F(KNOWN, SIGNED, " displacement=", GOT(hyb_io, requested), "")
	F(ALWAYS, NUMBER, " unit=", GOT(hyb_io, done), ""))
HYB_IO_ROW(SIZE, "bytes", "1: preallocated", "resize",
	F(ALWAYS, NUMBER, " bytes=", GOT(hyb_io, requested), ""))
HYB_IO_ROW(READ, "", "", "read", TRANSFER_FIELDS)
HYB_IO_ROW(WRITE, "", "", "write", TRANSFER_FIELDS)
HYB_IO_ROW(FLUSH, "number, bytes requested, bytes done, offset",
	"collective, non-blocking, split, shared, explicit", "flush",
	TRANSFER_FIELDS)
HYB_IO_ROW(DONE, "number, bytes done", "what it was: read or write, as in bits 39-32", "done",
	F(ALWAYS, REQUEST, " request=", GOT(hyb_io, id), "")
	F(ALWAYS, NUMBER, " bytes=", GOT(hyb_io, done), ""))
HYB_IO_ROW(FAILED, "number", "", "failed", F(ALWAYS, REQUEST, " request=", GOT(hyb_io, id), ""))

#undef NO_FIELDS
#undef HYB_TIMED_ROW
#undef HYB_ATTACHED_ROW
#undef HYB_LAYOUT
#undef HYB_DEFINITION
#undef HYB_KERNEL_ROW
#undef HYB_IO_ROW
