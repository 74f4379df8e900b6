/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads command lines of launchers; see launch.h. */
#include "tools/run/launch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/sys/preload.h"
#include "tools/run/elf-file.h"
#include "tools/common/tool.h"
#include "tools/run/program.h"

#define MPI_VALUED \
	" n np c N npernode npersocket npernuma H host hosts hostfile machinefile wdir wd path x am map-by rank-by " \
	"bind-to prefix output-filename app timeout stdin report-uri ompi-server cpu-list cpu-set rf rankfile " \
	"slot-list preload-files tune pset dvm personality max-restarts f ppn perhost genvlist envlist " \
	"prepend-pattern outfile-pattern errfile-pattern launcher launcher-exec iface rmk membind topolib configfile " \
	"demux usize gpus-per-proc arch hostlist runtime-options "
#define PRELOAD "LD_PRELOAD"
#define MPI_DOUBLE " mca gmca pmca prtemca genv env "

/*
 * Commands that start another: their names, options that take the next word (without dashes), options that take two,
 * and words that no option has and that come before the command: so many of any kind, or any of those listed.
 */
static const struct starter {
	const char *names;
	const char *valued;
	const char *doubles;
	const char *leading;	/* subcommands, such as perf's record */
	int words;
	enum {
		PLAIN,
		MPI,
		ASSIGNS,	/* NAME=VALUE before the command */
		DEBUGGER,
		BECOMES,	/* another user */
		STRIPS,		/* LD_PRELOAD from the environment */
		SERVICE,	/* starts it from another process's environment, unless --scope is among the options */
		MACHINE,	/* a first word that is no option is the machine */
		CONTAINER,	/* with other files than here */
	} kind;
} starters[] = {
	{ " mpirun mpiexec orterun prun prterun oshrun shmemrun mpiexec.hydra mpirun.openmpi mpiexec.openmpi "
	  "mpirun.mpich mpiexec.mpich mpirun_rsh ", MPI_VALUED, MPI_DOUBLE, "", 0, MPI },
	{ " srun ", " A B b C c D d e G i J L M m N n o p q r S T t U w x ntasks nodes cpus-per-task ", "", "", 0, MPI },
	{ " aprun jsrun lrun ibrun ", " n N d S j cc L e a c g r l b E m q ", "", "", 0, MPI },
	{ " env ", " u unset C chdir S split-string ", "", "", 0, ASSIGNS },
	{ " taskset ", "", "", "", 1, PLAIN },
	{ " numactl ", " i interleave w weighted-interleave p preferred P preferred-many m membind N cpunodebind C "
	  "physcpubind cpubind ", "", "", 0, PLAIN },
	{ " hwloc-bind ", " mempolicy ", "", "", 1, PLAIN },
	{ " gdb cgdb lldb cuda-gdb ", " x ex ix iex command eval-command cd d directory symbols s exec se core c pid p tty b o ",
	  "", "", 0, DEBUGGER },
	{ " gdbserver ", "", "", "", 1, PLAIN },
	{ " valgrind catchsegv nohup setsid eatmydata ", "", "", "", 0, PLAIN },
	{ " strace ", " a b e E I o O p P s S u U X attach output string-limit user trace-path columns env trace abbrev "
	  "verbose raw signal status read write fault inject interruptible summary-sort-by summary-columns ", "", "", 0,
	  PLAIN },
	{ " ltrace ", " a A D e F l n o p s u w x output indent align where library config ", "", "", 0, PLAIN },
	{ " perf ", " e o F c p t C r u m D G I x j k M output event freq count cpu pid tid call-graph repeat delay "
	  "mmap-pages interval-print field-separator max-stack ",
	  "", " stat record trace ftrace mem lock sched c2c kmem ", 0, PLAIN },
	{ " uftrace ", " A b C D d E F f H K L N P r R S s T t U W Z argument buffer caller-filter data depth Event filter "
	  "output-fields hide host kernel-depth loc-filter notrace opt-file patch port retval rt-prio script size-filter "
	  "time-filter time-range trigger unpatch watch max-stack num-thread pid p ", "", " record live ", 0, PLAIN },
	{ " heaptrack ", " o output ", "", "", 0, PLAIN },
	{ " rr ", " n o output-trace-dir ", "", " record ", 0, PLAIN },
	{ " faketime ", "", "", "", 1, PLAIN },
	{ " time ", " f o format output ", "", "", 0, PLAIN },
	{ " nice ionice ", " n adjustment c p P u class classdata ", "", "", 0, PLAIN },
	{ " prlimit ", " o output p pid ", "", "", 0, PLAIN },
	{ " stdbuf ", " i o e input output error ", "", "", 0, PLAIN },
	{ " setpriv ", " reuid ruid euid regid rgid egid groups inh-caps ambient-caps bounding-set securebits pdeathsig "
	  "selinux-label apparmor-profile ", "", "", 0, BECOMES },
	{ " runuser ", " u user g group G supp-group w whitelist-environment ", "", "", 0, BECOMES },
	{ " sudo doas ", " C D g h p R r T t U u chdir group host prompt chroot role command-timeout type user ", "", "", 0,
	  STRIPS },
	{ " systemd-run ", " p property u unit slice description E setenv M machine H host uid gid nice working-directory "
	  "service-type slice on-active on-boot on-startup on-unit-active on-unit-inactive on-calendar timer-property "
	  "path-property socket-property background ", "", "", 0, SERVICE },
	{ " unshare ", " S G R w l setuid setgid root wd map-user map-group map-users map-groups propagation setgroups "
	  "monotonic boottime load-interp ", "", "", 0, PLAIN },
	{ " cgexec ", " g ", "", "", 0, PLAIN },
	{ " timeout ", " s k signal kill-after ", "", "", 1, PLAIN },
	{ " chrt ", " T P D sched-runtime sched-period sched-deadline ", "", "", 1, PLAIN },
	{ " setarch ", "", "", "", 0, MACHINE },
	{ " linux32 linux64 i386 x86_64 uname26 ", "", "", "", 0, PLAIN },
	{ " likwid-pin likwid-perfctr likwid-mpirun ", " c C g s np n nperdomain pin o t T S d V M mpi omp hostfile ", "", "", 0,
	  PLAIN },
	{ " apptainer singularity ", " B bind H home W workdir pwd cwd env env-file overlay S scratch app network "
	  "network-args dns hostname security add-caps drop-caps apply-cgroups mount fusemount keep-privs "
	  "docker-username docker-password pem-path cpus cpuset-cpus cpuset-mems memory c config ", "", " exec ", 1,
	  CONTAINER },
};

static bool has_word(const char *words, const char *word, size_t length)
{
	for (const char *p = words; (p = strchr(p, ' ')) && p[1]; p++) {
		if (!strncmp(p + 1, word, length) && p[1 + length] == ' ')
			return true;
	}
	return false;
}

static const struct starter *find_starter(const char *name)
{
	name = hyb_program_base(name);
	for (size_t i = 0; i < sizeof(starters) / sizeof(starters[0]); i++) {
		if (has_word(starters[i].names, name, strlen(name)))
			return &starters[i];
	}
	return NULL;
}

static bool is_command(const char *word)
{
	char *path = hyb_program_path(word);

	free(path);
	return path != NULL;
}

/*
 * How many words behind short options in one word, such as -fo, belong to it: the first of them that takes a value has
 * the rest of the word, or the next one.
 */
static int bundle_words(const struct starter *s, const char *letters)
{
	for (; *letters; letters++) {
		if (has_word(s->valued, letters, 1))
			return !letters[1];
	}
	return 0;
}

/* How many words behind this option belong to it. */
static int option_words(const struct starter *s, char *const option[])
{
	const char *name = option[0] + strspn(option[0], "-");
	size_t length = strlen(name);

	if (strchr(name, '='))
		return 0;
	if (has_word(s->doubles, name, length))
		return option[1] && strchr(option[1], '=') && strstr(name, "env") ? 1 : 2;	/* NAME=VALUE, NAME VALUE */
	if (has_word(s->valued, name, length))
		return 1;
	/* The others have no long options behind a single dash. */
	if (s->kind != MPI && s->kind != DEBUGGER && option[0][1] != '-')
		return bundle_words(s, name);
	/* Not known: a word that could be started is the command, any other may well be the option's. */
	return s->kind == MPI && option[1] && option[1][0] != '-' && !is_command(option[1]);
}

/* NAME=VALUE, as mpirun_rsh takes it in front of the program. */
static bool is_assignment(const char *word)
{
	size_t n = strspn(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");

	return n && word[n] == '=';
}

/* Whether any of the words between argv[from] and argv[to] is, or begins with, `word`. */
static bool has_option(char *const argv[], size_t from, size_t to, const char *word)
{
	for (size_t i = from; i < to && argv[i]; i++) {
		if (!strncmp(argv[i], word, strlen(word)))
			return true;
	}
	return false;
}

/* Index of the command that the one at argv[i] starts, or of the end. */
static size_t skip_own_words(const struct starter *s, char *const argv[], size_t i)
{
	int words = s->words;

	if (s->kind == MACHINE && argv[i + 1] && argv[i + 1][0] != '-')
		words = 1;
	for (i++; argv[i]; i++) {
		int own;

		if (!strcmp(argv[i], "--"))
			return i + 1;
		if (s->kind == DEBUGGER && (!strcmp(argv[i], "--args") || !strcmp(argv[i], "-args")))
			return i + 1;
		if (argv[i][0] == '-' && argv[i][1]) {
			own = option_words(s, argv + i);
			while (own-- > 0 && argv[i + 1])
				i++;
			continue;
		}
		if ((s->kind == ASSIGNS || s->kind == STRIPS) && (strchr(argv[i], '=') || !strcmp(argv[i], "-")))
			continue;
		if (s->kind == MPI && is_assignment(argv[i]))
			continue;
		if (has_word(s->leading, argv[i], strlen(argv[i])))
			continue;
		if (words-- <= 0)
			return i;
	}
	return i;
}

static void seen_library(const char *name, void *context)
{
	if (!strncmp(name, "libopen-", 8) || !strncmp(name, "libprrte.", 9) || !strncmp(name, "libmpi.so.40", 12))
		*(bool *)context = true;
}

/* Open MPI's launcher has many names, and some of them are others' too: its libraries tell. */
static bool is_openmpi(const char *name)
{
	char *path = hyb_program_path(name);
	char *real = path ? realpath(path, NULL) : NULL;
	const char *base = hyb_program_base(real ? real : name);
	struct hyb_elf elf;
	bool yes = !strcmp(base, "orterun") || !strcmp(base, "prterun") || !strcmp(base, "prun") ||
		   !strcmp(base, "oshrun") || strstr(base, "openmpi");

	if (!yes && real && !hyb_elf_open(&elf, real)) {
		hyb_elf_needed(&elf, seen_library, &yes);
		hyb_elf_close(&elf);
	}
	free(real);
	free(path);
	return yes;
}

static void add_program(struct hyb_launch *l, size_t i)
{
	size_t *grown = hyb_tool_alloc((l->count + 1) * sizeof(*grown));

	if (l->count)
		memcpy(grown, l->programs, l->count * sizeof(*grown));
	free(l->programs);
	grown[l->count++] = i;
	l->programs = grown;
}

/*
 * The value that argv[i], one of the words behind argv[from], gives LD_PRELOAD; NULL: none. As in LD_PRELOAD=VALUE, which
 * may be an option's argument or a part of it (--export=ALL,LD_PRELOAD=VALUE), or as the word behind -genv LD_PRELOAD.
 */
static const char *find_preload(char *const argv[], size_t from, size_t i)
{
	const char *name = strstr(argv[i], PRELOAD "=");

	if (name && (name == argv[i] || strchr("=,", name[-1])))
		return name + strlen(PRELOAD "=");
	if (i < from + 2 || strcmp(argv[i - 1], PRELOAD) || argv[i - 2][0] != '-')
		return NULL;
	name = argv[i - 2] + strspn(argv[i - 2], "-");
	return has_word(MPI_DOUBLE, name, strlen(name)) ? argv[i] : NULL;
}

/* Which of an MPI launcher's words are told in the options in front of a command. */
static void look_at_options(struct hyb_launch *l, char *const argv[], size_t from, size_t to)
{
	static const char picking[] = " genvnone genvlist envnone envlist export ";

	for (size_t i = from; i < to && argv[i]; i++) {
		const char *name = argv[i] + strspn(argv[i], "-");
		size_t length = strcspn(name, "=");

		if (name == argv[i])
			continue;
		if (has_word(" app configfile ", name, length))
			l->opaque = true;
		if (has_word(picking, name, length) && strncmp(name, "export=ALL", 10))
			l->picky = true;
	}
}

/* Whether env, in its words between argv[from] and argv[to], takes all variables away and does not name us anew. */
static bool empties(char *const argv[], size_t from, size_t to)
{
	bool empty = false;
	size_t length;

	for (size_t i = from; i < to && argv[i]; i++) {
		if (!strcmp(argv[i], "-") || !strcmp(argv[i], "-i") || !strcmp(argv[i], "--ignore-environment"))
			empty = true;
		if (!strncmp(argv[i], PRELOAD "=", strlen(PRELOAD "=")) && hyb_preload_find(argv[i], &length))
			return false;
	}
	return empty;
}

/* Whether LD_PRELOAD is taken away or emptied between argv[from] and argv[to]. */
static bool unsets(char *const argv[], size_t from, size_t to)
{
	for (size_t i = from; i < to && argv[i]; i++) {
		const char *value = find_preload(argv, from, i);
		const char *name = argv[i];

		if (value && !*value)
			return true;
		if (!strcmp(name, "-u") || !strcmp(name, "--unset"))
			name = i + 1 < to ? argv[i + 1] : name;
		else if (!strncmp(name, "-u", 2) || !strncmp(name, "--unset=", 8))
			name += name[1] == 'u' ? 2 : 8;
		else
			continue;
		if (!strcmp(name, PRELOAD))
			return true;
	}
	return false;
}

/*
 * Whom a command that changes the user is told to become, in its words between argv[from] and argv[to]; NULL: nobody.
 */
static const char *find_user(char *const argv[], size_t from, size_t to)
{
	for (size_t i = from; i < to && argv[i]; i++) {
		const char *name = argv[i] + strspn(argv[i], "-");
		size_t length = strcspn(name, "=");

		if (name != argv[i] && has_word(" reuid euid u user ", name, length))
			return name[length] ? name + length + 1 : argv[i + 1];
	}
	return NULL;
}

/* Follows starters from argv[i] on to the program. */
static void follow(struct hyb_launch *l, char *const argv[], size_t i)
{
	const struct starter *s;
	size_t next;

	while (argv[i] && strcmp(argv[i], ":") && (s = find_starter(argv[i]))) {
		next = skip_own_words(s, argv, i);
		if (s->kind == MPI && l->mpi == HYB_LAUNCH_NONE) {
			l->mpi = is_openmpi(argv[i]) ? HYB_LAUNCH_OPENMPI : HYB_LAUNCH_OTHER;
			l->launcher = i;
		}
		if (s->kind == MPI)
			look_at_options(l, argv, i + 1, next);
		if (s->kind == ASSIGNS)
			l->emptied |= empties(argv, i + 1, next);
		if ((s->kind == ASSIGNS || s->kind == MPI) && unsets(argv, i + 1, next))
			l->stripper = hyb_program_base(argv[i]);
		l->contained |= s->kind == CONTAINER;
		if (s->kind == STRIPS || (s->kind == SERVICE && !has_option(argv, i + 1, next, "--scope")))
			l->stripper = hyb_program_base(argv[i]);
		if (s->kind == BECOMES && find_user(argv, i + 1, next))
			l->user = find_user(argv, i + 1, next);
		i = next;
	}
	if (argv[i] && strcmp(argv[i], ":"))
		add_program(l, i);
	else
		l->opaque = true;
}

void hyb_launch_read(struct hyb_launch *l, char *const argv[])
{
	const struct starter *mpi;

	memset(l, 0, sizeof(*l));
	follow(l, argv, 0);
	if (l->mpi == HYB_LAUNCH_NONE)
		return;
	/* Several programs: each colon begins with options again. */
	mpi = find_starter(argv[l->launcher]);
	for (size_t i = l->launcher + 1; argv[i]; i++) {
		size_t next;

		if (strcmp(argv[i], ":"))
			continue;
		next = skip_own_words(mpi, argv, i);
		look_at_options(l, argv, i + 1, next);
		follow(l, argv, next);
	}
}

void hyb_launch_free(struct hyb_launch *l)
{
	free(l->programs);
	memset(l, 0, sizeof(*l));
}

/* Length of the name in NAME or NAME=VALUE if it is `variable`'s, else 0. */
static size_t names(const char *word, const char *variable)
{
	size_t n = strlen(variable);

	return !strncmp(word, variable, n) && (!word[n] || word[n] == '=') ? n : 0;
}

/* Whether the user hands it on himself, with his options between argv[from] and argv[to]. */
static bool is_handed_on(char *const argv[], size_t from, size_t to, const char *variable)
{
	for (size_t i = from; i + 1 < to; i++) {
		if (!strcmp(argv[i], "-x") && names(argv[i + 1], variable))
			return true;
	}
	return false;
}

/* The word argv[i] with `preload` in the value that it gives LD_PRELOAD. A value that is empty is to stay so. */
static char *with_preload(char *const argv[], size_t from, size_t i, const char *preload)
{
	const char *value = find_preload(argv, from, i);
	size_t length, front;
	char *list, *word;

	if (!value || !*value)
		return argv[i];
	length = value == argv[i] ? strlen(value) : strcspn(value, ",");
	list = hyb_tool_format("%.*s", (int)length, value);
	front = hyb_preload_front(list);
	word = hyb_preload_find(list, &length) ? argv[i] :
	       hyb_tool_format("%.*s%.*s%s%s%s%s%s", (int)(value - argv[i]), argv[i], (int)front, list, front ? ":" : "",
			       preload, list[front] ? ":" : "", list + front + strspn(list + front, HYB_PRELOAD_SEPARATORS),
			       value + strlen(list));
	free(list);
	return word;
}

char **hyb_launch_export(const struct hyb_launch *l, char *const argv[], const char *const *variables,
			 const char *preload)
{
	const struct starter *mpi = l->mpi == HYB_LAUNCH_NONE ? NULL : find_starter(argv[l->launcher]);
	size_t options = 0, options_end = 0;
	char **list = NULL;

	for (size_t i = 0; argv[i]; i++) {
		bool begins = mpi && (i == l->launcher || (i > l->launcher && !strcmp(argv[i], ":")));

		hyb_tool_add(&list, i >= options && i < options_end ? with_preload(argv, options, i, preload) : argv[i]);
		if (!begins)
			continue;
		options = i + 1;
		options_end = skip_own_words(mpi, argv, i);
		for (const char *const *v = variables; *v; v++) {
			if (is_handed_on(argv, i + 1, options_end, *v))
				continue;
			hyb_tool_add(&list, hyb_tool_format("-x"));
			hyb_tool_add(&list, hyb_tool_format("%s", *v));
		}
	}
	return list;
}
