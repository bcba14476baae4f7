#!/bin/bash
# SPDX-License-Identifier: MIT
# claim: the tests that python3 brings for its random numbers, threads, processes, signals and TLS end
# under the preload as they end without it. UC_TEST_LONG=1: also those that take minutes.
# time: 300
# waits
#
#   tests/suites/python.sh BUILDDIR       status 0 pass, 1 fail
set -uo pipefail
export LC_ALL=C
build=$(cd "$1" && pwd) || exit 1
python=/usr/bin/python3
dir=$(mktemp -d "${TMPDIR:-/tmp}/uncontend.XXXXXXXX") || exit 1
trap 'rm -rf "$dir"' EXIT
modules=(test_uuid test_random test_secrets test_os test_ssl)
limit=600 # seconds for one; test_asyncio takes half an hour where the CPUs have other work
[[ ${UC_TEST_LONG-} != 1 ]] || limit=2700
[[ ${UC_TEST_LONG-} != 1 ]] ||
    modules+=(test_threading test_multiprocessing_fork test_signal test_subprocess test_asyncio test_tempfile)
"$python" -c 'import test.test_uuid' || exit 1

# NAME SETTING..: "module outcome" lines of all modules.
results() {
    local name=$1 module
    shift
    for module in "${modules[@]}"; do
        (mkdir -p "$dir/work.$name" && cd "$dir/work.$name" &&
            env "$@" timeout $((limit + 100)) "$python" -m test -v -u network,cpu --timeout $limit "$module") \
            >"$dir/$name.$module" 2>&1 </dev/null
        # Which tests failed, and how many there were. What a test prints may cut other lines up.
        grep -aoE '^(FAIL|ERROR): test[A-Za-z0-9_]+ \([A-Za-z0-9_.]+\)|^Ran [0-9]+ tests?|^(OK|FAILED) \(.*' \
            "$dir/$name.$module" | sed "s/^/$module /"
    done
}

# Side by side: most of the time they wait.
results plain >"$dir/plain" &
for engine in drbg vdso; do
    results "$engine" LD_PRELOAD="$build/libuncontend.so:$build/libuncontend-rand.so" \
        UNCONTEND_RANDOM="$engine" UNCONTEND_RAND_BYTES=on UNCONTEND_SYSCALL=on >"$dir/$engine" &
done
wait
bad=0
(($(grep -c ' Ran ' "$dir/plain") == ${#modules[@]})) || { cat "$dir/plain" >&2; exit 1; }
for engine in drbg vdso; do
    # What fails plain as well is no difference, and what passes only with us is none of ours.
    grep -E ' (FAIL|ERROR): ' "$dir/$engine" | sort -u >"$dir/failed"
    grep -E ' (FAIL|ERROR): ' "$dir/plain" | sort -u | comm -13 - "$dir/failed" >"$dir/new"
    if [[ -s $dir/new ]]; then
        bad=1
        echo "$engine: these fail, and do not plain:" >&2
        cat "$dir/new" >&2
        while read -r module _; do tail -n 40 "$dir/$engine.$module"; done <"$dir/new" >&2
    fi
    # All came to an end, and as many as plain.
    if ! diff <(grep ' Ran ' "$dir/plain") <(grep ' Ran ' "$dir/$engine") >&2; then
        bad=1
        echo "$engine: not as many tests were run as plain" >&2
        while read -r _ module _; do tail -n 20 "$dir/$engine.$module"; done \
            < <(diff "$dir/plain" "$dir/$engine" | grep '^<') >&2
    fi
done
exit $bad
