#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# claim: clang-format changes nothing, clang-tidy and shellcheck are quiet, no file has outgrown one
# reading.
# time: 900
set -u
build=$(cd "$1" && pwd) || exit 1
cd "$(dirname "$0")/../.." || exit 1
bad=0
# shellcheck source=tests/checks/lib/unchanged.sh
. tests/checks/lib/unchanged.sh
unless_unchanged "$build" preload shims rand tools tests bench examples scripts .ci .clang-format .clang-tidy
mapfile -t c < <(find preload shims rand tools tests bench examples -name '*.[ch]' -o -name '*.cpp' | sort)
clang-format --dry-run -Werror "${c[@]}" || bad=1
mapfile -t guest < <(find preload shims rand tools -name '*.c' | sort)
# A file that was clean is not looked at again as long as nothing has changed that could say otherwise:
# itself, any header of ours, the C library's, the rules, the linter.
stamps=$build/lint
[ "${UC_TEST_FRESH-}" != 1 ] || rm -rf "$stamps"
mkdir -p "$stamps" || exit 1
rules=$({ find preload shims rand tools -name '*.[hi]' -o -name '*.def' | sort | xargs cat
    cat .clang-tidy tests/checks/style.sh
    clang-tidy --version
    dpkg-query -W libc6-dev linux-libc-dev; } 2>/dev/null | sha256sum)
due=() current=
for f in "${guest[@]}"; do
    stamp=$stamps/$(cat "$f" - <<<"$f $rules" | sha256sum | cut -c1-64)
    [ -e "$stamp" ] || due+=("$f" "$stamp")
    current+="$stamp "
done
# shellcheck disable=SC2016 # $1 and $2 belong to the inner shell
tidy='clang-tidy --quiet --warnings-as-errors="*" "$1" -- -std=gnu11 -D_GNU_SOURCE -Ipreload 2>/dev/null && : >"$2"'
[ ${#due[@]} = 0 ] || printf '%s\n' "${due[@]}" | xargs -P 2 -n 2 sh -c "$tidy" tidy || bad=1
mapfile -t scripts < <(grep -lE '^#!.*\b(ba)?sh' -r scripts tests bench examples .ci --include='*' | sort)
# These read each other, and libraries: all are looked at again, or none.
mapfile -t sourced < <(find scripts tests bench examples .ci -name '*.sh' | sort)
stamp=$stamps/$({ cat "${scripts[@]}" "${sourced[@]}"; printf '%s\n' "${scripts[@]}"; shellcheck --version; } | sha256sum | cut -c1-64)
current+="$stamp "
if [ ! -e "$stamp" ]; then
    if shellcheck -x "${scripts[@]}"; then : >"$stamp"; else bad=1; fi
fi
for stamp in "$stamps"/*; do
    [[ $current == *"$stamp "* ]] || rm -f "$stamp"
done
for f in "${c[@]}"; do
    n=$(wc -l <"$f")
    [ "$n" -le 500 ] || { echo "$f has $n lines; 500 are allowed" >&2; bad=1; }
done
((bad)) || it_passed
exit $bad
