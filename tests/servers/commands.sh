#!/bin/bash
# SPDX-License-Identifier: MIT
# What a shell starts: curl, git, make, file, apt-get -s, sh -c, and the children that inherit the
# preload. Status, stdout and stderr are byte for byte what they are plain, and no child leaves a dump
# or a word of ours.
#
#   tests/servers/commands.sh BUILDDIR    status 0 pass, 1 fail, 77 something is not installed

set -uo pipefail
# shellcheck source=tests/servers/lib/ways.sh
. "$(dirname "$0")/lib/ways.sh"
need_programs curl git make file openssl /usr/bin/python3

# NAME REQUESTS SCRIPT: the script is run by `sh -c` in a fresh directory that has the same name
# in each way.
in_shell() {
    rm -rf "$dir/work"
    mkdir "$dir/work"
    run_program "$1" sh -c "cd '$dir/work'; $3"
    [[ $(<"$home/same/$1.status") == 0 ]] || die "$way: $1 failed: $(<"$home/same/$1.err")"
    asked=$2
}

# A server of files, plain in all ways.
# shellcheck disable=SC2317 # start_on_free_port calls it
run_files() {
    in_background /usr/bin/python3 -u -c '
import http.server, ssl, sys
server = http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), http.server.SimpleHTTPRequestHandler)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(sys.argv[2])
server.socket = context.wrap_socket(server.socket, server_side=True)
server.serve_forever()' "$1" "$dir/site.pem" >"$server_log" 2>&1
}

with_curl() {
    in_shell curl 20 "
        curl -sS --cacert '$dir/cert.pem' 'https://localhost:$server_port/docs/design.md?[1-20]' | cksum
        printf 'field=%s' \$(seq 100) | curl -sS --cacert '$dir/cert.pem' -F f=@- -o no https://localhost:$server_port/ -w '%{http_code}\n'
        curl -sS https://localhost:$server_port/ || echo \$?
        curl -sS --max-time 5 http://127.0.0.1:1/ 2>refused || echo \$?
        sed 's/ after [0-9]* ms/ after N ms/' refused >&2" # how long it took is no answer
}

with_git() {
    # Names of objects and packs depend on nothing that is random.
    in_shell git 60 "
        export GIT_AUTHOR_DATE='2024-01-01T00:00:00Z' GIT_COMMITTER_DATE='2024-01-01T00:00:00Z' HOME=\$PWD
        export GIT_CONFIG_NOSYSTEM=1
        git init -q -b main a && cd a && git config user.email a@b && git config user.name a
        for i in 1 2 3 4 5 6 7 8 9 10; do seq \$i 100 >f\$i; git add . && git commit -q -m \"commit \$i\"; done
        git log --stat --graph | cksum; git log -1 --format=%H
        git checkout -q -b side HEAD~3 && echo x >g && git add g && git commit -q -m side
        git merge -q -m merged main && git repack -q -a -d --threads=2 && git fsck --strict
        git gc -q && git status && cd .. && git clone -q \"file://\$PWD/a\" b && git -C b log --oneline | cksum
        git -C b stash list; git -C b grep -n 77 | cksum; git -C b bundle create -q ../c.bundle HEAD && git -C a bundle verify -q ../c.bundle
        git -C a nonsense 2>&1 || echo \$?"
}

# shellcheck disable=SC2016 # the shell that is started expands it
with_make() {
    in_shell make 40 '
        { echo "all: $(seq -s " " -f t%g 40)"; echo "t%: ; @echo made \$@; sh -c \"echo \$\$((3 * 7)) >&2\""
          echo "fail: ; @false"; } >Makefile
        make -j4 -Otarget 2>e | sort; sort e; make -n fail; make fail || echo $?'
}

with_file() {
    in_shell file 300 '
        file -b /bin/sh /bin/true /usr/bin/file; file -b -i /etc/passwd /etc/hostname /bin/sh
        find /usr/share/doc/git* /usr/share/doc/curl /usr/share/misc -type f | sort | head -300 | xargs file -z | cksum
        printf "\037\213\010" | file -; file nothing'
}

with_apt() {
    in_shell apt-get 2 '
        apt-get -qq -s -o Debug::NoLocking=1 install --reinstall coreutils 2>&1; apt-get -s remove nothing-of-this-name || echo $?
        apt-cache policy dpkg | cksum; apt-get --version | head -n 3'
}

# shellcheck disable=SC2016 # the shell that is started expands it
with_sh() {
    in_shell sh 100 '
        for i in $(seq 100); do sh -c "echo $i; exit 3" || echo $? | cat; done
        (exec 1>&-; echo lost) || echo $?; (exec 2>&-; ls nothing) || echo $?'
}

# A dump that nobody asked for: where the shell and its children would leave it.
no_dumps() {
    [[ $way == plain ]] && return
    [[ -z $(find "$dir/work" -name '*.dump') ]] || die "$way: a dump in the working directory"
    ! grep -rl 'uncontend: ' "$home/same" || die "$way: a word of ours"
}

each_command() {
    with_"$1"
    no_dumps
}

begin_test "$@"
make_certificate
server_log=$dir/files.log
start_on_free_port "a server of files" run_files "$server_log"
for what in sh curl git make file apt; do
    rm -rf "$dir"/{plain,drbg,vdso}
    in_all_ways each_command $what
    tell $what "$asked"
done
