#!/bin/bash
# fault_full.sh -- a full disk is noticed, by every output, and nothing half-written
#
# Outputs go to a tmpfs that is full, or almost; pools to one that has room for
# some of them.  Without the right to mount (77) only /dev/full is tried.
set -u

# shellcheck source=tests/help/command.sh
. "$(dirname "$0")/help/command.sh"

# ---- stdout ----

expect 0 run vomm --n 9 --store dram --reps 5 --out one
expect 0 run vomm --n 9 --store dram --reps 5 --out two
cat >suite.json <<'JSON'
{"cases": [{"label": "a", "algorithm": "vomm", "n": [9, 10], "store": "dram"}]}
JSON
while read -r -a words; do
	out=/dev/full err=err
	expect 3 "${words[@]}"
	says 'cannot write to stdout: No space left on device' err
done <<'LINES'
run vomm --n 9 --store dram
run vomm --n 9 --store dram --csv -
plan --n 9 --ranks 4
bounds --n 9 --ranks 4
list algorithms
list machine
report one --out -
compare one two
compare one two --csv -
suite suite.json
--version
--help
run --help
LINES

# ---- A directory that is full ----

if ! unshare -m true 2>/dev/null; then
	echo "skipped: full file systems (mounting is not permitted)"
	[ -e failed ] && exit 1
	exit 77
fi

# full FILE ARGUMENTS...: all of the message names it; nothing is left of it
full() {
	local file=$1
	shift
	out=said/full.out err=said/full.err
	expect 3 "$@"
	says "^aslant: .*small/$file.*" $err
	grep '^aslant' $err | grep -v 'note:' | grep -q 'No space left\|no room' ||
		fail "$*: found '$(cat $err)', expected a word of room"
	[ "$(ls small)" = filler ] || fail "$*: left $(ls small)"
}

outputs() {
	mount -t tmpfs -o size=256k,mode=700 tmpfs small || exit
	head -c 262144 /dev/zero >small/filler 2>/dev/null
	full runs.csv run vomm --n 9 --store dram --csv small/runs.csv
	full dir run vomm --n 9 --store dram --out small/dir
	full dir suite suite.json --out small/dir
	full s.csv suite suite.json --csv small/s.csv
	full c.npy run vomm --n 99 --store dram --result small/c.npy
	full c.mtx run vomm --n 99 --store dram --result small/c.mtx
	full t.npy run einsum --spec ij,jk-\>ik --dims i=50,j=5,k=50 \
		--store dram --result small/t.npy
	full plan.csv plan --n 99 --ranks 64 --csv small/plan.csv
	full bounds.csv bounds --n 99 --ranks 64 --csv small/bounds.csv
	full page.html report one --out small/page.html
	full page.html compare one two --out small/page.html
	full c.csv compare one two --csv small/c.csv

	# With less and less room: whole repetitions, or none.
	for kib in 4 8 12 16 20 24 28 32; do
		head -c $((262144 - kib * 1024)) /dev/zero >small/filler
		"$aslant" run vomm --n 9 --ranks 1 --store dram --reps 9 \
			--out small/dir >out 2>err
		code=$?
		if [ $code = 3 ]; then
			says '^aslant: --out: small/dir/.*No space left' err
		elif [ $code != 0 ]; then
			fail "$kib KiB: exit code $code: $(cat err)"
		fi
		if [ -e small/dir ]; then
			diff <(cut -d, -f3 small/dir/runs.csv) \
				<(cut -d, -f3 small/dir/ranks.csv | uniq) ||
				fail "$kib KiB: one table has more than the other"
			[ "$(tail -c 1 small/dir/runs.csv | wc -l)" = 1 ] ||
				fail "$kib KiB: left half a row"
			[ "$(ls small/dir | wc -l)" = 4 ] ||
				fail "$kib KiB: left $(ls small/dir)"
		fi
		rm -rf small/dir
		# A suite is continued when there is room again.
		"$aslant" suite suite.json --reps 5 --out small/dir >out 2>err
		code=$?
		[ $code = 0 ] || [ $code = 3 ] ||
			fail "$kib KiB: suite: exit code $code: $(cat err)"
		head -c 9 /dev/zero >small/filler
		out=said/again.out err=said/again.err
		expect 0 suite suite.json --reps 5 --out small/dir
		[ "$(wc -l <small/dir/runs.csv)" = 11 ] ||
			fail "$kib KiB: continued to $(wc -l <small/dir/runs.csv) lines"
		rm -rf small/dir
	done
	umount small
}

# ---- Pools: one of three ranks has no room ----

pools() {
	export ASLANT_NVM_DIR=$work/pools SMALL=$work/small
	cat >launch <<'SHELL'
#!/bin/bash
[ "$PMI_RANK" != 1 ] || mount --bind "$SMALL" "$ASLANT_NVM_DIR"
exec "$@"
SHELL
	chmod +x launch
	mount -t tmpfs -o size=1m tmpfs small || exit
	timeout 30 mpiexec.mpich -n 3 unshare -m ./launch "$aslant" \
		run em-jomma --n 600 --keep >out 2>err </dev/null
	code=$?
	[ $code = 3 ] || fail "one full disk: exit code $code: $(cat err)"
	[ "$(grep -c '^aslant: ' err)" = 1 ] ||
		fail "one full disk: not one line: $(cat err)"
	says '^aslant: no room for the pool .*-1.pool: it needs' err
	[ -z "$(find pools small -type f)" ] ||
		fail "one full disk: left $(find pools small -type f)"
	umount small
}

mkdir small pools
export -f outputs pools full expect says fail
export aslant work
unshare -m bash -c 'outputs; pools'

[ ! -e failed ]
