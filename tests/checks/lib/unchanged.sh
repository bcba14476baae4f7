# shellcheck shell=bash
# SPDX-License-Identifier: MIT
#
# For a check whose answer follows from files and installed programs alone: as long as all of them are
# what they were when it passed, it says so and is not made again. Owns BUILDDIR/unchanged/. It must not
# be used where time, chance or the machine's other processes have a say. To be sourced, at the top of
# the tree.
#
#   unless_unchanged BUILDDIR INPUT..  first: ends the script, status 0, if nothing has changed. INPUT
#                                      is a file, a directory with all below it, or =TEXT
#   it_passed                          last
#
# What counts in any case: the script, this file, the installed packages and what PATH has beside them,
# the kernel, and what compilers read in the environment. With UC_TEST_FRESH=1, in the
# long form, and on a machine that cannot say what is installed, nothing is taken for unchanged.

unchanged_stamp=
unchanged_key=

# The same text for the same inputs; of a file its name, its mode and what is in it.
describe_inputs() {
    local input files=()
    for input in "$@"; do
        case $input in
            =*) printf '%s\n' "$input" ;;
            *) files+=("$input") ;;
        esac
    done
    find -L "${files[@]}" -type f -printf '%m %p\0' | sort -z | tr '\0' '\n'
    find -L "${files[@]}" -type f -print0 | sort -z | xargs -0r sha256sum
    dpkg-query -W -f '${Package} ${Architecture} ${Version} ${db:Status-Status}\n'
    tr : '\n' <<<"$PATH:/usr/local/include:/usr/local/lib" | grep -vxE '(/usr)?/s?bin' |
        xargs -d '\n' ls -lL --full-time 2>/dev/null
    "${CC:-cc}" --version
    uname -srvm
    env | grep -E '^([A-Z_]*FLAGS|CC|CXX|PATH|[A-Z_]*PATH|LANG|LANGUAGE|LC_[A-Z]*|GCC_[A-Z_]*|DEB_[A-Z_]*|SOURCE_DATE_EPOCH|UC_TEST_ENGINES)=' |
        grep -vE '^(MAKE|M)FLAGS=' | sort
}

unless_unchanged() {
    local name input
    name=$(basename "$0" .sh)
    mkdir -p "$1/unchanged" || exit 1
    unchanged_stamp=$1/unchanged/$name
    [ "${UC_TEST_LONG-}" != 1 ] && type -P dpkg-query >/dev/null || return 0
    set -- "tests/checks/$name.sh" tests/checks/lib/unchanged.sh "${@:2}"
    for input in "$@"; do
        [[ $input == =* || -e $input ]] || { echo "no $input" >&2; exit 1; }
    done
    unchanged_key=$(describe_inputs "$@" 2>&1 | sha256sum)
    if [ "${UC_TEST_FRESH-}" != 1 ] && [ "$(cat "$unchanged_stamp" 2>/dev/null)" = "$unchanged_key" ]; then
        echo 'unchanged since it passed'
        exit 0
    fi
    rm -f "$unchanged_stamp"
}

it_passed() { [ -z "$unchanged_key" ] || printf '%s\n' "$unchanged_key" >"$unchanged_stamp"; }
