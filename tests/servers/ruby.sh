#!/bin/bash
# SPDX-License-Identifier: MIT
# Debian's ruby: what SecureRandom, Random and OpenSSL give to threads and to forked processes never
# repeats, all as plain.
#
#   tests/servers/ruby.sh BUILDDIR        status 0 pass, 1 fail, 77 something is not installed

set -uo pipefail
# shellcheck source=tests/servers/lib/ways.sh
. "$(dirname "$0")/lib/ways.sh"
need_programs /usr/bin/ruby

live() {
    run_program ruby /usr/bin/ruby "$here/ruby.rb"
    grep -q '^44000 drawn, 44000 distinct, 44000 right$' "$home/same/ruby.out" ||
        die "$way: $(cat "$home/same/ruby.out" "$home/same/ruby.err")"
}

begin_test "$@"
in_all_ways live
took getentropy_calls getrandom_calls
tell ruby 44000
