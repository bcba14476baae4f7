#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# claim: the Debian package is built, lintian has nothing to say, it holds what it should; installed,
# the command runs a program with the library and the manual is found; purged, nothing is left.
# UC_TEST_LONG=1: also by apt on a Debian that has nothing else, which comes over the network.
# time: 600
set -u
build=$(cd "$1" && pwd) || exit 1
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/checks/lib/unchanged.sh
. tests/checks/lib/unchanged.sh
# lintian has an opinion on dates, too.
mapfile -t inputs < <(git ls-files 2>/dev/null | while read -r file; do [[ ! -e $file ]] || echo "$file"; done)
((${#inputs[@]})) ||
    mapfile -t inputs < <(find . \( -path ./.git -o -samefile "$build" \) -prune -o -type f -print)
unless_unchanged "$build" "=$(date +%Y-%m)" "${inputs[@]}" "$build/uncontend"
bad=0
fail() { echo "$*" >&2; bad=1; }
unset LD_PRELOAD
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT

said=$(scripts/deb "$build" 2>&1) || { echo "$said" >&2; exit 1; }
version=$("$build/uncontend" --version)
package=$build/deb/uncontend_${version#uncontend }_amd64.deb
[ -e "$package" ] || { echo "no $package" >&2; exit 1; }

# All but the documents, whose names are nobody's interface.
want='usr/bin/uncontend
usr/lib/uncontend/libuncontend-rand.so
usr/lib/uncontend/libuncontend.so
usr/share/bash-completion/completions/uncontend
usr/share/man/man1/uncontend.1.gz
usr/share/man/man7/libuncontend.7.gz
usr/share/pkgconfig/uncontend.pc'
difference=$(diff <(echo "$want") <(dpkg-deb --fsys-tarfile "$package" | tar -t |
    sed -n 's|^\./||; /^$/d; /\/$/d; /^usr\/share\/doc\//d; p' | LC_ALL=C sort)) ||
    fail "expected (<) and packed (>):" "$difference"
! dpkg-deb --ctrl-tarfile "$package" | tar -t | grep -qE '/(pre|post)(inst|rm)$' ||
    fail "the package has a script of its own to run"
depends=$(dpkg-deb -f "$package" Depends)
# liblzma is the command's; of the library NEEDED is checked elsewhere.
[[ $depends =~ ^libc6\ \(\>=\ [0-9.]+\),\ liblzma5\ \([^,]+\)$ ]] || fail "it depends on $depends"

root=$dir/root
mkdir -p "$root/var/lib/dpkg/info" "$root/var/lib/dpkg/updates"
touch "$root/var/lib/dpkg/status"
trees() { (cd "$root" && find . -path ./var/lib/dpkg -prune -o -print; ls var/lib/dpkg/info) | sort; }
manage() {
    local said
    said=$(dpkg --root="$root" --force-not-root --force-depends --force-script-chrootless \
        --force-unsafe-io --log=/dev/null "$@" 2>&1) || fail "dpkg $*: $said"
}
before=$(trees)
manage --install "$package"
tool=$root/usr/bin/uncontend
# shellcheck disable=SC2016 # $LD_PRELOAD belongs to the inner shell
said=$("$tool" run -- sh -c 'echo $LD_PRELOAD' 2>&1)
[ "$said" = "$root/usr/lib/uncontend/libuncontend.so" ] || fail "the installed command preloads '$said'"
said=$("$tool" run -o STRICT=on -o DUMP_AT_EXIT=on -- /bin/true 2>&1) || fail "run: status $?"
[[ $said == "$version pid "* ]] || fail "the installed library says '$said'"
for page in 'uncontend.1' 'libuncontend.7'; do
    said=$(MANPATH=$root/usr/share/man man -w "${page#*.}" "${page%.*}" 2>&1)
    [ "$said" = "$root/usr/share/man/man${page#*.}/$page.gz" ] || fail "man -w $page: $said"
done
for object in "$root"/usr/lib/uncontend/*.so; do
    readelf -lW "$object" | grep -q 'GNU_STACK.* RW ' || fail "$object: its stack may hold code"
    readelf -S "$object" | grep -q ' \.symtab' && fail "$object is not stripped"
done
manage --purge uncontend
difference=$(diff <(echo "$before" | grep -vx format) <(trees | grep -vx format)) ||
    fail "before (<) and after (>):" "$difference"
! grep -q '^Package: uncontend$' "$root/var/lib/dpkg/status" || fail "dpkg still knows it"

((bad)) || [ "${UC_TEST_LONG-}" != 1 ] || tests/fresh/package "$package" || bad=1
((bad)) || it_passed
exit $bad
