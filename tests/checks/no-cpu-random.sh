#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# claim: no object of ours has an instruction that asks the CPU for random numbers: some give the
# same one for ever, so what is never asked cannot be the only source.
set -u
build=$(cd "$1" && pwd) || exit 1

asks() { # FILE
    objdump -d --no-show-raw-insn "$1" | grep -E '\b(rdrand|rdseed|rndr|rndrrs)\b'
}

# Whoever never finds one has shown nothing.
sample=$(mktemp --suffix=.o) || exit 1
trap 'rm -f "$sample"' EXIT
echo 'rdrand %rax; rdseed %rax' | "${CC:-cc}" -x assembler -c -o "$sample" - || exit 1
[ "$(asks "$sample" | wc -l)" = 2 ] || { echo "rdrand and rdseed are not found where they are" >&2; exit 1; }
for object in "$build/libuncontend.so" "$build/libuncontend-rand.so"; do
    [ "$(objdump -d "$object" | wc -l)" -gt 100 ] || { echo "$object was not read" >&2; exit 1; }
    ! asks "$object" >&2 || exit 1
done
