#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# fresh.sh [bookworm|trixie] [OPTION...]: the commands of README.md on a new Debian with nothing but its essential packages.
# Makes such a root with mmdebstrap, clones this checkout's HEAD into it, and runs scripts/demo.sh and scripts/test.sh
# there, as root and as an ordinary user. Needs root. Options: --help.
# shellcheck disable=SC2317 # steps are called by name
set -u
cd "$(dirname "$0")/.." || exit 1
top=$(pwd)

usage()
{
	cat <<-'END'
	usage: scripts/fresh.sh [bookworm|trixie] [OPTION...]
	    --only=demo|test|user  one part: scripts/demo.sh as root, scripts/test.sh as root, scripts/demo.sh as an
	                           ordinary user, first without packages, then with those that it names
	    --at=FOLDER,...        where root's checkouts are; by default /root/hybmon,/srv/hybmon
	    --with=PACKAGE,...     packages that are installed first
	    --keep                 leave the root in build/fresh/SUITE/root
	    --run=COMMAND          only run COMMAND in a root that was kept, or in a new one, which is kept
	END
}

fail()
{
	echo "fresh.sh: $*" >&2
	exit 1
}

suite=bookworm parts='demo test user' folders=/root/hybmon,/srv/hybmon packages='' keep='' command=''
for word; do
	case $word in
	bookworm | trixie) suite=$word ;;
	--only=demo | --only=test | --only=user) parts=${word#*=} ;;
	--at=/*) folders=${word#*=} ;;
	--with=?*) packages=$(echo "${word#*=}" | tr , ' ') ;;
	--keep) keep=1 ;;
	--run=?*) command=${word#*=} parts='' keep=1 ;;
	--help) usage && exit ;;
	*) usage >&2 && exit 2 ;;
	esac
done
folders=$(echo "$folders" | tr , ' ')
[ "$(id -u)" -eq 0 ] || fail "only root can enter another root: sudo scripts/fresh.sh"
command -v mmdebstrap >/dev/null || fail "mmdebstrap is missing: apt-get install --no-remove mmdebstrap"
unshare --mount --pid --fork true 2>/dev/null || fail "mount and PID namespaces are not allowed here; containers need --privileged"

logs=$top/build/fresh/$suite
root=$logs/root
table=$logs/table
running=
clean_up()
{
	[ -z "$running" ] || { kill -KILL "$running" && wait "$running"; } 2>/dev/null
	rm -f "$logs/lock" "$top/build/fresh/$suite.tar.part"
	[ -n "$keep" ] || rm -rf --one-file-system "$root"
}

# entered USER COMMAND...: in the root, where mounts and processes are its own and end with this script, whatever ends it
entered()
{
	# shellcheck disable=SC2016 # the inner shell's
	setpriv --pdeathsig KILL unshare --mount --pid --fork --kill-child --propagation private sh -c '
		root=$1 user=$2
		shift 2
		# a mount point, since unshare --mount works in no other root
		mount --bind "$root" "$root" && mount -t proc proc "$root/proc" && mount --rbind /sys "$root/sys" &&
			mount --rbind /dev "$root/dev" && mount -t tmpfs tmpfs "$root/dev/shm" || exit 99
		[ -d /sys/kernel/tracing/events ] || mount -t tracefs tracefs "$root/sys/kernel/tracing" 2>/dev/null
		home=/root
		[ "$user" = 0 ] || home=/home/user
		# not in place of this shell, which waits for what its children leave behind
		chroot "$root" setpriv --reuid="$user" --regid="$user" --clear-groups \
			env -i --default-signal HOME="$home" PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin LANG=C.UTF-8 TERM=dumb "$@"' \
		sh "$root" "$@" </dev/null &
	running=$!
	wait "$running"
	entered_status=$?
	running=
	return $entered_status
}

# step NAME COMMAND...: one line, with its time; its output is in NAME.log
step()
{
	step_name=$1
	shift
	printf '%-28s ' "$step_name"
	step_start=$(date +%s)
	step_log=$logs/$step_name.log
	"$@" >"$step_log" 2>&1
	step_status=$?
	step_took=$(($(date +%s) - step_start))
	if [ $step_status -eq 0 ]; then
		printf 'ok      %5d s\n' $step_took | tee "$logs/last"
	else
		printf 'FAILED  %5d s  %s\n' $step_took "${step_log#"$top/"}" | tee "$logs/last"
		tail -n 5 "$step_log" | sed 's/^/    /'
	fi
	printf '%-28s %s\n' "$step_name" "$(cat "$logs/last")" >>"$table"
	return $step_status
}

make_tar()
{
	mmdebstrap --variant=minbase --format=tar "$suite" "$top/build/fresh/$suite.tar.part" &&
		mv "$top/build/fresh/$suite.tar.part" "$top/build/fresh/$suite.tar"
}

# new_root: without any package but the essential ones and those of --with
new_root()
{
	rm -rf --one-file-system "$root" && mkdir -p "$root" && tar -xpf "$top/build/fresh/$suite.tar" -C "$root" &&
		cp -L /etc/resolv.conf "$root/etc/resolv.conf" &&
		echo "127.0.0.1 localhost $(hostname)" >"$root/etc/hosts" &&
		echo 'user:x:1000:1000::/home/user:/bin/sh' >>"$root/etc/passwd" && echo 'user:x:1000:' >>"$root/etc/group" &&
		echo 'user:100000:65536' | tee -a "$root/etc/subuid" >>"$root/etc/subgid" &&
		mkdir -m 700 "$root/home/user" || return 1
	for folder in $folders /home/user/hybmon; do
		git clone -q --no-hardlinks "$top" "$root$folder" || return 1
	done
	chown -R 1000:1000 "$root/home/user" || return 1
	# shellcheck disable=SC2086 # one word a package
	[ -z "$packages" ] || install_there $packages
}

install_there()
{
	# shellcheck disable=SC2016 # the inner shell's
	entered 0 sh -c 'apt-get -q update && DEBIAN_FRONTEND=noninteractive apt-get -q -y --no-install-recommends --no-remove install "$@"' \
		sh "$@"
}

# A test that skips itself for one of these reasons has seen that the machine, an MPI or a compiler lacks something;
# any other skip is for want of a package.
machine_lacks='^(with(out)? sanitizers|not built with it|the sanitizer|sanitizers? |built with a sanitizer'
machine_lacks="$machine_lacks|.*(this|an|the) (MPI|runtime|compiler|kernel|machine|user|processor|source) "
machine_lacks="$machine_lacks|.*(build folder|others can read|others may read|read the build|only root|needs root|root may)"
machine_lacks="$machine_lacks|.*(perf_event_paranoid|kernel events|here not even|HYB_TEST_MAY_SET|cannot mount|block device|a block)"
machine_lacks="$machine_lacks|.*(no source has|tells nothing here|samples a second|had no record|faults? takes most)"
machine_lacks="$machine_lacks|.*(lacks what this is about|it is not here|users may not make any|no ld.gold|no clang with its libomptarget))"

# skips BUILD: the points of its tests that were skipped for want of a package
skips()
{
	find "$1/test" -name '*.log' -exec grep -H '^ok .* # SKIP ' {} + | sed "s,^$1/,,; s/\.log:ok [0-9]* - /: /" |
		awk -v lacks="$machine_lacks" -F ' # SKIP ' '$2 !~ lacks { print $1 ": skipped: " $2; n++ } END { exit n > 0 }'
}

# tests FOLDER: scripts/test.sh, and nothing that it skipped or left out of its build for want of a package
tests()
{
	entered 0 sh -c "cd '$1' && exec sh scripts/test.sh"
	tests_status=$?
	echo '--- skipped, or left out of the build, for want of a package:'
	skips "$root$1/build/test" || tests_status=1
	# some tests only look at less without it
	entered 0 python3 -c 'import otf2' || tests_status=1
	! grep "^[a-z_]*=''$" "$root$1/build/test/test/env.sh" | grep -v sanitizer || tests_status=1
	return "$tests_status"
}

demo()
{
	entered 0 sh -c "cd '$1' && exec sh scripts/demo.sh"
}

as_user()
{
	entered 1000 sh -c 'cd ~/hybmon && exec sh scripts/demo.sh'
}

# An ordinary user gets the command that installs what is missing.
user_is_told()
{
	! as_user >"$logs/told" 2>&1
	told_status=$?
	cat "$logs/told"
	[ "$told_status" -eq 0 ] && grep -q '^    sudo apt-get ' "$logs/told"
}

# It is done as it says, but for sudo.
user_obeys()
{
	told=$(sed -n 's/^    sudo //p' "$logs/told")
	[ -n "$told" ] && entered 0 sh -c "apt-get -q update && DEBIAN_FRONTEND=noninteractive $told -y"
}

# name FOLDER: for logs and the table
name()
{
	echo "$1" | tr / - | sed 's/^-//'
}

mkdir -p "$logs" || fail "build/fresh cannot be written to: take another checkout"
(set -C && echo $$ >"$logs/lock") 2>/dev/null || {
	! kill -0 "$(cat "$logs/lock")" 2>/dev/null || fail "another run with $suite is going on, process $(cat "$logs/lock")"
	echo $$ >"$logs/lock"
}
trap clean_up EXIT
trap 'exit 130' HUP INT TERM
: >"$table"
if [ ! -s "$top/build/fresh/$suite.tar" ]; then
	step mmdebstrap make_tar || exit 1
fi
if [ -n "$command" ]; then
	[ -d "$root/root" ] || step root new_root || exit 1
	entered 0 sh -c "$command"
	exit
fi
failed=0
case $parts in
*demo* | *test*)
	step root new_root || exit 1 ;;
esac
for part in $parts; do
	case $part in
	demo)
		for folder in $folders; do
			step "demo-$(name "$folder")" demo "$folder" || failed=1
		done ;;
	test)
		for folder in $folders; do
			step "test-$(name "$folder")" tests "$folder" || failed=1
		done ;;
	user)
		# a new one, in which nothing is installed
		step root-user new_root && step user-is-told user_is_told && step user-installs user_obeys &&
			step user-demo as_user || failed=1 ;;
	esac
done
printf '\n%s, %s\n' "$suite" "$(git log -1 --format='%h %s')"
cat "$table"
exit $failed
