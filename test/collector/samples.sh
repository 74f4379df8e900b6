# shellcheck shell=sh
# SPDX-License-Identifier: BSD-3-Clause
# What tests of samples have in common: part of samples.test and unwind.test, after lib.sh. A run's outputs are in
# $folder, what was recorded in $experiment.

merge_samples()
{
	# It may have had nothing to do.
	for each in "$experiment"/*.kernel; do
		[ ! -d "$each" ] || collectors_end "$experiment"
	done
	"$hyb_merge" -q -f --to=samples "$experiment" >"$folder/summary" 2>&1
}

ended_well()
{
	cat "$folder/status" "$folder"/*.stderr "$folder/summary" 2>/dev/null
	grep -q '^exit status 0$' "$folder/status" && [ -s "$experiment/samples.txt" ]
}

# shares PARTS...: what the program says that these took is what the samples say, each within 3 points of all. What calls
# and faults took is mostly the kernel's.
shares()
{
	awk -v parts="$*" '
		BEGIN { count = split(parts, part, " "); for (i = 1; i <= count; i++) wanted[part[i]] = 1 }
		FILENAME ~ /stdout$/ { if ($1 in wanted) { took[$1] += $2; all += $2 } next }
		/^By / { table = $2 $3 $4; next }
		/ samples of / { total = $5 }
		table == "function" && $5 in wanted { sampled[$5] += ($5 == "calls" || $5 == "faults" ? $2 * total / 100 : $3) }
		END {
			if (!all) { print "the program says nothing"; exit 1 }
			for (i = 1; i <= count; i++) {
				name = part[i]
				points = 100 * (sampled[name] - took[name]) / all
				printf "%s took %.3f s, samples say %.3f s: %.2f points\n", name, took[name], sampled[name], points
				if (points > 3 || points < -3) bad = 1
			}
			exit bad
		}' "$folder"/rank.*.stdout "$experiment/samples.txt"
}

# path FUNCTION...: in the call tree each is somewhere below the one before
path()
{
	awk -v wanted="$*" '
		BEGIN { count = split(wanted, name, " "); at = 1 }
		/^By call path/ { on = 1 }
		on {
			match($0, /^ *[0-9.]+ +[0-9.]+  /)
			depth = match(substr($0, RLENGTH + 1), /[^ ]/)
			while (at > 1 && depth <= deep[at - 1]) at--
			if (at <= count && $3 == name[at]) { deep[at++] = depth; if (at > count) found = 1 }
		}
		END { exit !found }' "$experiment/samples.txt" || {
		sed -n '/^By call path/,$p' "$experiment/samples.txt"
		return 1
	}
}

# run_as_user FOLDER MPI VARIABLES PROGRAM OPTION...: runs one rank as a user who may not see the kernel; for root. The
# program lies in $work/MPI. The library is copied, since the build folder may be closed to others. Leaves $folder,
# $experiment.
run_as_user()
{
	folder=$1
	experiment=$folder/x
	mpi=$2
	settings=$3
	shift 3
	mkdir -p "$folder/lib" "$folder/cwd"
	cp -r "$hyb_build/lib/hybmon"/* "$folder/lib"
	cp "$hyb_lib" "$folder/libhybmon.so"
	chmod 755 "$work" "$work/$mpi" "$folder/lib"
	chown -R 65534 "$folder"
	eval "mpirun=\$${mpi}_mpirun"
	status=0
	# shellcheck disable=SC2086 # words
	(cd "$folder/cwd" && exec timeout -k 10 "${TEST_TIMEOUT:-600}" setpriv --reuid=65534 --regid=65534 --clear-groups env HOME="$folder" \
		TMPDIR="$folder" HYBMON_ADAPTER_DIR="$folder/lib" HYBMON_TRACE_DIR="$experiment" $settings \
		LD_PRELOAD="${hyb_sanitizer_preload:+$hyb_sanitizer_preload:}$folder/libhybmon.so" "$mpirun" -n 1 "$@" \
		>"$folder/rank.0.stdout" 2>"$folder/rank.0.stderr" </dev/null) || status=$?
	echo "exit status $status" >"$folder/status"
	merge_samples
}

# same_in_otf2 FUNCTION...: another reader finds in an archive of samples what samples.txt says
same_in_otf2()
{
	"$hyb_merge" -q -f --to=otf2-samples "$experiment" && print_otf2 "$experiment/samples.otf2" >"$folder/printed" &&
		grep -q '^CALLING_CONTEXT_SAMPLE' "$folder/printed" &&
		"$hyb_python" "$hyb_source/test/collector/otf2-samples.py" "$experiment" "$@"
}

# can_read_otf2: whether there is what that needs
can_read_otf2()
{
	[ -n "$hyb_otf2" ] && [ -n "$hyb_python" ] && command -v otf2-print >/dev/null
}
