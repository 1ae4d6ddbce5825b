#!/bin/bash
# trust_files.sh -- what is made is the user's alone, and goes through no stranger's link
#
# Modes under any umask; links in a directory that anybody may write to, on every
# way to a file that is written; names that nobody can guess.
set -u

# shellcheck source=tests/help/command.sh
. "$(dirname "$0")/help/command.sh"

# mode FILE MODE
mode() {
	[ "$(stat -c %a "$1")" = "$2" ] || fail "$1: mode $(stat -c %a "$1"), not $2"
}

case_of() {
	umask "$1"
	mkdir -p "m$1"
	mkdir -m 755 "m$1/found"
	expect 0 run em-jomma --n 20 --ranks 2 --keep --nvm-dir "m$1/found" \
		--out "m$1/dir" --csv "m$1/a.csv" --result "m$1/c.npy"
	for file in "m$1"/found/*.pool "m$1"/dir/*; do
		mode "$file" 600
	done
	mode "m$1/dir" 700
	mode "m$1/a.csv" "$2" # named by the user, to be shown
	mode "m$1/c.npy" "$2"
	expect 0 report "m$1/dir" --out "m$1/page.html"
	mode "m$1/page.html" "$2"
	mkdir -m 755 "m$1/empty"
	expect 0 suite suite.json --out "m$1/empty"
	for file in "m$1"/empty/*; do
		mode "$file" 600
	done
	expect 0 suite suite.json --out "m$1/suite"
	mode "m$1/suite" 700
	chmod 640 "m$1/c.npy"
	expect 0 run vomm --n 20 --store dram --result "m$1/c.npy"
	mode "m$1/c.npy" 640 # that of the file whose place it takes
}
echo '{"cases": [{"label": "a", "algorithm": "vomm", "n": 9, "store": "dram"}]}' \
	>suite.json
(case_of 000 666)
(case_of 022 644)
(case_of 077 600)
(
	umask 000
	unset ASLANT_NVM_DIR
	expect 0 run vomm --n 9 --keep # in a new directory of its own
	dir=$(sed -n 's/.*are kept in //p' err)
	mode "$dir" 700
	mode "$(echo "$dir"/*)" 600
	rm -rf "$dir"
)

# ---- Links ----

mkdir -m 1777 sticky
mkdir victim victim/empty
echo precious | tee victim/file victim/file.npy victim/file.html >victim/file.csv
cd sticky || exit
for name in file file.npy file.csv file.html empty; do
	ln -s ../victim/$name $name
done
ln -s ../victim dir
ln -s ../victim/nothing nothing
ln -s ../victim/nothing.csv nothing.csv
ln -s ../victim/nothing.npy nothing.npy
cd ..
ln -s sticky/dir on-the-way # a link of ours to a link of a stranger
code=2
links=$work/sticky
for file in file.csv nothing.csv dir/file.csv dir/new.csv; do
	refuse "symbolic link.*anybody may write" run vomm --n 9 --store dram \
		--csv "$links/$file"
	refuse "symbolic link.*anybody may write" bounds --n 9 --csv "$links/$file"
done
for file in file.npy nothing.npy dir/file.npy dir/new.npy; do
	refuse "symbolic link.*anybody may write" run vomm --n 9 --store dram \
		--result "$links/$file"
done
for dir in empty nothing dir/empty dir/new; do
	refuse "--out: .*symbolic link.*anybody may write" run vomm --n 9 \
		--store dram --out "$links/$dir"
	refuse "--out: .*symbolic link.*anybody may write" suite suite.json \
		--out "$links/$dir"
done
refuse "symbolic link.*anybody may write" run vomm --n 9 --store dram \
	--csv on-the-way/new.csv
refuse "symbolic link.*anybody may write" report m022/dir --out "$links/file.html"
refuse "symbolic link.*anybody may write" compare m022/dir m022/dir --busy \
	--out "$links/file.html"
refuse "symbolic link.*anybody may write" calibrate "$links/file" --quick
for dir in empty dir dir/empty; do
	for keep in --keep --warmup=0; do
		refuse "$links/.*symbolic link.*anybody may write" run vomm --n 9 \
			--nvm-dir "$links/$dir" $keep
	done
done
[ "$(cat victim/file*)" = $'precious\nprecious\nprecious\nprecious' ] ||
	fail "wrote through a link"
[ "$(find victim | wc -l)" = 6 ] || fail "made $(find victim) through a link"

# Elsewhere links are followed, as everywhere.
ln -s victim ours
expect 0 run vomm --n 9 --store dram --csv ours/file.csv --out ours/dir \
	--result ours/file.npy
[ "$(wc -l <victim/file.csv)" = 2 ] || fail "a link of ours is not followed"
mode victim/dir 700
# A result directory that was begun: what a stranger put there is not opened.
mkdir -m 1777 begun
cp m022/suite/* begun
rm begun/runs.csv
cp m022/suite/runs.csv victim/rows
ln -s ../victim/rows begun/runs.csv
expect 2 suite suite.json --out begun
cmp victim/rows m022/suite/runs.csv || fail "a suite wrote through a link"

# ---- Names ----

mkdir pools
for _ in 1 2 3; do
	expect 0 run vomm --n 9 --keep --nvm-dir pools
done
salts=$(find pools -name '*.pool' | cut -d- -f3)
grep -vqE '^[0-9a-f]{16}$' <<<"$salts" && fail "pools are called $(ls pools)"
[ "$(sort -u <<<"$salts" | wc -l)" = 3 ] ||
	fail "pools have names that can be guessed: $(ls pools)"
mkdir two
# While it is written a result has no name at all.
: >out
"$aslant" run vomm --n 300 --store dram --reps 1m --csv - --result two/c.npy \
	>out 2>err &
until_true 20 test -s out || fail "no row of a run that writes a result"
case $(stat -f -c %T two) in
ext2/ext3 | tmpfs | xfs | btrfs)
	[ -z "$(find two -name 'c.npy*')" ] || fail "a result has a name already"
	;;
esac
kill $!
wait $! 2>/dev/null
[ -z "$(find two -name 'c.npy*')" ] || fail "a result is left behind"

[ ! -e failed ]
