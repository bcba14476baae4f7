#!/bin/bash
# SPDX-License-Identifier: MIT
# The unit, its drop-in and the one in contrib/ hold to systemd's own judgement, a mistake in a drop-in is
# noticed, and the filter lets through what the README says that the library calls:
# examples/systemd/try.sh [BUILDDIR]. systemd need not run; where it is not installed there is nothing to ask.
set -uo pipefail
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=scripts/server-lib.sh
. "$here/../../scripts/server-lib.sh"
build=$(cd "${1-$here/../../build}" && pwd) || exit 1
need_programs systemd-analyze
begin_servers

units=$dir/root/etc/systemd/system
mkdir -p "$units" "$dir/root/usr/lib/systemd/system"
cp -r "$here/session-ids.service" "$here/session-ids.service.d" "$units"
cp "$here/../../contrib/systemd/uncontend.conf" "$units/session-ids.service.d/a-contrib.conf"
# verify looks for the program, and for nothing else below another root.
sed -i "s|/usr/local/bin/session-ids|$build/uncontend|" "$units/session-ids.service"

# Only what is said about our files: a machine has units of its own.
judge() {
    SYSTEMD_LOG_LEVEL=info SYSTEMD_LOG_TARGET=console systemd-analyze verify --man=no \
        "$units/session-ids.service" 2>&1 | grep -E 'session-ids|uncontend'
}
said=$(judge)
[[ -z $said ]] || die "systemd-analyze verify: $said"
for line in 'Environment=NO-EQUALS' 'SystemCallFliter=futex'; do
    printf '[Service]\n%s\n' "$line" >"$units/session-ids.service.d/z-wrong.conf"
    [[ $(judge) ]] || die "systemd-analyze verify says nothing about '$line': it did not look"
done
rm "$units/session-ids.service.d/z-wrong.conf"

# The names of a set, sets within it resolved.
calls_of() {
    local name
    while read -r name; do
        case $name in
            @*) [[ $name == "$1" ]] || calls_of "$name" ;;
            '' | '#'*) ;;
            *) echo "$name" ;;
        esac
    done < <(systemd-analyze syscall-filter "$1" | sed 's/^ *//')
}
allowed=$(calls_of @system-service)
calls=$(sed -n '/^## System calls/,/^## /p' "$here/../../README.md" | grep -oE '\b[a-z][a-z0-9_]+\b' | sort -u)
# What the section names and the kernel knows: every word of it that is a system call.
known=$(systemd-analyze syscall-filter @known | sed 's/^ *//' | sort)
named=$(comm -12 <(echo "$calls") <(echo "$known"))
(($(wc -w <<<"$named") >= 15)) || die "the README names only: $named"
missing=$(comm -23 <(echo "$named") <(sort <<<"$allowed"))
[[ -z $missing ]] || die "not in @system-service: $missing"
echo "verified; @system-service has the $(wc -w <<<"$named") system calls that the README names"
