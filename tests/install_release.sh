#!/bin/bash
# install_release.sh -- a release depends on its commit only, and has no git in it
set -u

root=$(cd "$(dirname "$0")/.." && pwd)
. "$root/tests/help/command.sh"

command -v git >/dev/null && git -C "$root" rev-parse HEAD >/dev/null 2>&1 || {
	echo "skipped: this is no git repository"
	exit 77
}

# A repository of a few files of the tree, which has been committed.
mkdir -p tree/scripts tree/deep here there
cp "$root"/{CMakeLists.txt,CITATION.cff,.gitignore,README.md} tree
cp "$root/scripts/release" tree/scripts
touch tree/deep/{a,b,.gitignore}
commit() {
	git -C tree add -A
	git -C tree -c user.name=a -c user.email=a@b -c commit.gpgsign=false commit -qm x \
		--date=2026-01-02T03:04:05Z
}
git init -q tree
GIT_COMMITTER_DATE=2026-01-02T03:04:05Z commit

release() {
	tree/scripts/release "$@" >out 2>err || fail "$*: exit code $?: $(cat err)"
}
release --out here --doi 10.1000/x --url https://example.org/aslant
sum=$(cut -d' ' -f1 out)
touch -d 2020-01-01 tree/README.md
chmod go-r tree/deep/a
(umask 077 && TZ=Asia/Tokyo LC_ALL=C.UTF-8 release --out there --doi 10.1000/x \
	--url https://example.org/aslant)
cmp here/aslant-*.tar.gz there/aslant-*.tar.gz || fail "two tarballs of one commit differ"
[ "$sum" = "$(sha256sum <here/aslant-*.tar.gz | cut -d' ' -f1)" ] ||
	fail "another checksum is printed"

tar -xf here/aslant-*.tar.gz
cd aslant-* || exit
[ -z "$(find . -name '.git*')" ] || fail "there is something of git in it"
for line in 'url: "https://example.org/aslant"' 'doi: "10.1000/x"' \
	'date-released: "2026-01-02"'; do
	[ "$(grep -cxF "$line" CITATION.cff)" = 1 ] || fail "CITATION.cff lacks $line"
done
cd ..

# refused WORDS ARGUMENTS...
not_released() {
	local words=$1
	shift
	tree/scripts/release "$@" >out 2>err
	[ $? = 2 ] && grep -q "^release: .*$words" err || fail "$*: $(cat err)"
}
not_released "doi: found 'x'" --doi x
not_released "url: found" --url 'https://a b'
not_released "unknown option '--foo'" --foo
sed -i 's/^version: .*/version: 9.9.9/' tree/CITATION.cff
not_released "not committed"
GIT_COMMITTER_DATE=2026-01-02T03:04:05Z commit
not_released "another version"

# What the tree has can be read by those that manage references.
"$python" -c 'import yaml' 2>/dev/null && {
	"$python" - "$root/CITATION.cff" <<'PYTHON' || fail "CITATION.cff"
import sys, yaml
cff = yaml.safe_load(open(sys.argv[1], encoding="utf-8"))
assert cff["preferred-citation"]["version"] == cff["version"]
assert len(cff["references"]) >= 10
for x in cff["references"]:
    assert x["type"] and x["title"] and x["authors"], x
    assert str(x.get("doi", "10.")).startswith("10."), x
PYTHON
}

[ ! -e failed ]
