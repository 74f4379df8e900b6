# SPDX-License-Identifier: BSD-3-Clause
# For tests of readers: recordings that are kept in test/recordings/fresh/NAME.tar.xz, so that a test judges the same ones
# each time and launches nothing. Read after lib.sh. The test NAME.test makes them, others may read them, too.
# shellcheck shell=sh disable=SC2154,SC2034 # variables of env.sh and lib.sh

# A process on another host might still be running; these ran here, before the machine was started.
ran_here()
{
	find "$work" -name manifest -exec sed -i "s/^host: .*/host: $(uname -n)/" {} +
}

# can_make FOLDER COMPILER...: whether the recording is kept, or its program can be built
can_make()
{
	is_kept "$1" && return
	shift
	"$@" 2>"$work/cc.log"
}

# recordings NAME: unpacks the test's recordings in $work. With TEST_RECORD in the environment it unpacks nothing, and the
# test makes them anew.
recordings()
{
	[ "${hyb_script##*/}" != "$1.test" ] || hyb_keeps=$1
	if [ -z "${TEST_RECORD-}" ] && ! tar -xJf "$hyb_source/test/recordings/fresh/$1.tar.xz" -C "$work" 2>"$work/unpacked"; then
		echo "# recorded anew: $(head -n 1 "$work/unpacked")"
	fi
}

# is_kept FOLDER: whether the recording below this folder of $work was unpacked
is_kept()
{
	[ -z "${TEST_RECORD-}" ] && [ -d "$1" ]
}

# launch_or_keep FOLDER MPI RANKS COMMAND...: as launch, unless the recording was kept, and keeps it
launch_or_keep()
{
	status=0
	is_kept "$1" && return
	launch "$@"
	[ "$status" -ne 77 ] || return
	collectors_end "$(experiments "$1")" >/dev/null
	keep "$@"
}

# keep FOLDER [WORD...]: a recording was made there. With TEST_RECORD=DIRECTORY, keep_recordings puts it there, with what
# its ranks printed, and the programs among WORD, so that its readers have source lines.
keep()
{
	[ -d "${TEST_RECORD-}" ] || return 0
	(
		cd "$work" || exit
		folder=${1#"$work"/}
		shift
		for experiment in $(experiments "$folder"); do
			mkdir -p "$experiment/binaries" || exit
			for word; do
				! [ -x "$word" ] || cp -p "$word" "$experiment/binaries"
			done
			echo "$experiment"
		done >kept.names
		find "$folder" -maxdepth 1 -name 'rank.*.stdout' >>kept.names
		tar -rf kept.tar -T kept.names
	)
}

# keep_recordings: in the end
keep_recordings()
{
	[ ! -f "$work/kept.tar" ] || xz -9e -c "$work/kept.tar" >"$TEST_RECORD/$hyb_keeps.tar.xz"
}
