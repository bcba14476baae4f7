#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# claim: the stubs for aarch64 do what the actions say, in an emulator of two such CPUs: one with the atomic
# instructions of ARMv8.1 and branch targets that must land, and one without. The library is built for
# them without a warning, and a choice of the tests passes in an emulator.
# time: 400
set -eu
cd "$(dirname "$0")/../.."
mkdir -p "$1/aarch64"
cc=(aarch64-linux-gnu-gcc -std=gnu11 -D_GNU_SOURCE -iquote preload -Wall -Wextra -Werror -O2)
"${cc[@]}" -mbranch-protection=bti -static -o "$1/aarch64/stubs" tests/aarch64/stubs.c preload/stub_aarch64.c
for cpu in max cortex-a53; do
    qemu-aarch64 -cpu "$cpu" "$1/aarch64/stubs"
done
exec tests/builds/run "$1" aarch64-few
