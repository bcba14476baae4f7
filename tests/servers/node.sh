#!/bin/bash
# SPDX-License-Identifier: MIT
# Debian's node: UUIDs and bytes of a main thread and four workers never repeat, a TLS server and its
# clients understand each other, all as plain.
#
#   tests/servers/node.sh BUILDDIR        status 0 pass, 1 fail, 77 something is not installed

set -uo pipefail
# shellcheck source=tests/servers/lib/ways.sh
. "$(dirname "$0")/lib/ways.sh"
need_programs node openssl

live() {
    run_program node node "$here/node.js" "$dir/key.pem" "$dir/cert.pem"
    grep -q '^50000 drawn, 50000 distinct, 25000 uuids$' "$home/same/node.out" ||
        die "$way: $(cat "$home/same/node.out" "$home/same/node.err")"
}

begin_test "$@"
make_certificate
in_all_ways live
# A node with an OpenSSL of its own inside takes its random bytes from there; its locks are libc's.
took rand_bytes_calls lock_read_fast
tell node 50100
