#!/bin/bash
# SPDX-License-Identifier: MIT
# Does what the README beside it says, where a docker daemon answers: builds the image, starts it with
# a certificate, and reads the statistics in there: examples/docker/try.sh [BUILDDIR]. It removes the
# container and the image; the base image stays.
# time: 600
#
# shellcheck disable=SC2317 # until_true and the trap call what they are given
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=scripts/server-lib.sh
. "$here/../../scripts/server-lib.sh"
need_programs docker openssl
timeout 10 docker info >/dev/null 2>&1 || { say "no docker daemon answers"; exit 77; }
begin_servers
make_certificate
chmod 755 "$dir"
chmod 644 "$dir/site.pem"

name=uncontend-try-$$
remove() {
    docker rm -f "$name" >/dev/null 2>&1
    docker rmi -f "$name" >/dev/null 2>&1
    clean_up
}
trap remove EXIT
said=$(docker build -q -f "$here/Dockerfile" -t "$name" "$here/../.." 2>&1) || die "docker build: $said"
docker run -d --name "$name" -v "$dir/site.pem:/site.pem:ro" -e CERT=/site.pem "$name" >/dev/null ||
    die "docker run"
reads() { docker exec "$name" uncontend stat 1 >"$dir/stat" 2>&1; }
until_true "statistics in the container ($(docker logs "$name" 2>&1))" reads
cat "$dir/stat"
grep -q lock_read "$dir/stat" || die "no read locks were counted"
