# SPDX-License-Identifier: BSD-3-Clause
# A server of hybmon view for a test: read after lib.sh, with $view.
# shellcheck shell=sh disable=SC2154 # variables of env.sh and lib.sh

# begin OPTION...: starts one; $address, $server
begin()
{
	# also here: what is started may empty it later than it is read, and the address in it is of the one before
	: >"$work/served"
	"$view" --no-browser "$@" >"$work/served" 2>"$work/served.err" &
	server=$!
	until address=$(sed -n '1s/^http/http/p' "$work/served") && [ -n "$address" ]; do
		kill -0 $server 2>/dev/null || return 1
		sleep 0.05
	done
}

# end SIGNAL: it is gone, without a complaint
end()
{
	kill -"$1" "$server"
	wait "$server" || {
		echo "hybmon view ended with status $?"
		cat "$work/served.err"
		return 1
	}
	! grep . "$work/served.err"
}
