# SPDX-License-Identifier: BSD-3-Clause
# What test scripts share: TAP, a folder to work in, running MPI programs with and without the library and
# comparing what they show and what was recorded. Read after $HYB_TEST_ENV; doc in test/README.md.
# shellcheck shell=sh disable=SC2154 # variables of env.sh

hyb_script=$0
case $0 in
*/run.sh) hyb_script=${1%.tbl}.test ;;
esac
# why a recording may be made once more: see repeatable
hyb_chance=$(sed -n 's/^# by chance: //p' "$hyb_script")
hyb_again=
retries=0

hyb_here=$(cd "$(dirname "$0")" && pwd) || exit 99
hyb_print=$hyb_build/tools/hybmon-print
hyb_merge=$hyb_build/tools/hybmon-merge
# as many formats as this build can write, for tests of the merge itself
hyb_any=${hyb_otf2:+otf2,}samples
hyb_python=
for candidate in /usr/bin/python3 python3; do
	if "$candidate" -c 'import otf2' 2>/dev/null; then
		hyb_python=$candidate
		break
	fi
done

# Version managers put a script before it, which takes seven times as long to start.
if [ -x /usr/bin/python3 ]; then
	python3()
	{
		/usr/bin/python3 "$@"
	}
fi

# A test is to see what it sets and no more.
for variable in $(env | sed -n 's/^\(HYBMON_[A-Za-z0-9_]*\)=.*/\1/p'); do
	unset "$variable"
done
unset LD_PRELOAD TEST_EXPECT TEST_COUNT TEST_TOOL
export LC_ALL=C
# Open MPI: tests may run as root, and with more ranks than there are cores
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1 PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
# Debian 13's Open MPI warns on each start that other interfaces do not reach themselves
export OMPI_MCA_btl_tcp_if_include=lo
export ASAN_OPTIONS="${ASAN_OPTIONS:-detect_leaks=0}"
# milliseconds: a machine that is busy is waited for, since a short program could end before the kernel's data begins
export HYBMON_KERNEL_WAIT=60000

work=$(mktemp -d "${TMPDIR:-/tmp}/hybmon-test-XXXXXX") || exit 99
hyb_declared=$(sed -n 's/^# programs: *//p' "$0")
tests=0
failures=0
# a fault that is known: of all that comes, which fails each time; and of what comes, which may fail
todo=
fault=

# left_behind FOLDER: what its processes left outside of their experiments: links by which a launcher finds them,
# spools. Succeeds if it is nothing.
left_behind()
{
	find /dev/shm -maxdepth 1 -lname "$1/*" 2>/dev/null
	find "$1" -path '*/spool/*'
}

tidy()
{
	[ -z "$(left_behind "$1")" ] || {
		left_behind "$1"
		return 1
	}
}

# Where something failed, what it left is kept to be looked at.
finish()
{
	[ ! -s "$work/unbuilt" ] || not_ok 'its programs are built' "$work/unbuilt"
	[ -z "${hyb_keeps-}" ] || [ "$failures" -gt 0 ] || keep_recordings
	if [ "$failures" -eq 0 ] && [ -z "${TEST_KEEP-}" ]; then
		rm -rf "$work"
	else
		echo "# see $work"
	fi
	[ "$retries" -eq 0 ] || echo "# repeated $retries"
	echo "1..$tests"
	trap - EXIT
	exit 0
}
trap 'echo "Bail out! $0 ended early"; exit 1' EXIT

ok()
{
	tests=$((tests + 1))
	echo "ok $tests - $1${todo:+ # TODO $todo}"
}

# not_ok WHAT [FILE...]: the files' first lines say why. With $todo or $fault set it is known and the reason.
not_ok()
{
	tests=$((tests + 1))
	known=${todo:-$fault}
	[ -n "$known" ] || failures=$((failures + 1))
	echo "not ok $tests - $1${known:+ # TODO $known}"
	shift
	for file; do
		sed 's/^/#   /; 30q' "$file"
	done
}

skip()
{
	tests=$((tests + 1))
	echo "ok $tests - $1 # SKIP $2"
}

# repeatable COMMAND...: makes a recording for the checks that follow. A test that judges what the machine did, too, has a
# line `# by chance: WHY`. There, the first check that fails makes the recording again, by the same command, and is done
# again; its log has both. scripts/test.sh counts these.
repeatable()
{
	hyb_again=
	for word; do
		hyb_again="$hyb_again '$(printf '%s\n' "$word" | sed "s/'/'\\\\''/g")'"
	done
	"$@"
}

# repeat COMMAND...: whether the check passes the second time
repeat()
{
	[ -n "$hyb_chance" ] && [ -n "$hyb_again" ] || return
	retries=$((retries + 1))
	sed "s/^/# first attempt at $what: /; 30q" "$work/check.out"
	case ${folder-} in
	"$work"/*) rm -rf "$folder" ;;
	esac
	eval "$hyb_again" >"$work/again.out" 2>&1
	[ "$hyb_again" = " ':'" ] || hyb_again=
	"$@" >"$work/check.out" 2>&1
}

# check WHAT COMMAND...: passes if the command does; what the command prints says why not
check()
{
	what=$1
	shift
	if "$@" >"$work/check.out" 2>&1 || repeat "$@"; then
		ok "$what"
	else
		not_ok "$what" "$work/check.out"
	fi
}

# same WHAT EXPECTED GOT: two files
same()
{
	if diff "$2" "$3" >"$work/same.diff" 2>&1; then
		ok "$1"
	else
		not_ok "$1" "$work/same.diff"
	fi
}

mpi_cc()
{
	eval "printf '%s\n' \"\$${1}_cc\""
}

# mpi_program MPI NAME: where the program is. One that make was not told of, or did not build, is a failure of the whole
# test, also where the test takes it for something that the machine lacks.
mpi_program()
{
	case " $hyb_declared " in
	*" $2 "*) ;;
	*) echo "$2 is not named in \`# programs:' of $0" >>"$work/unbuilt" ;;
	esac
	[ -x "$hyb_build/test/$1/$2" ] || echo "test/$1/$2 is not there: make test/$1/$2" >>"$work/unbuilt"
	printf '%s\n' "$hyb_build/test/$1/$2"
}

# lacks ID: what this build lacks, by its id in src/core/config/optional.tbl.h
lacks()
{
	case " $hyb_missing " in
	*" $1 "*) return 0 ;;
	esac
	return 1
}

# needs_mpi: the whole test is left out of a build without MPI
needs_mpi()
{
	[ -z "$hyb_mpis" ] || return 0
	skip 'programs with MPI' 'this build has no MPI'
	finish
}

# named WHAT COMMAND...: the same as a check, where it is about lines of the source or names of functions
named()
{
	if lacks LIBDW; then
		skip "$1" 'this build lacks libdw, so that code has no names and lines'
	else
		check "$@"
	fi
}

# has_fortran MPI
has_fortran()
{
	eval "[ -n \"\$${1}_fc\" ]"
}

# host_program NAME: compiles NAME.c, which knows no MPI and lies beside the test or here, the first time; prints where
# it is then
host_program()
{
	host_source=$hyb_here/$1.c
	[ -f "$host_source" ] || host_source=$hyb_source/test/lib/$1.c
	[ -x "$work/$1" ] || "$hyb_cc" -O1 -I"$hyb_source/src" "$host_source" -o "$work/$1" -ldl -lpthread >&2 || return 1
	printf '%s\n' "$work/$1"
}

# What a launcher says differs from run to run in numbers and addresses, and in how often it says it.
normalise()
{
	sed -e '/^hybmon\[/d' -e 's/0x[0-9a-f]*/X/g; s/[0-9][0-9]*/N/g' "$@" | sort -u
}

# launch FOLDER MPI RANKS COMMAND...: runs it under the launcher in FOLDER/cwd, with all outputs in FOLDER. The
# library is preloaded if $preload says so, the row's variables are in $variables. Leaves the exit status in $status.
launch()
{
	launch_once "$@"
	# MPICH's launcher is ended by SIGPIPE in one of some 1,200 runs, also without the library.
	[ "$status" -eq 141 ] && [ "$2" = mpich ] || return 0
	rm -rf "$1/cwd" "$1/expect" "$1/count"
	launch_once "$@"
}

launch_once()
{
	folder=$1
	eval "mpirun=\$${2}_mpirun"
	ranks=$3
	shift 3
	mkdir -p "$folder/cwd" "$folder/expect" "$folder/count"
	status=0
	# shellcheck disable=SC2086 # one word a variable
	(cd "$folder/cwd" && exec env TEST_EXPECT="$folder/expect" TEST_COUNT="$folder/count" $variables \
		${preload:+LD_PRELOAD="$preload"} timeout -k 10 "${TEST_TIMEOUT:-300}" \
		"$mpirun" -n "$ranks" sh "$hyb_source/test/lib/rank.sh" "$folder" "$@" \
		>"$folder/mpirun.stdout" 2>"$folder/mpirun.stderr" </dev/null 3<&-) || status=$?
	echo "exit status $status" >"$folder/status"
	cat "$folder"/*.stderr | grep '^hybmon\[' | grep -v ': note: recorded into ' |
		grep -v ': note: hybmon-collect was not ready within 500 ms, ' >"$folder/said"
}

# before_end FILE: what is on a standard error, less what hybmon run says of a recording in the end
before_end()
{
	sed '/^hybmon run: recorded into /,/^    more/d' "$1"
}

# print_otf2 ARGUMENT...: otf2-print makes tables of 190 MB first, whatever the archive; large pages take it a third of
# the time.
print_otf2()
{
	GLIBC_TUNABLES=glibc.malloc.hugetlb=1 otf2-print "$@"
}

# experiments FOLDER: the experiment directories in it
experiments()
{
	find "$1" -name manifest -exec grep -l '^hybmon experiment manifest' {} + | sed 's,/manifest$,,' |
		sort
}

# collectors_end EXPERIMENT: once its collectors have ended; false if one did without saying so. One in a pid namespace
# of its own must be gone already.
collectors_end()
{
	for file in "$1"/*.kernel*/manifest; do
		[ -f "$file" ] || {
			echo "there is no collector: $file"
			return 1
		}
		while ! grep -q '^state: ended' "$file"; do
			sleep 0.05
			[ -d "/proc/$(sed -n 's/^pid: *\([0-9]*\).*/\1/p' "$file")" ] || grep -q '^state: ended' "$file" || {
				echo "a collector is gone and did not say that it ended: $file"
				return 1
			}
		done
	done
}

# Virtual machines may hide from tracers what interrupts an idle CPU: none is idle until `rest`, or until the test is killed.
keep_busy()
{
	busy=
	for cpu in $(seq "$(nproc)"); do
		# shellcheck disable=SC2016 # for that shell
		nice -n 19 sh -c 'while [ -d "/proc/$1" ]; do n=0; while [ $n -lt 50000 ]; do n=$((n + 1)); done; done' sh $$ &
		busy="$busy $!"
	done
}

rest()
{
	# shellcheck disable=SC2086 # one word each
	kill $busy
	wait $busy 2>/dev/null
}

# take_turns: leaves in $next the MPIs for the next row: one after the other, with TEST_ALL all of them each time
take_turns()
{
	next=$hyb_mpis
	[ -z "${TEST_ALL-}" ] || return 0
	hyb_turns=${hyb_turns:-$hyb_mpis}
	next=${hyb_turns%% *}
	hyb_turns=$(echo "${hyb_turns#"$next"} $next" | sed 's/^ *//')
}

# For tests of what is the same whatever the MPI: with sanitizers, which take their time, one of them is enough.
one_mpi_is_enough()
{
	[ -z "$hyb_sanitizers" ] || hyb_mpis=$(echo "$hyb_mpis" | awk '{ print $NF }')
}

# seen_without_sanitizers WHY: the whole test is left out of a build with sanitizers, where what it would run of ours is
# looked at by others: these are for mistakes with memory, and take their time.
seen_without_sanitizers()
{
	[ -n "$hyb_sanitizers" ] || return 0
	skip 'with sanitizers' "$1"
	finish
}

# knows_cxx: a library is there that makes names of symbols of C++
knows_cxx()
{
	PATH=$PATH:/sbin ldconfig -p 2>/dev/null | grep -q 'libstdc++\.so\.6\|libc++abi\.so\.1'
}

# runtime_broken STDERR: LLVM's OpenMP runtime ended a program in an assertion of its own about tasks that wait for each
# other, as it does without hybmon: 4 of 6,600 runs of ompt/tasks.c on a busy machine, with libomp 14 and 19. (One fault
# of that kind is https://github.com/llvm/llvm-project/issues/85963.) Such a run shows nothing of hybmon.
runtime_broken()
{
	grep -q 'Assertion failure at kmp_taskdeps.h' "$1"
}

# launcher_broken FOLDER: a sanitizer found a fault of the launcher's own and ended it; Open MPI's mpirun 4.1.4 now
# and then uses freed memory after MPI_Abort
launcher_broken()
{
	grep -q 'ERROR: AddressSanitizer' "$1/mpirun.stderr" &&
		! grep -q 'libhybmon\|/src/\(base\|record\|process\|pmpi\)/' "$1/mpirun.stderr"
}

# both_failed FOLDER FOLDER: of a job that dies launchers report the end of one rank or another, by chance, also
# without the library; that it failed is what is sure
both_failed()
{
	! grep -qx 'exit status 0' "$1/status" "$2/status" || forgets_signals
}

# The launcher of MPICH 4.2.1 ends with 0 in one of ten jobs in which a signal kills a rank, also without the library.
forgets_signals()
{
	[ "$mpi" = mpich ] && case $mpich_name in *' 4.2.'*) ;; *) false ;; esac
}

# shown_same FOLDER FOLDER: what can be seen from outside of two runs, with and without the library
shown_same()
{
	cmp "$1/status" "$2/status" || return 1
	for file in "$1"/rank.*.stdout; do
		diff "$file" "$2/${file##*/}" || return 1
	done
	[ "$(find "$2" -maxdepth 1 -name 'rank.*' | wc -l)" -eq \
	  "$(find "$1" -maxdepth 1 -name 'rank.*' | wc -l)" ] || return 1
	[ -n "${3-}" ] && return 0
	for file in "$1"/*.stderr "$1"/mpirun.stdout; do
		normalise "$file" >"$work/before"
		normalise "$2/${file##*/}" >"$work/after"
		diff "$work/before" "$work/after" || return 1
	done
}

# expected FOLDER: what the program says it did, by rank and thread
expected()
{
	(cd "$1/expect" && ls) | sort -t. -k1,1n -k2,2n | while read -r name; do
		cat "$1/expect/$name"
	done | sends_first
}

# recorded EXPERIMENT: the same as the tool prints it
recorded()
{
	"$hyb_print" --events --no-times "$1" | grep -vE '^[^ ]+ (process|stream|stands) ' | without_meetings |
		completions_first | sends_first
}

# Programs do not say of which communicator all members make a call that moves no data; programs/meetings.c does.
without_meetings()
{
	awk '
		meets && /^[^ ]+   coll / && / sent=0 received=0$/ { next }
		$2 ~ /^(enter|leave)$/ { meets = $2 == "leave" && $3 ~ /^MPIX?_((Comm_(dup|create|split|free|disconnect|accept|connect|spawn|shrink)|Inter|Cart_|Graph_create|Dist_graph_create)|Finalize$)/ }
		{ print }'
}

# A send of which not all was known before the call comes with its Leave, but with its Enter where the call was so short
# that both are one record.
sends_first()
{
	awk '
		leave && /^[^ ]+   send / { print; next }
		leave { print leave; leave = "" }
		/^[^ ]+ leave MPI_I?[SsBbRr]?[Ss]end(recv(_replace)?)?(_c)?$/ { leave = $0; next }
		{ print }
		END { if (leave) print leave }'
}

# What calls with several requests did stands before their Leave, as programs say it, and in a group of its own where it
# is much; where it is little it is printed with the Leave.
completions_first()
{
	awk '
		{ first = /^[^ ]+   / && $2 != "error" }
		leave ~ /any$/ { first = $2 == "tested" }
		first { print; next }
		leave { print leave; leave = "" }
		/^[^ ]+ leave MPI_(Startall|Testany|(Wait|Test)(all|some))$/ { leave = $0; next }
		{ print }
		END { if (leave) print leave }'
}

# manifest EXPERIMENT RANK KEY: a line of the manifest of that rank
manifest()
{
	for file in "$1"/*/manifest; do
		if grep -q "^rank: $2 *$" "$file"; then
			sed -n "s/^$3: //p" "$file" | sed 's/ *$//'
		fi
	done
}

# kernel_events EXPERIMENT: prints the events, with each task by the number that it has for itself. In a PID namespace
# perf shows tasks by their numbers in the first one; definitions have both.
kernel_events()
{
	"$hyb_print" --defs "$1" | sed -n 's/.* def task .* id=\([0-9]*\) tid=\([0-9]*\) .*/\1 \2/p' |
		awk '$1 != $2 && $2' >"$work/tids"
	if ! [ -s "$work/tids" ]; then
		"$hyb_print" --events "$1"
		return
	fi
	"$hyb_print" --events "$1" | awk '
		NR == FNR { tid[$1] = $2; next }
		{
			for (i = 1; i <= NF; i++) {
				if ($i !~ /^[a-z]+=.*\/[0-9]+$/)
					continue
				at = match($i, /[0-9]+$/)
				id = substr($i, at)
				if (id in tid) {
					was = $i
					place = index($0, " " was)
					$0 = substr($0, 1, place) substr(was, 1, at - 1) tid[id] substr($0, place + 1 + length(was))
				}
			}
			print
		}' "$work/tids" -
}

# counted FOLDER EXPERIMENT: for each rank, the calls recorded and the calls lost are those it has made: each
# thread may have died between the Leave and its own count. The manifest has what no stream has, and the streams what
# was lost after the manifest was last written.
counted()
{
	counter=$(host_program count) || return 1
	for rank in $(cd "$1/count" && ls | sed 's/\..*//' | sort -un); do
		process=$(grep -l "^rank: $rank *$" "$2"/*/manifest) || {
			echo "rank $rank left no manifest"
			return 1
		}
		lost=$(manifest "$2" "$rank" lost)
		"$counter" "${process%/manifest}"/thread-*.hyb >"$work/streams" || return 1
		od -An -v -w8 -tu8 "$1/count/$rank".* | awk -v rank="$rank" -v lost="$lost" '
			NR == FNR { made += $1; threads++; next }
			{ recorded += $5; open += $3 - $5; gone += $7; bad += $11 }
			END {
				difference = recorded + (gone > lost ? gone : lost) - made
				if (bad || open > threads || difference < 0 ||
				    difference > threads) {
					print "rank " rank ": made " made ", recorded " recorded ", open " \
						open ", lost " lost ", of them in streams " gone ", bad " bad
					exit 1
				}
			}' - "$work/streams" || return 1
	done
}

# Each one-sided operation that was recorded is in the archive.
operations_alike()
{
	records=$("$hyb_print" --events --no-times "$1" |
		grep -cE '^[^ ]+   rma (put|get|accumulate|get-accumulate|fetch-and-op|compare-and-swap) ')
	archived=$(grep -cE '^RMA_(PUT|GET|ATOMIC) ' "$1.otf2")
	[ "$records" -eq "$archived" ] || {
		echo "one-sided operations: recorded $records, in the archive $archived"
		return 1
	}
}

# merged EXPERIMENT [ARGUMENT-OF-THE-CHECK...]: merges it, reads the result with tools that are not ours
merged()
{
	experiment=$1
	shift
	"$hyb_merge" "$experiment" >"$experiment.summary" 2>"$experiment.merge-errors" || {
		cat "$experiment.merge-errors"
		return 1
	}
	if [ -s "$experiment.merge-errors" ]; then
		cat "$experiment.merge-errors"
		return 1
	fi
	print_otf2 "$experiment/traces.otf2" >"$experiment.otf2" 2>"$experiment.otf2-errors" || return 1
	if [ -s "$experiment.otf2-errors" ] || grep -i 'warning' "$experiment.otf2"; then
		cat "$experiment.otf2-errors"
		return 1
	fi
	operations_alike "$experiment" || return 1
	[ -z "$hyb_python" ] || "$hyb_python" "$hyb_source/test/lib/otf2-check.py" "$@" "$experiment/traces.otf2"
}

# merged_anyhow EXPERIMENT: into what any build can write, without a complaint; the summary is where merged leaves it
merged_anyhow()
{
	"$hyb_merge" --to=samples "$1" >"$1.summary" 2>"$1.merge-errors" && [ ! -s "$1.merge-errors" ] || {
		cat "$1.merge-errors"
		return 1
	}
}

# check_merged WHAT EXPERIMENT [ARGUMENT-OF-THE-CHECK...]: a check of merged, or of merged_anyhow in a build without OTF2
check_merged()
{
	merged_what=$1
	shift
	if lacks OTF2; then
		check "$merged_what, without OTF2" merged_anyhow "$1"
	else
		check "$merged_what" merged "$@"
	fi
}
