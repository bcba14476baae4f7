#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# claim: the documents name only what is there: each local link and each `make TARGET` exists, each
# example has a page that the README leads to, each setting is in the README; and they stay short
set -u
build=$(cd "$1" && pwd) || exit 1
cd "$(dirname "$0")/../.." || exit 1
bad=0
fail() { echo "$*" >&2; bad=1; }

documents=(./*.md docs/*.md examples/*/README.md)
links=0
for document in "${documents[@]}"; do
    while read -r link; do
        links=$((links + 1))
        [ -e "${document%/*}/${link%%#*}" ] || fail "$document: no $link"
    done < <(grep -oE '\]\([^)]*\)' "$document" | sed 's/^](//; s/)$//' | grep -v '^https\?:')
    # shellcheck disable=SC2016 # a backquote is a backquote
    # Paths of this tree, in code style: the README's map, and what one page says of another.
    while read -r path; do
        compgen -G "$path" >/dev/null || fail "$document: no $path"
    done < <(grep -oE '`(docs|examples|contrib|preload|shims|tools|tests|bench|scripts|debian|man)/[^` ]*`' \
        "$document" | tr -d '`' | sed 's/[A-Z]*NAME.*/*/; s/:.*//')
    while read -r target; do
        make -n -q "$target" >/dev/null 2>&1
        [ $? -le 1 ] || fail "$document: no make $target"
    done < <(grep -oE '(^|`)make [a-z][a-z-]*' "$document" | sed 's/.*make //' | sort -u)
done
((links)) || fail "no links were found"

for folder in examples/*/; do
    name=$(basename "$folder")
    [ -s "$folder/README.md" ] || fail "$folder has no README.md"
    grep -q "\`$name\`\|examples/$name" README.md || fail "the README does not lead to $folder"
done

while read -r name; do
    grep -qE "^\| ([A-Z_]+, )*$name(, [A-Z_]+)* \|" README.md || fail "the README has no setting $name"
done < <(env -i "$build/uncontend" env | sed -n 's/^UNCONTEND_\([A-Z_]*\)=.*/\1/p')

# What a build needs is listed once, and written out where people copy it from.
while read -r package; do
    for place in README.md examples/docker/Dockerfile; do
        grep -q "\b$package\b" "$place" || fail "$place does not name $package"
    done
done < <(awk '$1 == "build" { print $2 }' scripts/packages)

# The system calls that are made are those that the README tells of, and the drop-in allows.
told=$(sed -n '/^## System calls/,/^## /p' README.md)
made=$(grep -ohE --exclude='confined.*' 'SYS_[a-z0-9_]+' preload/*.[ch] | sed 's/^SYS_//' | sort -u)
(($(wc -w <<<"$made") >= 20)) || fail "system calls were not found: $made"
for call in $made; do
    grep -qw "$call" <<<"$told" || fail "the README does not tell of $call"
    grep -q "^#SystemCallFilter=.*\b$call\b" contrib/systemd/uncontend.conf || fail "the drop-in does not allow $call"
done
while read -r call; do
    grep -qx "$call" <<<"$made" || fail "the README tells of $call, which is not made"
done < <(grep -oE '\b[a-z]+(_[a-z0-9]+)+\b|\b[a-z]+[0-9]+\b' <<<"$told")

version=$("$build/uncontend" --version)
grep -q "^## ${version#uncontend }\b" CHANGELOG.md || fail "CHANGELOG.md has no ${version#uncontend }"
short() { [ "$(wc -l <"$1")" -le "$2" ] || fail "$1 has $(wc -l <"$1") lines; $2 are allowed"; }
short README.md 200
short Makefile 150
for document in docs/rollout.md SECURITY.md examples/*/README.md; do short "$document" 90; done
exit $bad
