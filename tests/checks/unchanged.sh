#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# claim: a check that passed is not made again while nothing that it depends on has changed; it is as
# soon as anything has: a file, its mode, its name, one more or one less, the check itself, a package, a
# program beside the packages, the compiler, its settings; on request, in the long form, after a failure
# shellcheck disable=SC2317 # expect calls what it is given
set -u
cd "$(dirname "$0")/../.." || exit 1
lib=$PWD/tests/checks/lib/unchanged.sh
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
bad=0
unset UC_TEST_FRESH UC_TEST_LONG CC CFLAGS

# A tree with one check, which counts how often it is made, and programs that it takes for the system's.
mkdir -p "$dir"/{bin,build,inputs/below,tests/checks/lib}
cp "$lib" "$dir/tests/checks/lib"
cat >"$dir/tests/checks/toy.sh" <<'END'
cd "$(dirname "$0")/../.." || exit 1
. tests/checks/lib/unchanged.sh
unless_unchanged build inputs single "=${TEXT-}"
echo made >>made
[ "$(cat single)" != bad ] || exit 1
it_passed
END
for program in dpkg-query cc other; do
    printf '#!/bin/sh\ncat "%s"\n' "$dir/said by $program" >"$dir/bin/$program"
    echo 1 >"$dir/said by $program"
done
chmod +x "$dir"/bin/*
echo one >"$dir/inputs/one"
echo below >"$dir/inputs/below/file"
echo single >"$dir/single"

# Whether it is made: yes or no. SETTING..
asked() {
    rm -f "$dir/made"
    said=$(env PATH="$dir/bin:$PATH" "$@" bash "$dir/tests/checks/toy.sh")
    status=$?
    [ -e "$dir/made" ] && echo yes && return
    [ "$status" = 0 ] && [ "$said" = 'unchanged since it passed' ] && echo no
}
expect() { # WHAT ANSWER [SETTING..]
    local got
    got=$(asked "${@:3}")
    [ "$got" = "$2" ] || { echo "$1: made again: expected $2, got '$got'" >&2; bad=1; }
}
again() { # WHAT [SETTING..]: made now, and with the same settings not twice
    expect "$1" yes "${@:2}"
    expect "$1, and nothing since" no "${@:2}"
}

again 'the first time'
touch "$dir/inputs/one"
expect 'a date' no
echo two >"$dir/inputs/one"
again 'what is in a file'
echo deep >"$dir/inputs/below/file"
again 'what is in a file further below'
touch "$dir/inputs/more"
again 'one more file'
mv "$dir/inputs/more" "$dir/inputs/renamed"
again 'another name'
rm "$dir/inputs/renamed"
again 'one file less'
chmod +x "$dir/inputs/one"
again 'a mode'
echo other >"$dir/single"
again 'a file that is named'
echo '# a comment' >>"$dir/tests/checks/toy.sh"
again 'the check itself'
echo '# a comment' >>"$dir/tests/checks/lib/unchanged.sh"
again 'what decides about it'
again 'a text' TEXT=text
again 'the text before'
echo 2 >"$dir/said by dpkg-query"
again 'a package'
echo 2 | tee "$dir/said by cc" >"$dir/said by other"
again 'the compiler'
again 'another compiler' CC=other
again 'the usual one'
again 'a setting of the compiler' CFLAGS=-O3
again 'no setting'
printf '#!/bin/sh\n' >"$dir/bin/tool"
again 'a program beside the packages'
for _ in once twice; do
    expect 'on request' yes UC_TEST_FRESH=1
    expect 'the long form' yes UC_TEST_LONG=1
done
expect 'after one on request' no
echo bad >"$dir/single"
expect 'a change that makes it fail' yes
expect 'after a failure' yes
echo other >"$dir/single"
again 'after the failure is gone'
rm "$dir/bin/dpkg-query"
mkdir "$dir/few"
ln -s /usr/bin/* "$dir/few"
rm -f "$dir/few/dpkg-query"
for _ in once twice; do
    expect 'where nobody knows the packages' yes PATH="$dir/few"
done
exit $bad
