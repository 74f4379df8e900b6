/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every variable hybmon reads: HYB_CONFIG(type, NAME, member, default, range, help). The
 * environment variable is HYBMON_<NAME>, the member is in struct hyb_config. From this table come
 * the parser, `hybmon config`, `hybmon help env` and hybmon-env(7), the last by man/gen-env.awk,
 * which reads the file as text: each entry starts a line, and its strings hold no escaped quotes.
 *
 * BOOL: yes or no. NUMBER: without a unit; range MIN..MAX. SIZE: bytes, with K, M, G or T. PAGES: a SIZE rounded up
 * to whole pages. TIME_MS, TIME_US: with ns, us, ms or s; stored, and without a unit taken, as milliseconds or
 * microseconds. ENUM: one of the words of its range, stored as their position. SET: words of its
 * range with commas between them, stored as bits: all, none, then the first of the others is bit 0.
 * PATH: a file or folder, kept as it is; hybmon run makes it one from the root. TEXT: kept as it is.
 */
HYB_CONFIG(BOOL, ENABLE, enable, "yes", "yes|no",
	   "With no, the library does nothing at all: every MPI call goes straight to the MPI.")
HYB_CONFIG(BOOL, RECORD, record, "on", "on|off",
	   "Whether recording is on at the start. With off, a program begins to be recorded at its "
	   "first hybmon_resume(), MPI_Pcontrol(1) or omp_control_tool(omp_control_tool_start, ...).")
HYB_CONFIG(ENUM, ORDER, order, "no", "no|yes|only",
	   "Whether that is recorded which a program with MPI cannot know by itself, so that hybmon "
	   "replay can make the same run of it again: which message a receive from anyone got, which of "
	   "several requests was complete, what tests found. yes: beside the rest; only: and nothing "
	   "else, which takes a byte or two for each of these.")
HYB_CONFIG(BOOL, ORDER_TIME, order_time, "no", "yes|no",
	   "Whether the values of MPI_Wtime, and of other clocks that the program's main thread reads, belong "
	   "to the order, for programs that decide by them what they do, or seed random numbers with them: "
	   "some three to seven bytes for each. A replay gives them out again.")
HYB_CONFIG(PATH, REPLAY, replay, "", "file",
	   "Set by hybmon replay: the order in which this run is to go.")
HYB_CONFIG(ENUM, REPLAY_AT_END, replay_at_end, "run", "run|stop|abort",
	   "What a process of hybmon replay does where the recorded order ends before the program does, "
	   "since it was killed then: it runs on freely, stops (SIGSTOP) for a debugger to be attached, "
	   "or calls MPI_Abort.")
HYB_CONFIG(TEXT, REPLAY_GDB, replay_gdb, "", "ranks",
	   "Ranks of hybmon replay that wait at the end of MPI_Init until a debugger is attached to them: numbers "
	   "and ranges with commas between them (0,4-7). One line of each says where it is.")
HYB_CONFIG(NUMBER, NOISE, noise, "0", "0..18446744073709551615",
	   "Delays calls of MPI at random, so that messages come in other orders than usual: a number from "
	   "which the delays follow, the same for each run; 0: no delays. Recorded with HYBMON_ORDER, an "
	   "order that shows a fault can be replayed without them.")
HYB_CONFIG(TIME_US, NOISE_MAX, noise_max, "1ms", "1us..10s",
	   "The longest delay of HYBMON_NOISE; a number without a unit is in microseconds. Every other call has one, most of them short.")
HYB_CONFIG(BOOL, SYNC, sync, "no", "yes|no",
	   "Whether clocks of nodes are compared by messages of hybmon's own: some round trips in MPI_Init and "
	   "MPI_Finalize between one process of each node and another, in a tree, which takes some milliseconds "
	   "a level. For programs whose own messages go one way only, or are few; others need none. All processes "
	   "of MPI_COMM_WORLD must have the same value, or they wait for each other.")
HYB_CONFIG(ENUM, MODE, mode, "trace", "trace|profile|both",
	   "What is kept: each event with its time; or, for each thread, what the events of each call path add up to "
	   "(calls, times, bytes, partners), which grows with the number of call paths only; or both. A profile "
	   "is shown by hybmon report, and as a call tree by hybmon-print --profile, also while the program runs.")
HYB_CONFIG(SET, MPI, mpi, "all",
	   "all|none|env|session|p2p|request|part|coll|comm|group|topo|type|op|rma|io|info|attr|err|spawn|tool|conv",
	   "Which groups of MPI functions are recorded: words with commas between them, each added to "
	   "those before it, or with a minus sign taken from them; where the first has one, from all. "
	   "So all,-env and -env are all but MPI_Wtime and its like. A call of the group request that "
	   "starts, tests or completes what was begun by a recorded call is recorded in any case.")
HYB_CONFIG(SET, OMP, omp, "-wait,-dispatch,-flush",
	   "all|none|parallel|work|sync|wait|mutex|masked|task|depend|dispatch|flush|cancel|target|error",
	   "Which groups of OpenMP events are recorded, written as in HYBMON_MPI: parallel regions and "
	   "their teams; loops, sections and other worksharing; barriers, taskwait, taskgroup and "
	   "reductions; the wait inside of these; critical, atomic, ordered and locks; masked; "
	   "tasks, and their dependences; the chunks of loops; flush; cancellation; target constructs "
	   "with their operations and kernels; errors, of which LLVM's runtime cannot safely tell. "
	   "What is left out is not asked of the OpenMP runtime and costs nothing.")
HYB_CONFIG(SET, USER, user, "all",
	   "all|none|region|parameter|counter|function",
	   "What of that is recorded which the program tells by hybmon.h, written as in HYBMON_MPI: regions; what is said "
	   "of them; values of counters; and functions that were compiled with -finstrument-functions.")
HYB_CONFIG(PATH, FILTER, filter, "", "file",
	   "What is left out by name: a file with a rule on each line, exclude or include, then region, file (the source of "
	   "a region; the program or library that a function or construct of OpenMP is in), function (by its symbol, with "
	   "-finstrument-functions), mpi or openmp (by the kind of the construct, such as implicit barrier), then a "
	   "name, in which *, ? and [...] are as in the shell. shortest TIME (500ns, 2us), then region, file or function and "
	   "a name: visits that took less and in which nothing else was recorded are left out. Of the rules that fit the "
	   "last one holds. # begins a comment.")
HYB_CONFIG(BOOL, PCONTROL, pcontrol, "yes", "yes|no",
	   "Whether MPI_Pcontrol(0) pauses the recording and MPI_Pcontrol(1) resumes it. Other levels "
	   "change nothing, and the call goes on to other tools and the MPI in any case. The same holds for "
	   "OpenMP's omp_control_tool(): omp_control_tool_pause and omp_control_tool_start; after "
	   "omp_control_tool_end it starts nothing any more.")
HYB_CONFIG(PATH, TRACE_DIR, trace_dir, "", "directory",
	   "The experiment directory. Empty: hybmon-<program>-<job> in the working directory. An "
	   "existing experiment is never overwritten: a free suffix is added.")
HYB_CONFIG(PATH, SPOOL, spool, "", "directory|memory",
	   "Where the streams are while the program runs: a directory on a disk of the node, or the word memory, "
	   "which is /dev/shm: what lies there takes the node's memory, mostly half of it at most, and is gone "
	   "when the node is restarted. They move to the experiment directory at the end; what "
	   "cannot, as for want of space or for a limit to the size of files, stays, which is said. Empty: the "
	   "experiment directory itself where it is on a local file system, otherwise $TMPDIR.")
HYB_CONFIG(PAGES, CHUNK, chunk, "256K", "16K..16M",
	   "By how much a stream grows at a time.")
HYB_CONFIG(SIZE, RING, ring, "0", "0..16T",
	   "How much of the latest events each thread keeps, at least two chunks. 0: all of them, "
	   "the stream grows.")
HYB_CONFIG(ENUM, FULL, full, "stop", "stop|ring",
	   "What happens when there is no more space: recording stops until there is some, or each "
	   "thread goes on over its own oldest events. What is lost is counted and reported either way.")
HYB_CONFIG(ENUM, VERBOSE, verbose, "note", "quiet|error|warning|note",
	   "What hybmon says on the standard error: nothing, errors, warnings too, or notes too.")
HYB_CONFIG(ENUM, MPI_POLL, mpi_poll, "fold", "fold|all",
	   "Successive calls of MPI_Test and its like that find nothing, and of those and MPI_Win_flush "
	   "and its like that have nothing to find or to do, from one place in the program: folded into "
	   "one record that counts them, or each recorded.")
HYB_CONFIG(TEXT, COUNTERS, counters, "", "names",
	   "Counters that are read with Enters and Leaves, with commas between them: PAPI's names (PAPI_TOT_INS, "
	   "perf::PAGE-FAULTS, rapl:::...), and rusage::VOLUNTARY and its like. The command hybmon counters lists what this "
	   "machine has and what reading it costs. What cannot be counted is said, and recorded without it.")
HYB_CONFIG(SET, COUNTERS_AT, counters_at, "all",
	   "all|none|mpi|omp|user",
	   "Where the counters are read: at MPI calls, but for those that take no longer than reading them (MPI_Wtime and "
	   "its like) and for tests that find nothing; at OpenMP's regions; at the program's own regions.")
HYB_CONFIG(BOOL, COUNTERS_MULTIPLEX, counters_multiplex, "no", "yes|no",
	   "Whether the processor's counters are shared in turn by events that do not fit together. Their values are then "
	   "scaled, and so an estimate, and marked as such. Otherwise those that do not fit are left out, and named.")
HYB_CONFIG(BOOL, CALLSITE, callsite, "yes", "yes|no",
	   "Whether each MPI call is recorded with where the program called it, which readers show as function, file "
	   "and line.")
HYB_CONFIG(NUMBER, CALLSTACK, callstack, "0", "0..4096",
	   "How many frames of the program's stack are recorded, the innermost ones, with each MPI call, OpenMP construct and "
	   "region of the program's own, which readers show as a call path. 0: none. Where frames are the unwind tables "
	   "of the program and its libraries say (.eh_frame), also without frame pointers; code without tables ends the path, "
	   "which is marked. A path takes space only where it is another one than last time. Profiles have call "
	   "sites only.")
HYB_CONFIG(ENUM, KERNEL, kernel, "off", "off|auto|self|perf|bpf",
	   "Whether what the kernel does under the program is recorded, too, and from which source: perf "
	   "has all events of each CPU and needs CAP_PERFMON, for hybmon-collect or for the user, or "
	   "root; bpf has the same by programs in the kernel, which cost less, and needs CAP_BPF, too; "
	   "self needs nothing and has what threads may see of themselves; auto takes the best that can "
	   "be had. The experiment says what it was and what it lacks.")
HYB_CONFIG(SET, KERNEL_EVENTS, kernel_events, "sched,fault,signal",
	   "all|none|sched|fault|signal|syscall|irq|net|block|callchain",
	   "Which groups of kernel events, written as in HYBMON_MPI: who has which CPU and who wakes whom; "
	   "page faults; signals; system calls; interrupts, hard and soft; what sockets send and "
	   "receive; transfers of block devices; call chains, in the kernel and the program, of switches and "
	   "softirqs, where these are recorded.")
HYB_CONFIG(ENUM, KERNEL_TASKS, kernel_tasks, "job", "job|all",
	   "Whose details are recorded: of the job's processes and what they start, while all others "
	   "appear only as other; or of all tasks of the node, which only root can have.")
HYB_CONFIG(ENUM, KERNEL_PROFILE, kernel_profile, "no", "no|yes|only",
	   "Whether the kernel adds up, for each thread and kind of event, how often and how long: with "
	   "HYBMON_KERNEL=bpf. only: and each event for itself is not recorded, for runs where that is too "
	   "much; so with HYBMON_MODE=profile. With that or both it is in the call tree, below the regions in which it "
	   "happened. Where bpf cannot be had, threads look there themselves at each of their events, which takes some "
	   "hundred nanoseconds: how often and how long they waited, and page faults without their time. "
	   "hybmon-print --profile shows it, also while the program runs.")
HYB_CONFIG(SIZE, KERNEL_BUFFER, kernel_buffer, "2M", "64K..1G",
	   "How much of its events the kernel keeps for each CPU until the collector takes them; of the "
	   "source self a thirty-second of this for each thread. What does not fit is lost, and counted.")
HYB_CONFIG(TIME_MS, KERNEL_WAIT, kernel_wait, "500ms", "0..1000s",
	   "With HYBMON_KERNEL or HYBMON_SAMPLE: how long a process waits at most (a number without a unit: milliseconds), "
	   "before its first event is recorded, for hybmon-collect to be ready, so that the kernel's data begins where the program does. It goes on "
	   "as soon as that is ready, ends or cannot be started. 0: it never waits, and what the kernel does in "
	   "the first tenths of a second is not recorded.")
HYB_CONFIG(TEXT, SAMPLE, sample, "", "RATE|EVENT:RATE|EVENT:PERIOD",
	   "Samples of where the threads of the program are, with their call chains: so often in a second of "
	   "a thread's CPU time, as 997Hz, or by an event, as page-faults:1, cycles:100000 or task-clock:997Hz. "
	   "hybmon-collect takes them; nothing is changed in the program. Every user may have them of user code, "
	   "and of the kernel what kernel.perf_event_paranoid allows. Events: cpu-clock (of a mere rate), task-clock, "
	   "page-faults, minor-faults, major-faults, context-switches, cpu-migrations, and where the machine counts "
	   "them cycles, instructions, cache-references, cache-misses, branches, branch-misses, bus-cycles, ref-cycles, "
	   "stalled-cycles-frontend and stalled-cycles-backend.")
HYB_CONFIG(SIZE, SAMPLE_STACK, sample_stack, "0", "0..64K",
	   "With HYBMON_SAMPLE: how much of a thread's stack each sample has, such as 8K, for the merge to unwind by the "
	   "tables of the program and its libraries. Call chains are then whole also where code has no frame pointers, as "
	   "most has that is built with optimization, Fortran and libc. 0: chains go by frame pointers, which costs no "
	   "space, but ends or leaves out functions where there are none. What it costs is written to disk: with 8K and "
	   "997Hz up to 8 MB in each second of a thread's CPU time.")
HYB_CONFIG(PATH, KERNEL_SERVICE, kernel_service, "/run/hybmon/collect", "path",
	   "The socket of hybmon-collect as a service, where an administrator runs one: it gives users other than "
	   "root all kernel events of their own processes. Where there is none, or it refuses, the job "
	   "starts a collector of its own, as it does where this is empty.")
HYB_CONFIG(PATH, ADAPTER_DIR, adapter_dir, "", "directory",
	   "Where the adapters for each MPI and hybmon-collect are. Empty: the folder hybmon beside "
	   "libhybmon.so.")
HYB_CONFIG(SIZE, FINDINGS, findings, "64M", "0..1T",
	   "For hybmon run: how large a recording may be for what weighs most in it, and what recording it cost, to be "
	   "looked for when the program has ended; for 20 seconds at most. 0: never.")
HYB_CONFIG(TEXT, RUN, run, "", "text",
	   "Set by hybmon run: names the run. Processes of one run that have no rank share one "
	   "experiment.")
