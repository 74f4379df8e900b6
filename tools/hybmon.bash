# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2207 # words
# Completion of hybmon and its tools for bash (zsh: after bashcompinit). What there is, the tools are asked themselves.

# The options in the help of a command.
_hybmon_options()
{
	"$@" --help 2>/dev/null | grep -oE -- '--[a-z][a-z0-9-]*' | sort -u
}

# Experiments, where there are some; otherwise all directories, since they may lie deeper.
_hybmon_experiments()
{
	local dir dirs found=
	dirs=$(compgen -d -- "$1")
	while IFS= read -r dir; do
		[[ ! -f $dir/manifest ]] || found+=$dir$'\n'
	done <<<"$dirs"
	printf '%s' "${found:-$dirs}"
}

# The words after `hybmon run`: its options, and then a command with arguments of its own.
_hybmon_run()
{
	local i
	for ((i = 2; i < COMP_CWORD; i++)); do
		[[ ${COMP_WORDS[i]} == -* ]] && continue
		if declare -F _command_offset >/dev/null; then
			_command_offset "$i"
		else
			COMPREPLY=($(compgen -f -- "$1"))
		fi
		return
	done
	if [[ $1 == -* ]]; then
		COMPREPLY=($(compgen -W "$(_hybmon_options "${COMP_WORDS[0]}" run)" -- "$1"))
	else
		COMPREPLY=($(compgen -c -- "$1"))
	fi
}

_hybmon()
{
	local word=${COMP_WORDS[COMP_CWORD]} tool=${COMP_WORDS[0]} IFS=$' \t\n'
	local command=("$tool")

	COMPREPLY=()
	if [[ ${tool##*/} == hybmon ]]; then
		if ((COMP_CWORD == 1)); then
			COMPREPLY=($(compgen -W "$("$tool" help | sed -n 's/^    \([a-z]*\) .*/\1/p' | grep -vx hybmon)" -- "$word"))
			return
		fi
		command+=("${COMP_WORDS[1]}")
		case ${COMP_WORDS[1]} in
		run)
			_hybmon_run "$word"
			return
			;;
		replay)
			if [[ $word == -* ]]; then
				COMPREPLY=($(compgen -W "$(_hybmon_options "${command[@]}")" -- "$word"))
			elif [[ ${COMP_WORDS[COMP_CWORD - 1]} == -* || $COMP_CWORD == 2 ]]; then
				IFS=$'\n'
				COMPREPLY=($(_hybmon_experiments "$word"))
				compopt -o filenames 2>/dev/null
			else
				COMPREPLY=($(compgen -c -f -- "$word"))
			fi
			return
			;;
		help)
			COMPREPLY=($(compgen -W "env $("$tool" help | sed -n 's/^    \([a-z]*\) .*/\1/p' | grep -vx hybmon)" -- "$word"))
			return
			;;
		config)
			COMPREPLY=($(compgen -W --short -- "$word"))
			return
			;;
		counters)
			COMPREPLY=($(compgen -W --cost -- "$word"))
			return
			;;
		doctor | version)
			return
			;;
		esac
	fi
	if [[ $word == -* ]]; then
		COMPREPLY=($(compgen -W "$(_hybmon_options "${command[@]}")" -- "$word"))
	else
		IFS=$'\n'
		COMPREPLY=($(_hybmon_experiments "$word"))
		compopt -o filenames 2>/dev/null
	fi
}

complete -F _hybmon hybmon hybmon-merge hybmon-print
