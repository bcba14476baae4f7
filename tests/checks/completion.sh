#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# claim: the completion for bash offers subcommands, settings, their values, and the command's own words
set -u
build=$(cd "$1" && pwd) || exit 1
cd "$(dirname "$0")/../.." || exit 1
bad=0
PATH=$build:$PATH
# shellcheck source=contrib/uncontend.bash-completion
. contrib/uncontend.bash-completion

# What is offered for these words, the last of which is being written, and what is expected.
expect() {
    local want=$1
    shift
    COMP_WORDS=("$@")
    COMP_CWORD=$(($# - 1))
    COMPREPLY=()
    _uncontend
    [ "${COMPREPLY[*]}" = "$want" ] ||
        { echo "for '$*': expected '$want', got '${COMPREPLY[*]}'" >&2; bad=1; }
}

expect 'stat' uncontend sta
expect 'run stat list doctor env --help --version' uncontend ''
expect 'dump_file= dump_format= dump_at_exit=' uncontend run -o DUMP_
expect 'drbg' uncontend run -o random = dr
expect 'on spin off' uncontend run -o LOCKS =
expect 'text json prometheus' uncontend run -o dump_format = ''
expect '' uncontend run -o reseed_bytes = ''
expect '-o --library --' uncontend run -
expect '-j -p -w -n' uncontend stat -
expect 'uncontend' uncontend run -o random = drbg -- uncontend
exit $bad
