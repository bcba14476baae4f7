#!/bin/bash
# SPDX-License-Identifier: MIT
# Debian's python3: uuid4, secrets, os.urandom and ssl.RAND_bytes never repeat over threads and over
# processes forked meanwhile; TLS between threads works; all as plain.
#
#   tests/servers/python.sh BUILDDIR      status 0 pass, 1 fail, 77 something is not installed

set -uo pipefail
# shellcheck source=tests/servers/lib/ways.sh
. "$(dirname "$0")/lib/ways.sh"
need_programs /usr/bin/python3 openssl

live() {
    run_program python /usr/bin/python3 "$here/python.py" "$dir/key.pem" "$dir/cert.pem"
    grep -q '^97500 drawn, 97500 distinct$' "$home/same/python.out" ||
        die "$way: $(cat "$home/same/python.out" "$home/same/python.err")"
}

begin_test "$@"
make_certificate
in_all_ways live
took getrandom_calls
took rand_bytes_calls
tell python3 97540
