#!/bin/bash
# command_compare.sh -- aslant compare: verdicts, means, and tables that are refused
#
# One small result is made; others are copies whose cells are changed, so that
# every ratio and every difference is known.  ASLANT is the command.
set -u
# shellcheck source=tests/help/command.sh
. "$(dirname "$0")/help/command.sh"

cat >suite.json <<'JSON'
{"options": {"ranks": 4, "cache": 4096, "reps": 6},
 "cases": [
	{"label": "all grids, 2 prices", "algorithm": ["3d", "cannon"], "n": [40, 66],
	 "write-cost": [1, 4]},
	{"algorithm": "sttsv", "n": 40},
	{"algorithm": "einsum", "spec": "ij,jk->ik", "dims": "i=9,j=8,k=7"}]}
JSON
expect 0 suite suite.json --out base

# like BASE NEW PYTHON...: a copy whose rows (a list of dicts) Python changes
like() {
	mkdir -p "$2"
	"$python" - "$@" <<'PYTHON'
import csv, sys
import random
random.seed(1)
with open(sys.argv[1] + "/runs.csv", newline="") as f:
    table = csv.DictReader(f)
    rows, names = list(table), table.fieldnames
for r in rows:
    r["busy"] = "" # whatever the machine is doing now
exec(sys.argv[3])
with open(sys.argv[2] + "/runs.csv", "w", newline="") as f:
    table = csv.DictWriter(f, names, lineterminator="\n")
    table.writeheader()
    table.writerows(rows)
PYTHON
}

# Later repetitions of a case are no slower: that would be a drift.
like base a 'for i, r in enumerate(rows):
    r["wall_s"] = 1 + [0, 5, 2, 4, 1, 3][i % 6] / 100'

# ---- Ratios, verdicts, means ----

# Twice as fast in 3d, slower by half in sttsv; cases in another order.
like a b '
factor = {"3d": 0.5, "sttsv": 1.5}
for r in rows:
    r["wall_s"] = float(r["wall_s"]) * factor.get(r["algorithm"], 1)
    r["host"] = "b"
    r["time_utc"] = ""
rows = rows[::-1]'
expect 0 compare a b --csv rows.csv
"$python" - <<'PYTHON' || fail "rows.csv is not what was expected"
import csv
rows = list(csv.DictReader(open("rows.csv")))
cases = [r for r in rows if r["row"] == "case"]
means = {r["family"]: r for r in rows if r["row"] == "mean"}
expected = {"3d": (2, "faster"), "sttsv": (2 / 3, "slower"),
            "cannon": (1, "equal within 5%"), "einsum": (1, "equal within 5%")}
assert len(cases) == 10, len(cases)
for r in cases:
    speed, verdict = expected[r["algorithm"]]
    assert abs(float(r["speed"]) - speed) < 1e-12, r
    assert r["verdict"] == verdict, r
    assert float(r["speed_low"]) <= speed <= float(r["speed_high"]), r
    assert float(r["base_median_s"]) == 1.025, r
    assert (r["base_low_s"], r["base_high_s"]) == ("1", "1.05"), r
    assert float(r["base_coverage"]) == 0.96875, r
    assert r["base_reps"] == r["other_reps"] == "6", r
    assert r["other_host"] == "b" and not r["speed_for_price"], r
    assert "bootstrap" in r["method"], r
near = lambda x, y: abs(float(x) - y) < 1e-9
assert near(means["multiplication"]["speed"], 2 ** 0.5), means
assert near(means["symmetric tensors"]["speed"], 2 / 3), means
assert near(means["all"]["speed"], (2 ** 0.5 * 2 / 3) ** (1 / 3)), means
assert means["all"]["cases"] == "10"
labelled = means["all grids, 2 prices"]
assert labelled["workload"] == "label" and labelled["cases"] == "8", labelled
assert near(labelled["speed"], 2 ** 0.5)
PYTHON
expect 0 compare b a --csv back.csv --price A=100,B=250 --weight multiplication=3
"$python" - <<'PYTHON' || fail "back.csv is not what was expected"
import csv
rows = list(csv.DictReader(open("back.csv")))
for r in rows:
    assert abs(float(r["speed_for_price"]) - 0.4 * float(r["speed"])) < 1e-12
    if r["algorithm"] == "3d":
        assert r["verdict"] == "slower" and float(r["speed"]) == 0.5
    if r["family"] == "all":
        expected = (0.5 ** (3 / 2) * 1.5) ** (1 / 5)
        assert abs(float(r["speed"]) - expected) < 1e-9, (r, expected)
PYTHON
expect 0 compare a b a
says '^B against A'
says '^C against A'
# B's mean is 0.981; 3d is twice as fast in B, sttsv half again as slow.
said=$(sed -n '/^$/,/^$/p' out | tr '\n' ' ')
[[ $said =~ '1.02 times as fast as B (1'[0-9.]*' to 1'[0-9.]*': equal within 5%), on average of 3 families (10 cases), by measured times.' ]] ||
	fail "the answer is $said"
says '^Every pair, all$'
says ' 2.000 .* faster .* 3d vomm 40, 4 ranks on .*, w 4$'
says ' 0.667 .* slower .* sttsv 40, 4 ranks'
says ' 1.000 .* equal within 5%'

# Five are enough for a verdict, four are not.
like b few 'rows = [r for r in rows if int(r["rep"]) < 4]'
like b five 'rows = [r for r in rows if int(r["rep"]) < 5]'
expect 0 compare a few
says ' 1.990 .*too few repetitions *3d'
grep -q '  faster  ' out && fail "a verdict from four repetitions"
expect 0 compare a five
says ' faster  *3d'

# ---- Many machines ----

# One that cannot be compared leaves the others comparable, wherever it stands.
like b none 'for r in rows: r["seed"] = 7'
for order in "none a b" "a none b" "a b none"; do
	# shellcheck disable=SC2086
	expect 0 compare $order
	says 'is not ranked: no case can be compared; the first: seed'
	says ' times as fast as '
done
expect 0 compare a b --csv two.csv
expect 0 compare a b none --csv three.csv
like b part 'rows = [r for r in rows if r["algorithm"] == "einsum"]'
expect 0 compare a b part
says 'is not ranked: 1 of 10 cases can be compared; the first that'
# Names, prices and watts, on the command line or by hand in machine.json.
expect 0 compare a b --name B='Vendor <X>, 2 x 6' --price A=2,B=1 --watts A=1,B=3 \
	--csv named.csv
expect 0 compare a b --name B='Vendor <X>, 2 x 6' --price A=2,B=1 --watts A=1,B=3
says '^A is 1.02 times as fast as Vendor <X>, 2 x 6 '
tr '\n' ' ' <out | grep -q '0.51 times for the money, 3.06 times for the joule' ||
	fail "money and joules: $(head -9 out)"
for place in a b; do
	echo '{"price": 3, "watts": 4, "name": "at '$place'"}' >$place/machine.json
done
expect 0 compare a b --price A=2,B=1
says '^at a is 1.02 times as fast as at b '
tr '\n' ' ' <out | grep -q '0.51 times for the money, 1.02 times for the joule' ||
	fail "machine.json: $(head -9 out)"
rm a/machine.json b/machine.json
"$python" - <<'PYTHON' || fail "two.csv, three.csv or named.csv"
import csv
two, three, named = ([x for x in csv.DictReader(open(name + ".csv"))
                      if x["row"] == "mean" and x["other"] == "b"]
                     for name in ("two", "three", "named"))
assert two and two == three, (two, three)
for x, y in zip(two, named):
    assert abs(float(y["speed_for_price"]) - 2 * float(x["speed"])) < 1e-12
    assert abs(float(y["speed_for_watts"]) - float(x["speed"]) / 3) < 1e-12
    assert y["base_name"] == "A" and y["other_name"] == "Vendor <X>, 2 x 6"
    assert float(x["speed_low"]) <= float(x["speed"]) <= float(x["speed_high"])
PYTHON

# Costs of counted words are compared if nothing else can be.
expect 0 suite suite.json --store null --profile dram-measured --out slowly
expect 0 suite suite.json --store null --profile optane-100-nt --out slower
expect 0 compare slowly slower
tr '\n' ' ' <out | grep -q 'in moving words, by their costs, without arithmetic: nothing was measured; with 50 GFLOP/s a rank [0-9.]* times' ||
	fail "counted words: $(head -9 out)"

# ---- What is not compared ----

# differs PATTERN PYTHON: where one case differs, it is named, the rest compared
differs() {
	like b other "$2"
	expect 0 compare a other
	says "^    $1"
	[ "$(grep -cE ' (faster|slower|equal within 5%)  ' out)" = 9 ] ||
		fail "$1: not nine others are compared: $(cat out)"
}

sttsv='[r for r in rows if r["algorithm"] == "sttsv"]'
differs 'seed 1 and 7$' "for r in $sttsv: r['seed'] = 7"
differs 'n 40 and 80$' "for r in $sttsv: r['n'] = 80"
differs 'cache_words 4096 and 2$' "for r in $sttsv: r['cache_words'] = 2"
differs 'memory_budget_words none and 9$' \
	"for r in $sttsv: r['memory_budget_words'] = 9"
differs 'grid [^ ]* and 1x1x9: costs choose grids; one --profile for both' \
	"for r in $sttsv: r['grid'] = '1x1x9'; r['w'] = 99"
differs 'grid [^ ]* and 1x1x9$' "for r in $sttsv: r['grid'] = '1x1x9'"
differs 'net_msgs_max [0-9]* and 1$' "for r in $sttsv: r['net_msgs_max'] = 1"
differs 'failed verification in B$' "${sttsv}[2]['verified'] = 0"
differs 'was not verified in B$' "for r in $sttsv: r['verified'] = ''"
differs 'was not counted as predicted in B$' \
	"${sttsv}[5]['predicted_equal'] = 0"
differs 'was only counted in B$' "for r in $sttsv: r['wall_s'] = ''"
differs 'times are measured and emulated' \
	"for r in $sttsv: r['medium'] = 'emulated'"
expect 0 compare a other --mixed
[ "$(grep -c '  case$\|  slower ' out)" = 2 ] || fail "--mixed: $(cat out)"
differs 'was not emulated well enough in B$' \
	"${sttsv}[1]['emulation_valid'] = 0"
differs 'the machine was busy in B (--busy compares it)$' \
	"for r in ${sttsv}[:3]: r['busy'] = 1"
expect 0 compare a other --mixed
says 'the machine was busy in B'
expect 0 compare a other --busy
grep -q 'was busy' out && fail "--busy does not compare busy machines"
differs 'was interrupted in B$' "${sttsv}[1]['lives'] = 2"
differs 'transport sim and ofi' "for r in $sttsv: r['transport'] = 'ofi'"
differs 'only in A$' 'rows = [r for r in rows if r["algorithm"] != "sttsv"]'
expect 0 compare other a
says '^    only in B$'

# All of them: then nothing is said of the machines.
like b hectic 'for r in rows: r["busy"] = 1'
expect 2 compare a hectic
says 'no case can be compared; the first: the machine was busy in B (--busy compares it)$' err
expect 0 compare a hectic --busy
# One busy minute among six is an outlier, which medians leave out.
like b once "${sttsv}[0]['busy'] = 1"
expect 0 compare a once
grep -q 'Not compared' out && fail "one busy repetition of six is too many"

# What machines are free to differ in; a table of an older version, too.
like b free '
for r in rows:
    r["medium"], r["beta"], r["memory_words"] = "fsdax", 2, 9'
expect 0 compare a free
grep -q 'Not compared' out && fail "other media and costs are not compared"
like a old 'names.remove("overlap"); [r.pop("overlap") for r in rows]'
expect 0 compare a old
grep -q 'Not compared' out && fail "an older table is not compared"

# ---- Drift ----

# Second halves of repetitions that are slower by a tenth: nobody knows which
# half another run of the machine is like.
like a drifts 'for i, r in enumerate(rows):
    r["wall_s"] = float(r["wall_s"]) * (1.1 if i % 6 < 3 else 1)'
expect 0 compare drifts b --csv rows.csv
grep -q '^case,.*,not known yet,.*,cannon,' rows.csv || fail "drift leaves equals equal"
grep -q '^case,.*,faster,.*,3d,' rows.csv || fail "drift hides a factor of two"

# Blocks that differ: machines whose level another block had, too, are not told apart,
# and the answer says why; a machine that is steady is, and needs no drift.
blocks() { # NEW DAY LEVEL DRIFT
	like a "$1" 'for i, r in enumerate(rows):
    block = i % 6 // 2
    r["run_id"] = f"202601'"$2"'T00000{block}-{i // 6}"
    r["rep"] = i % 2
    r["wall_s"] = '"$3"' * (1 + '"$4"' * (block - 1)) * (1 + 0.002 * (i % 2))'
}
blocks before 01 1 0.04
blocks after 02 1.06 0.04
expect 0 compare before after --csv rows.csv
expect 0 compare before after
tr '\n' ' ' <out | grep -q 'A is perhaps 1.06 times as fast as B (0.[0-9]* to 1.[0-9]*, of which drift [0-9]*%: not known yet, and repetitions would not tell, as the machines drift that much)' ||
	fail "drift is not said: $(head -9 out)"
says '^   speed  95% interval    drift  verdict  *case$'
blocks steady 01 1 0
blocks slow 02 1.06 0.001
expect 0 compare steady slow
says '^   0.943  0.9[34][0-9] to 0.9[45][0-9]  *[01].[0-9]%  slower  *3d'
"$python" - <<'PYTHON' || fail "rows.csv: drift is not what was expected"
import csv
rows = [r for r in csv.DictReader(open("rows.csv"))]
assert len(rows) > 10
for r in rows:
    low, high, drift = (float(r[x]) for x in ("speed_low", "speed_high", "drift_percent"))
    assert r["verdict"] == "not known yet" and not int(r["needs_reps"] or 0), r
    assert 0.8 * (high / low) ** 0.5 < 1 + drift / 100 <= 1.01 * (high / low) ** 0.5, r
PYTHON

# ---- A gate ----

expect 1 compare a b --fail-below 0.95
[ "$(cat err)" = "aslant: --fail-below 0.95: B: sttsv 40, 4 ranks on \
$(sed -n 's/.*sttsv 40, 4 ranks on //p' out | head -1): speed 0.667" ] ||
	fail "the gate says $(cat err)"
expect 0 compare a b --fail-below 0.6
expect 0 compare a a --fail-below 1
expect 1 compare a other --fail-below 0.1
says 'only in A' err
expect 2 compare a few --fail-below 0.6
says '10 cases have fewer than 5 repetitions' err

# ---- A page ----

mkdir '<i>&"'
cp b/runs.csv '<i>&"'
expect 0 compare a '<i>&"' --out page.html
[ ! -s out ] || fail "--out prints, too"
"$python" - <<'PYTHON' || fail "page.html is no good page"
from html.parser import HTMLParser
text = open("page.html").read()
class Page(HTMLParser):
    void, open, cells = {"meta", "br"}, [], []
    def handle_starttag(self, tag, attrs):
        assert tag != "i" and tag != "script", tag
        if tag not in self.void:
            self.open.append(tag)
    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag
    def handle_data(self, data):
        self.cells.append(data)
page = Page()
page.feed(text)
assert not page.open, page.open
assert any(x.startswith("A is 1.02 times as fast as B (") for x in page.cells)
for word in ('<i>&"', "faster", "slower", "2.000", "all"):
    assert word in page.cells, word
links = text.replace('xmlns="http://www.w3.org/2000/svg"', "")
assert "http" not in links and "bootstrap" in text
PYTHON

# ---- Misuse ----

mkdir empty cut named
head -1 base/runs.csv >empty/runs.csv
head -c -9 base/runs.csv >cut/runs.csv
echo schema,n >named/runs.csv
refused 'empty/runs.csv: there are no repetitions' compare a empty
refused 'cut/runs.csv: line 61: found a line that is cut off' compare a cut
refused "named/runs.csv: line 1: there is no column 'algorithm'" compare a named
like a words 'rows[3]["wall_s"] = "long"'
refused "words/runs.csv: line 5: wall_s: found 'long'" compare a words
like a sown 'for r in rows: r["seed"] = 2'
code=2 out=said/sown err=said/sown.err
expect 2 compare a sown
says 'a and sown: no case can be compared; the first: seed 1 and 2' "$err"
for i in 1 2; do
	"$aslant" run 3d --n 20 --ranks 2 --store null --out counted$i >/dev/null 2>&1
	"$aslant" run 3d --n 20 --ranks 2 --store null --profile optane-100-nt \
		--out priced$i >/dev/null 2>&1
done
code=2 out=said/counted err=said/counted.err
expect 2 compare counted1 counted2
says 'aslant report compares counts of algorithms, and --profile with costs in ns' "$err"
code=0 out=said/priced err=said/priced.err
expect 0 compare priced1 priced2
tr '\n' ' ' <said/priced | grep -q 'A is as fast as B .* with 50 GFLOP/s a rank as fast\.' ||
	fail "priced: $(cat said/priced)"
wait

[ ! -e failed ]
