#!/bin/bash
# command_sweep.sh -- raw figures: all points, in time, and in the report
#
# Blocks and turns of suites are here, too: both are for comparing machines.
# ASLANT is the command.
set -u
# shellcheck source=tests/help/command.sh
. "$(dirname "$0")/help/command.sh"

# ---- Sweep ----

cat >suite.json <<'JSON'
{"options": {"ranks": 2, "n": 48, "reps": 5, "cache": "64KiB"},
 "cases": [{"label": "a", "algorithm": ["3d", "summa"]}]}
JSON
expect 0 suite suite.json --out here
# Of a small cache, so that filling memory takes no time.
since=$(date +%s%N)
HWLOC_SYNTHETIC="pack:1 l3:1(size=2MB) core:2 pu:1" \
	expect 0 sweep --ranks 2 --time-budget 2s --out here
says '^sweeping [0-9]* points: about 2 s$' err
[ $(($(date +%s%N) - since)) -gt 1900000000 ] || fail "points took no time"
grep -q '^latency, pmem on' out || fail "no latency: $(cat out)"
"$python" - <<'PYTHON' || fail "sweep.csv is not what was expected"
import csv
rows = list(csv.DictReader(open("here/sweep.csv")))
kinds = {}
for r in rows:
    assert float(r["low"]) <= float(r["value"]) <= float(r["high"]), r
    assert float(r["value"]) > 0, r
    kinds.setdefault((r["what"], r["store"]), []).append(r)
units = {"read": "GB/s", "write": "GB/s", "write and flush": "GB/s",
         "mix": "GB/s", "latency": "ns", "message": "us", "dgemm": "GFLOP/s"}
assert {k for k, _ in kinds} == set(units), kinds.keys()
assert all(r["unit"] == units[r["what"]] for r in rows)
sizes = {int(r["bytes"]) for r in kinds["read", "pmem"]}
assert min(sizes) == 64 and max(sizes) == 1 << 20, sizes
assert {r["ranks"] for r in kinds["read", "pmem"]} == {"1", "2"}
assert [float(r["write_share"]) for r in kinds["mix", "pmem"]] == \
    [0, .25, .5, .75, 1]
alone, *loaded = kinds["latency", "pmem"]
assert float(alone["load_gbs"]) == 0 and len(loaded) == 6, loaded
assert all(float(r["load_gbs"]) > 0 for r in loaded), loaded
# Larger accesses are faster, whatever else runs here.
read = {(r["bytes"], r["ranks"]): float(r["value"]) for r in kinds["read", "pmem"]}
assert read["1048576", "1"] > 3 * read["64", "1"], read
PYTHON
expect 0 report here
grep -q 'Bandwidth by size of access' here/report.html || fail "no figure"
refuse "sweep: found 'x'" sweep x
refuse "time-budget: found 'soon'" sweep --time-budget soon
refuse "simulated network has nothing to measure" sweep --transport sim

# ---- Blocks, and runs that take turns ----

expect 0 suite suite.json --blocks 2 --out blocks
expect 0 suite suite.json --blocks 2 --out blocks
says '4 of 4 cases are in blocks already' err
refuse "block: found 3, expected one of 2" suite suite.json --blocks 2 --block 3
mkdir pools
expect 0 suite suite.json --blocks 2 --interleave 'one --seed 3' \
	--interleave "two --nvm-dir $work/pools --seed 3"
refuse "interleave: give two or more" suite suite.json --interleave one
refuse "interleave: found '--store dram'" suite suite.json \
	--interleave '--store dram' --interleave b
"$python" - <<'PYTHON' || fail "blocks are not what was expected"
import csv
def runs(d):
    return list(csv.DictReader(open(d + "/runs.csv")))
for d in ("blocks", "one", "two"):
    rows = runs(d)
    # 5 repetitions of 2 cases: 2 in the first block, 3 in the second.
    assert [r["algorithm"] for r in rows] == \
        ["3d"] * 2 + ["summa"] * 2 + ["3d"] * 3 + ["summa"] * 3, rows
    assert len({r["run_id"] for r in rows}) == 4
assert {r["seed"] for r in runs("one") + runs("two")} == {"3"}
first = lambda d, k: runs(d)[k]["time_utc"]
assert first("one", 0) <= first("two", 0) <= first("one", 9) <= first("two", 9)
PYTHON
expect 0 compare one two --busy

# ---- Expectations ----

sed 's/"label": "a",/"label": "a", "expect": {"gflops": ">= 1e-9", "q_apm_path": "< 9"},/' \
	suite.json >expect.json
expect 1 suite expect.json --out missed
[ "$(grep -c 'not as expected: q_apm_path is [0-9]*, expected < 9$' err)" = 2 ] ||
	fail "expectations: $(cat err)"
expect 0 report missed --export missed.xml
says 'failures="2"' missed.xml
sed -i 's/, "q_apm_path": "< 9"//' expect.json
expect 0 suite expect.json --out met
is expected 'gflops >= 1e-9' met/runs.csv
expect 0 report met --export met.xml
says 'failures="0"' met.xml
for bad in '"gflops": "40"' '"speed": "> 1"' '"gflops": "=> 4"' '"gflops": 4' ''; do
	sed "s/\"label\": \"a\",/\"expect\": {$bad},/" suite.json >bad.json
	refuse "expect: found" suite bad.json
done

# ---- One file of results ----

expect 0 pack met
says 'met.tar: [0-9]* files of met'
expect 0 compare met.tar met
mkdir unpacked
tar xf met.tar -C unpacked && (cd unpacked && sha256sum --quiet -c SHA256SUMS) ||
	fail "sha256sum does not accept met.tar"
expect 0 report met.tar --out packed.html
grep -q '<h1>met</h1>' packed.html || fail "the page has another name"
for what in "changed:runs.csv" "lost:ranks.csv"; do
	cp -r unpacked bad
	[ "${what%:*}" = lost ] && rm "bad/${what#*:}"
	[ "${what%:*}" = lost ] || sed -i 's/3d/4d/' "bad/${what#*:}"
	(cd bad && tar cf ../bad.tar -- *)
	refuse "bad.tar: its files are not those of its SHA256SUMS" report bad.tar
	rm -r bad
done
# Names in it are not trusted.
mkdir bad
printf '%064d  ../x\n' 0 >bad/SHA256SUMS
tar cf bad.tar -C bad SHA256SUMS
refuse "neither a directory nor a file of aslant pack" report bad.tar
refuse "neither a directory nor a file of aslant pack" compare met/runs.csv met
[ -z "$(ls -d "${TMPDIR:-/tmp}"/aslant-?????? 2>/dev/null)" ] || fail "unpacked results stay"
refuse "pack: found 'nowhere'" pack nowhere
refuse "pack: expected one directory" pack

expect 0 report missed met --out two.html --figures figures
[ "$(find figures -name '*.svg' | wc -l)" -gt 4 ] || fail "figures: $(ls figures)"
"$python" -c 'import sys, xml.dom.minidom as x; [x.parse(f) for f in sys.argv[1:]]' \
	figures/*.svg || fail "figures are no XML"
