#!/bin/bash
# SPDX-License-Identifier: MIT
# claim: the tests that python3 brings for its random numbers, threads, processes, signals and TLS end
# under the preload as they end without it. UC_TEST_LONG=1: also those that take minutes.
# time: 300
# waits
#
#   tests/suites/python.sh BUILDDIR       status 0 pass, 1 fail
set -uo pipefail
# shellcheck source=tests/suites/lib/suite.sh
. "$(dirname "$0")/lib/suite.sh"
begin_suite "$1"
python=/usr/bin/python3
modules=(test_uuid test_random test_secrets test_os test_ssl)
limit=600 # seconds for one; test_asyncio takes half an hour where the CPUs have other work
[[ ${UC_TEST_LONG-} != 1 ]] || limit=2700
[[ ${UC_TEST_LONG-} != 1 ]] ||
    modules+=(test_threading test_multiprocessing_fork test_signal test_subprocess test_asyncio test_tempfile)
"$python" -c 'import test.test_uuid' || exit 1

# Which tests failed, and how many there were. What a test prints may cut other lines up.
# shellcheck disable=SC2317 # run_ways calls it
results() {
    local way=$1 module
    shift
    for module in "${modules[@]}"; do
        (cd "$dir/$way" &&
            env "$@" timeout $((limit + 100)) "$python" -m test -v -u network,cpu --timeout $limit "$module") \
            >"$dir/$way/said.$module" 2>&1 </dev/null
        grep -aoE '^(FAIL|ERROR): test[A-Za-z0-9_]+ \([A-Za-z0-9_.]+\)|^Ran [0-9]+ tests?|^(OK|FAILED) \(.*' \
            "$dir/$way/said.$module" | sed "s/^/$module /"
    done
}

run_ways
bad=0
(($(grep -c ' Ran ' "$dir/plain.results") == ${#modules[@]})) || { cat "$dir/plain.results" >&2; exit 1; }
for engine in drbg vdso; do
    # What fails plain as well is no difference, and what passes only with us is none of ours.
    mapfile -t new < <(comm -13 <(grep -E ' (FAIL|ERROR): ' "$dir/plain.results" | sort -u) \
        <(grep -E ' (FAIL|ERROR): ' "$dir/$engine.results" | sort -u))
    if ((${#new[@]})); then
        bad=1
        printf '%s\n' "$engine: these fail, and do not plain:" "${new[@]}" >&2
        tell_end "$engine" "${new[@]%% *}"
    fi
    # All came to an end, and as many as plain.
    mapfile -t fewer < <(diff <(grep ' Ran ' "$dir/plain.results") <(grep ' Ran ' "$dir/$engine.results"))
    if ((${#fewer[@]})); then
        bad=1
        printf '%s\n' "$engine: not as many tests were run as plain:" "${fewer[@]}" >&2
        mapfile -t fewer < <(printf '%s\n' "${fewer[@]}" | sed -n 's/^< \([^ ]*\) .*/\1/p')
        tell_end "$engine" "${fewer[@]}"
    fi
done
exit $bad
