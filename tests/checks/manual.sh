#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# claim: the manual has every setting with its values and default, every counter, every message, every
# function that is taken over, every subcommand, and nothing that does not exist; both formatters are
# content with it; so does the shell completion
set -u
build=$(cd "$1" && pwd) || exit 1
tool=$build/uncontend
cd "$(dirname "$0")/../.." || exit 1
export LC_ALL=C
bad=0
fail() { echo "$*" >&2; bad=1; }

for page in man/uncontend.1 man/libuncontend.7; do
    # A page that is not installed yet cannot be found by either.
    said=$(mandoc -T lint -W style "$page" 2>/dev/null | grep -v 'referenced manual not found')
    [ -z "$said" ] || fail "mandoc: $said"
    said=$(MANWIDTH=80 man --warnings -E UTF-8 -l -Tutf8 -Z "$page" 2>&1 >/dev/null)
    [ -z "$said" ] || fail "man: $page: $said"
done

# The settings: from the one table, by way of the command that prints it.
settings=$(env -i "$tool" env | sed -n 's/^\(UNCONTEND_[A-Z_]*\)=.*/\1/p')
[ -n "$settings" ] || fail "'uncontend env' prints no settings"
difference=$(diff <(sort <<<"$settings") \
    <(sed -n 's/^\.It Ev \(UNCONTEND_[A-Z_]*\)$/\1/p' man/libuncontend.7 | sort)) ||
    fail "settings of 'uncontend env' (<) and of libuncontend.7 (>):" "$difference"

# The part of the manual that is about one setting.
about() { sed -n "/^\.It Ev $1\$/,/^\.It Ev UNCONTEND_\|^\.Sh/p" man/libuncontend.7; }

# UC_CHOICE(field, NAME, "a|b", ...): each value must be named.
while read -r name choices; do
    for word in ${choices//|/ }; do
        about "UNCONTEND_$name" | grep -qE "(^\.(It )?Cm $word\b|\b$word\b)" ||
            fail "UNCONTEND_$name: the manual does not name the value $word"
    done
done < <(grep -v '^//' preload/options.def | tr '\n' ' ' | grep -oE 'UC_CHOICE\([a-z_]*, [A-Z_]*, "[^"]*"' |
    grep -v ', TEST_' | sed -E 's/.*, ([A-Z_]*), "(.*)"/\1 \2/')

# A size's least and most value and default, as a person writes them.
short() {
    if (($1 % 1073741824 == 0)); then echo "$(($1 / 1073741824))G"
    elif (($1 % 1048576 == 0)); then echo "$(($1 / 1048576))M"
    elif (($1 % 1024 == 0)); then echo "$(($1 / 1024))K"
    else echo "$1"; fi
}
sizes=0
while read -r name least most standard; do
    sizes=$((sizes + 1))
    for number in "$least" "$most" "$standard"; do
        about "$name" | grep -qw "$(short "$number")" ||
            fail "$name: the manual does not give the number $(short "$number")"
    done
done < <(env -i "$tool" env |
    sed -nE '/\([0-9]+ to [0-9]+, default/{N;s/.*\(([0-9]+) to ([0-9]+), default ([0-9]+).*\n(.*)=.*/\4 \1 \2 \3/p}')
((sizes)) || fail "'uncontend env' shows no limits"

# The counters, in the order of the table.
difference=$(diff <(grep -oE '^UC_STAT\([A-Z0-9_]*, [a-z0-9_]*' preload/stats.def | sed 's/.*, //') \
    <(sed -n '/^\.Sh STATISTICS/,/^\.Sh EXAMPLES/s/^\.It Li //p' man/libuncontend.7 |
        sed 's/ , /\n/g')) || fail "counters of stats.def (<) and of libuncontend.7 (>):" "$difference"

# The messages that come without UNCONTEND_VERBOSE: up to the first thing filled in, each is in
# DIAGNOSTICS.
diagnostics=$(sed -n '/^\.Sh DIAGNOSTICS/,/^\.Sh /p' man/libuncontend.7)
while read -r message; do
    start=${message%%%*}
    start=${start%%\'*}
    grep -qF "It ${start% }" <<<"$diagnostics" ||
        [[ $message == UNCONTEND_*cannot\ be\ used* ]] || fail "DIAGNOSTICS lacks: $message"
done < <(grep -hoE '\buc_say\("[^"]*"' preload/*.c | sed 's/^uc_say("//; s/"$//' | sort -u)

# The functions of libc's that are taken over, but for the names of libc's own that begin with two
# underscores.
difference=$(diff <(sed -n '/^global:/,/^local:/s/;/\n/gp' shims/export.map | grep -oE '\b[a-z][a-z0-9_]*$' |
    grep -v '^uncontend_' | sort) \
    <(sed -n '/^These functions of the C library/,/^\.El/s/^\.Fn \([a-z0-9_]*\).*/\1/p' man/libuncontend.7 | sort)) ||
    fail "functions of export.map (<) and of libuncontend.7 (>):" "$difference"

# The subcommands: those of --help, of the manual and of the completion.
commands=$("$tool" --help | sed -n 's/^  uncontend \([a-z]*\).*/\1/p' | sort)
[ -n "$commands" ] || fail "'uncontend --help' lists no subcommand"
difference=$(diff <(echo "$commands") \
    <(sed -n '/^\.Sh SYNOPSIS/,/^\.Sh DESCRIPTION/s/^\.Cm //p' man/uncontend.1 | sort)) ||
    fail "subcommands of --help (<) and of uncontend.1 (>):" "$difference"
for c in $commands; do
    grep -qw "$c" contrib/uncontend.bash-completion || fail "the completion lacks '$c'"
done
lines=$("$tool" --help | wc -l)
widest=$("$tool" --help | awk '{ if (length > w) w = length } END { print w }')
((lines <= 24 && widest <= 80)) || fail "--help is $lines lines of $widest columns"
exit $bad
