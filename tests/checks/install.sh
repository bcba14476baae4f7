#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# claim: `make install` puts each file where its variable says, also twice and below a DESTDIR with a
# space; what was installed runs, and names its own place; `make uninstall` leaves nothing, and what
# others put there alone
set -u
build=$(cd "$1" && pwd) || exit 1
cd "$(dirname "$0")/../.." || exit 1
bad=0
fail() { echo "$*" >&2; bad=1; }
unset MAKEFLAGS MAKELEVEL MFLAGS LD_PRELOAD
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT

# The library and the command are there already: nothing is built, and $build is not changed.
do_make() {
    local said
    said=$(make -o all B="$build" "$@" 2>&1) || fail "make $*: $said"
}
below() { (cd "$1" && find . ! -type d | LC_ALL=C sort); }
expect() { # FOLDER FILE..
    local where=$1 difference
    shift
    difference=$(diff <(printf './%s\n' "$@" | LC_ALL=C sort) <(below "$where")) ||
        fail "in $where expected (<) and installed (>):" "$difference"
}

# As Debian's /usr/local is before anything is in it; one folder holds a file of somebody else.
root="$dir/a root"
mkdir -p "$root"/usr/local/{bin,lib,share/man/man7}
touch "$root/usr/local/share/man/man7/else.7"
before=$(cd "$root" && find . | sort)
for _ in once twice; do
    do_make install DESTDIR="$root"
    expect "$root/usr/local" bin/uncontend lib/uncontend/libuncontend.so \
        lib/uncontend/libuncontend-rand.so lib/pkgconfig/uncontend.pc share/man/man1/uncontend.1 \
        share/man/man7/libuncontend.7 share/man/man7/else.7 \
        share/bash-completion/completions/uncontend
done
for _ in once twice; do
    do_make uninstall DESTDIR="$root"
    [ "$(cd "$root" && find . | sort)" = "$before" ] ||
        fail "after uninstall:" "$(diff <(echo "$before") <(cd "$root" && find . | sort))"
done

# Each variable by itself; what is installed without DESTDIR runs.
where=$dir/p
places=(PREFIX="$where" bindir="$where/b" libdir="$where/lib64" mandir="$where/m" compdir="$where/c/d"
    pkgconfigdir="$where/k")
mkdir "$where"
do_make install "${places[@]}"
expect "$where" b/uncontend lib64/uncontend/libuncontend.so lib64/uncontend/libuncontend-rand.so \
    k/uncontend.pc m/man1/uncontend.1 m/man7/libuncontend.7 c/d/uncontend
library=$where/lib64/uncontend/libuncontend.so
# shellcheck disable=SC2016 # $LD_PRELOAD belongs to the inner shell
said=$("$where/b/uncontend" run -- sh -c 'echo $LD_PRELOAD')
[ "$said" = "$library" ] || fail "the installed command preloads '$said', expected $library"
[ "$("$where/b/uncontend" --version)" = "$("$build/uncontend" --version)" ] || fail "another version"
grep -q "LD_PRELOAD Ns = Ns Pa $library" "$where/m/man7/libuncontend.7" ||
    fail "the manual does not name $library"
! grep -rq /usr/local "$where/m" "$where/k" || fail "a file names the place it is not in"
export PKG_CONFIG_PATH=$where/k
said=$(pkg-config --validate uncontend 2>&1) || fail "pkg-config --validate: $said"
said=$(pkg-config --variable=preload uncontend)
[ "$said" = "$library" ] || fail "pkg-config: preload=$said, expected $library"
said=$(LD_PRELOAD=$(pkg-config --variable=preload_rand uncontend) UNCONTEND_RAND_BYTES=on \
    UNCONTEND_STRICT=on sh -c 'exec true' 2>&1) || fail "preload_rand: status $?"
[ -z "$said" ] || fail "preload_rand: $said"
said=$(pkg-config --modversion uncontend)
[ "uncontend $said" = "$("$build/uncontend" --version)" ] || fail "pkg-config: version $said"
ln -s "$where/b/uncontend" "$dir/link"
loads() { # COMMAND LIBRARY
    # shellcheck disable=SC2016 # $LD_PRELOAD belongs to the inner shell
    said=$("$1" run -- sh -c 'echo $LD_PRELOAD' 2>&1)
    [ "$said" = "$2" ] || fail "$1 preloads '$said', expected $2"
}
loads "$dir/link" "$library"
mv "$where" "$dir/moved"
loads "$dir/moved/b/uncontend" "$dir/moved/lib64/uncontend/libuncontend.so"
mv "$dir/moved" "$where"
do_make uninstall "${places[@]}"
left=$(below "$where")
[ -z "$left" ] || fail "left by uninstall: $left"

# Where LD_PRELOAD could not name it.
for libdir in "$where/a b" "$where/a:b"; do
    said=$(make -o all B="$build" install PREFIX="$where" libdir="$libdir" 2>&1) &&
        fail "installed to $libdir"
    [[ $said == *LD_PRELOAD* ]] || fail "libdir $libdir: $said"
    left=$(below "$where")
    [ -z "$left" ] || fail "refused, and installed: $left"
done

# A libdir that cannot be found from bindir: the command is made anew and knows it; moved, it says
# where it looked. In a copy, so that $build stays as it is.
mkdir "$dir/build"
cp -a "$build/obj" "$build"/*.so "$build/uncontend" "$dir/build/"
places=(PREFIX="$where" bindir="$where/b/c" libdir="$where/else")
said=$(make B="$dir/build" install "${places[@]}" 2>&1) || fail "make install: $said"
loads "$where/b/c/uncontend" "$where/else/uncontend/libuncontend.so"
said=$(make B="$dir/build" uninstall "${places[@]}" 2>&1) || fail "make uninstall: $said"
loads "$dir/build/uncontend" "$dir/build/libuncontend.so"
rm "$dir/build/libuncontend.so"
said=$("$dir/build/uncontend" run true 2>&1)
status=$?
[[ $status == 125 && $said == *"$where/else/uncontend"*--library* ]] ||
    fail "without a library: status $status, $said"
exit $bad
