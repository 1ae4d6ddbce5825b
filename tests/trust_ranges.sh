#!/bin/bash
# trust_ranges.sh -- numbers in files are looked at before they size anything
#
# Sizes, indices and counts from 2^31 to far beyond 2^64, negative and fractional, in
# every file that is read: refused with one line, at once, and with little memory.
set -u

# shellcheck source=tests/help/command.sh
. "$(dirname "$0")/help/command.sh"
ulimit -c 0

expect 0 run vomm --n 9 --store dram --reps 5 --out plain
"$python" - <<'PYTHON'
import csv, os, shutil, struct

huge = ["2147483648", "4294967296", "9223372036854775807",
        "18446744073709551615", "18446744073709551616", "1" + "0" * 18,
        "1" + "0" * 40, "-1", "-9223372036854775808", "1e30", "0"]
os.mkdir("bad")


def put(name, text):
    with open("bad/" + name, "wb") as f:
        f.write(text if isinstance(text, bytes) else text.encode())


for i, x in enumerate(huge):
    for j, shape in enumerate((f"({x}, 2)", f"(2, {x})", f"({x}, {x})",
                               f"({x}, {x}, {x})")):
        head = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}"
        head = head.ljust(117) + "\n"
        put(f"{i}-{j}.npy", b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) +
            head.encode() + bytes(32))
    for j, line in enumerate((f"{x} 2 3", f"2 {x} 3", f"{x} {x} {x}")):
        put(f"{i}-{j}c.mtx", "%%MatrixMarket matrix coordinate real general\n" +
            line + "\n1 1 1\n")
    put(f"{i}-3c.mtx", "%%MatrixMarket matrix coordinate real general\n" +
        f"2 2 1\n{x} 1 1\n")
    put(f"{i}-0a.mtx", "%%MatrixMarket matrix array real general\n" +
        f"{x} {x}\n1\n")
    put(f"{i}.tns", f"{x} 1 1 1\n")
    put(f"{i}.steiner", f"0 1 {x} 3\n1 2 3 4\n")
    for key, value in (("n", x), ("ranks", x), ("reps", x), ("cache", x),
                       ("n", '{"from": 1, "to": %s, "by": 1}' % x),
                       ("n", '{"from": %s, "to": %s, "times": 2}' % (x, x)),
                       ("n", '{"from": 1, "to": 9, "by": %s}' % x)):
        put(f"{i}-{key}-{len(value)}.json",
            '{"cases": [{"label": "a", "algorithm": "vomm", "store": "null",'
            f' "n": 9, "ranks": 1, "{key}": {value}}}]}}'.replace(
                '"n": 9, ' if key == "n" else "\0", "").replace(
                '"ranks": 1, ' if key == "ranks" else "\0", ""))
    rows = list(csv.DictReader(open("plain/runs.csv")))
    shutil.copytree("plain", f"bad/results{i}")
    with open(f"bad/results{i}/runs.csv", "w", newline="") as f:
        w = csv.DictWriter(f, rows[0].keys(), lineterminator="\n")
        w.writeheader()
        for row in rows:
            w.writerow({k: x if v.isdigit() and k != "schema" else v
                        for k, v in row.items()})
    shutil.copytree("plain", f"bad/suite{i}")
    put(f"suite{i}/cases.csv",
        "schema,case,label,options,run_id,code,seconds,runs_bytes,ranks_bytes\n" +
        f"1,{x},a,b,c,{x},{x},{x},{x}\n")
PYTHON

# ends ARGUMENTS...: with 0, 2 or 3, soon, and not by what a sanitizer found
ends() {
	local code name
	name=said/$((++number))
	while [ "$(jobs -rp | wc -l)" -ge 12 ]; do
		wait -n
	done
	{
		timeout 30 "$aslant" "$@" >"$name.out" 2>"$name.err" </dev/null
		code=$?
		case $code in
		0 | 2 | 3) ;;
		*) fail "$*: exit code $code: $(head -3 "$name.err")" ;;
		esac
		! grep -q 'runtime error\|Sanitizer' "$name.err" ||
			fail "$*: $(grep -m1 'runtime error\|Sanitizer' "$name.err")"
	} &
}
number=0
for file in bad/*.npy bad/*.mtx; do
	ends run vomm --a "$file" --n 2 --store dram
done
for file in bad/*-3.npy bad/*.tns; do
	ends run sttsv --tensor "$file" --store dram
done
for file in bad/*.steiner; do
	ends run sttsv --n 9 --ranks 2 --store dram --steiner "$file"
done
for file in bad/*.json; do
	ends suite "$file" --dry-run
done
echo '{"cases": [{"label": "a", "algorithm": "vomm", "n": 9, "store": "dram"}]}' \
	>suite.json
for dir in bad/results*; do
	ends report "$dir" --out "$dir.html"
	ends compare "$dir" plain --mixed --busy --csv "$dir.csv"
done
for dir in bad/suite*; do
	ends suite suite.json --out "$dir"
done
wait
[ $number -gt 150 ] || fail "only $number cases"

[ ! -e failed ]
