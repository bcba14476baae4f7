#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# claim: clang-format changes nothing, clang-tidy and shellcheck are quiet, no file has outgrown one
# reading.
# time: 400
set -u
cd "$(dirname "$0")/../.." || exit 1
bad=0
mapfile -t c < <(find preload shims rand tools tests bench examples -name '*.[ch]' -o -name '*.cpp' | sort)
clang-format --dry-run -Werror "${c[@]}" || bad=1
mapfile -t guest < <(find preload shims rand tools -name '*.c' | sort)
# shellcheck disable=SC2016 # "$@" belongs to the inner shell
tidy='clang-tidy --quiet --warnings-as-errors="*" "$@" -- -std=gnu11 -D_GNU_SOURCE -Ipreload 2>/dev/null'
printf '%s\n' "${guest[@]}" | xargs -P 2 -n 6 sh -c "$tidy" tidy || bad=1
mapfile -t scripts < <(grep -lE '^#!.*\b(ba)?sh' -r scripts tests bench examples .ci --include='*' | sort)
shellcheck -x "${scripts[@]}" || bad=1
for f in "${guest[@]}"; do
    n=$(wc -l <"$f")
    [ "$n" -le 500 ] || { echo "$f has $n lines; 500 are allowed" >&2; bad=1; }
done
exit $bad
