#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# claim: both compilers at every level, the sanitizers, the analysers and the foreign builds agree
set -u
exec "$(dirname "$0")/../builds/run" "$1"
