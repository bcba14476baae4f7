#!/bin/bash
# SPDX-License-Identifier: MIT
# What a new user types works in a terminal, from the README alone: install, ask the doctor about
# haproxy, run and watch it, find the hot lock of examples/hot-counter by name, apply the SPEC that is
# printed, see the lock vanish. Every command that is typed here stands in one of the READMEs.
# time: 240
#
#   tests/servers/terminal-first-use.sh BUILDDIR [RECORDING]     status 0 pass, 1 fail, 77 no tmux
#
# RECORDING gets all that the terminal showed.
# shellcheck disable=SC2317 # until_true calls what it is given
# shellcheck disable=SC2016 # what stands in quotes is typed

set -uo pipefail
export LC_ALL=C.UTF-8

root=$(cd "$(dirname "$0")/../.." && pwd)
# shellcheck source=scripts/server-lib.sh
. "$root/scripts/server-lib.sh"

(($# == 1 || $# == 2)) || die "usage: $0 BUILDDIR [RECORDING]"
build=$(cd "$1" && pwd) || exit 1
recording=${2:-}
need_programs tmux haproxy openssl setpriv

begin_servers
socket=$dir/tmux
terminal() { tmux -f /dev/null -S "$socket" "$@"; }
screen() { terminal capture-pane -p -J -t "$1"; }
shows() { screen "$1" | grep -qE -e "$2"; }

# The window's shell waits for a command.
ready() { [[ $(screen "$1" | grep -v '^ *$' | tail -n 1) =~ ^\$\ *$ ]]; }

# WINDOW COMMAND [README]: types what the README shows; `filled` is how it is typed here.
type_in() {
    local window=$1 command=$2 readme=${3:-README.md} filled=${4:-$2}
    grep -qF -- "$command" "$root/$readme" || die "$readme does not show: $command"
    terminal send-keys -t "$window" -l -- "$filled"
    terminal send-keys -t "$window" Enter
}

# A window of its own for each step: a clean screen, and nothing scrolls away.
open_window() {
    local name=$1 where=$2
    terminal new-window -d -n "$name" -c "$where" "env PS1='\$ ' bash --norc --noprofile -i"
    terminal pipe-pane -t "$name" "cat >>'$dir/$name.record'"
    windows+=("$name")
    until_true "$name: a prompt" ready "$name"
}
windows=()

see() {
    local window=$1 what=$2 hundredths=6000
    until shows "$window" "$what"; do
        ((hundredths-- > 0)) || {
            screen "$window" >&2
            die "$window: '$what' was not shown within 60 s"
        }
        pause
    done
}

make -s -C "$root" B="$build" install PREFIX="$dir/usr" >&2 || die "make install failed"
make_certificate
cp -r "$root/examples/hot-counter" "$dir/example"
make -s -C "$dir/example" clean >&2
PORT=$(random_port)
export PATH=$dir/usr/bin:$PATH PORT CERT=$dir/site.pem TERM=xterm-256color
unset NO_COLOR PROMPT_COMMAND
terminal new-session -d -s first -x 80 -y 60 'exec setpriv --pdeathsig TERM sleep 600' ||
    die "no terminal"
terminal_pid=$(terminal display-message -p '#{pid}')
remember "$terminal_pid"

# haproxy: what would be taken over, then watched.
open_window doctor "$root/examples/haproxy"
type_in doctor 'uncontend doctor haproxy'
see doctor '^ *ok  *a preload reaches it'
see doctor '^reader-writer locks'

open_window haproxy "$root/examples/haproxy"
type_in haproxy 'uncontend run -- haproxy -f haproxy.cfg' README.md \
    'uncontend run -- haproxy -f haproxy.cfg -db -dR & echo pid $!.'
see haproxy '^pid [0-9]+\.'
pid=$(screen haproxy | sed -n 's/^pid \([0-9]*\)\..*/\1/p')
remember "$pid"
until_true "haproxy serves" accepts "$PORT"
type_in haproxy 'uncontend stat -w 1 PID' README.md "uncontend stat -w 1 $pid"
see haproxy "^haproxy  pid $pid  up "
see haproxy '^reader-writer locks  *total  *per second'
terminal send-keys -t haproxy C-c
kill -TERM "$pid"

# The hot counter, by name and with the way out of it.
example=examples/hot-counter/README.md
open_window find "$dir/example"
type_in find 'make' "$example"
until_true "the example is built" test -x "$dir/example/server"
until_true "make has ended" ready find
type_in find 'uncontend run ./server 4 60 &' "$example"
type_in find 'uncontend stat -w 1 -n 5 $!' "$example" 'pid=$!; uncontend stat -w 1 $pid'
see find '^    by libstore\.so\+count_hit'
see find "^    -o COUNTERS='auto;libstore"
option=$(screen find | sed -n "s/^ *\(-o COUNTERS='auto;libstore.*'\) *\$/\1/p" | head -n 1)
terminal send-keys -t find C-c
until_true "stat has ended" ready find
terminal send-keys -t find -l -- 'kill $pid; wait; echo gone.'
terminal send-keys -t find Enter
see find '^gone\.'

open_window judge "$dir/example"
type_in judge "UNCONTEND_COUNTERS='auto;libstore.so:count_hit=add64(arg0+0x38)' uncontend doctor ./server" \
    "$example"
see judge 'libstore\.so:count_hit would be replaced'

open_window apply "$dir/example"
type_in apply "uncontend run $option ./server 4 60 &" "$example"
type_in apply 'uncontend stat -w 1 -n 5 $!' "$example" 'pid=$!; uncontend stat -w 1 $pid'
see apply '^counter libstore\.so:count_hit [0-9]{6,} add64'
shows apply 'hot locks|lock_write' && { screen apply >&2; die "the lock is still there"; }
terminal send-keys -t apply C-c
until_true "stat has ended" ready apply
terminal send-keys -t apply -l -- 'kill $pid; wait; echo gone.'
terminal send-keys -t apply Enter
see apply '^gone\.'

for name in "${windows[@]}"; do
    terminal kill-window -t "$name"
    [[ -s $dir/$name.record ]] || die "$name: nothing was recorded"
    [[ -z $recording ]] || { printf '=== %s\n' "$name"; cat "$dir/$name.record"; } >>"$recording"
done
terminal kill-server
exit 0
