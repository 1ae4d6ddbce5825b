#!/bin/bash
# docs_readers.sh -- what results/README.md says of reading tables elsewhere works
#
# Its commands are run as they stand there, on a real result of all families,
# and what they print is held against Python's csv.  pandas, R and gnuplot are
# asked if they are there, else the test is skipped in the end.  ASLANT is the
# command.
set -u

readme=$(realpath "$(dirname "$0")/../results/README.md")
# shellcheck source=tests/help/command.sh
. "$(dirname "$0")/help/command.sh"

cat >suite.json <<'JSON'
{"options": {"cache": 400, "memory": "1m", "reps": 3, "ranks": 4},
 "cases": [
	{"algorithm": ["3d", "em-jomma", "fused"], "n": [30, 45]},
	{"algorithm": ["sttsv", "hopm"], "n": 20},
	{"algorithm": "einsum", "spec": "ij,jk,kl->il",
	 "dims": "i=9,j=8,k=7,l=6", "way": ["direct", "sequence"]},
	{"algorithm": "3d", "n": 40, "store": "null"},
	{"algorithm": "ooc-rotation-inside", "n": 40, "memory-budget": 2000}
 ]}
JSON
expect 0 suite suite.json --out result
cp result/*.csv .

# Commands of the section, each a file: indented lines, up to an empty one.
awk '/^## / { on = $0 == "## Reading them elsewhere" }
	on && /^    / { print substr($0, 5) >("command." n + 0); last = NR }
	on && /^$/ && last == NR - 1 { n++ }' "$readme"
for i in {0..8}; do
	[ -s "command.$i" ] || fail "there is no command $i in results/README.md"
done
[ ! -e command.9 ] || fail "nobody judges what command 9 prints"

lacking=()
"$python" -c 'import pandas' 2>/dev/null || lacking+=(pandas)
command -v Rscript >/dev/null || lacking+=(R)
command -v gnuplot >/dev/null || lacking+=(gnuplot)
for command in command.?; do
	case $(cat "$command") in
	python3*) lacks=pandas ;;
	Rscript*) lacks=R ;;
	gnuplot*) lacks=gnuplot ;;
	awk*) lacks=- ;;
	*) fail "$command begins with another program: $(cat "$command")" ;;
	esac
	[[ " ${lacking[*]} " != *" $lacks "* ]] || continue
	# The Python that has what it takes may not be the first in PATH.
	PATH=$(dirname "$(command -v "$python")"):$PATH timeout 60 \
		bash -euo pipefail "$command" >"$command.out" 2>"$command.err" ||
		fail "$(cat "$command"): $(cat "$command.err")"
	[ ! -s "$command.err" ] || fail "$(cat "$command") says $(cat "$command.err")"
done

"$python" - <<'PYTHON' || fail "what commands print"
import csv, os, re, statistics
from collections import defaultdict

def table(path, split):
    with open(path, newline="") as f:
        return list(split(f))

runs = table("runs.csv", csv.DictReader)
ranks = table("ranks.csv", csv.DictReader)
assert any("," in x["dims"] for x in runs) and any("," in x["blocks"] for x in runs)

def said(n):
    path = f"command.{n}.out"
    return open(path).read() if os.path.exists(path) else None

times = defaultdict(list)
for x in runs:
    if x["wall_s"]:
        times[x["run_id"], x["algorithm"]].append(float(x["wall_s"]))
assert len({name for _, name in times}) < len(times) # cases are not algorithms

# pandas and R: a line a case, with the median of its times
for n in 0, 1:
    text = said(n)
    if text is None:
        continue
    for name, mine in times.items():
        found = re.search(rf"(?:^|\s){name[0]}\s+{name[1]}\s.*\s([0-9.e+-]+)$", text, re.M)
        assert found, (n, name, text)
        right = statistics.median(mine)
        assert abs(float(found[1]) - right) < 1e-3 * right + 1e-6, (name, found[0], right)

# gnuplot: it drew points; of n = 20 to 45 at least the last
text = said(2)
if text is not None:
    assert "45" in text and "A" in text, text

# awk: nothing is changed but commas inside of fields
plain = [x.rstrip("\n").split(",") for x in open("plain.csv")]
whole = table("runs.csv", csv.reader)
assert plain == [[y.replace(",", ";") for y in x] for x in whole], "plain.csv"
semi = [dict(zip(plain[0], x)) for x in plain[1:]]
columns = ["algorithm", "n", "dims", "grid", "wall_s"]
assert said(4) == "".join(" ".join(x[c] for c in columns) + "\n"
                          for x in [dict(zip(columns, columns))] + semi), said(4)
bad = sum(x["verified"] != "1" or x["predicted_equal"] != "1" for x in runs)
assert bad == 3 and said(5) == f"{bad} of {len(runs)}\n", said(5)
upper = {a: sorted(t)[len(t) // 2] for a, t in times.items()}
assert {tuple(x.split()[:2]): float(x.split()[2])
        for x in said(6).splitlines()} == upper
found = sorted((x.split()[0], float(x.split()[-1])) for x in said(7).splitlines())
assert found == sorted((x["algorithm"],
                        8.0 * int(x["nvm_write_words_total"]) +
                        8.0 * int(x["nvm_land_words_total"] or 0))
                       for x in runs if x["rep"] == "0"), said(7)
sent = defaultdict(int)
for x in ranks:
    sent[x["phase"]] += int(x["net_send_words"])
assert said(8) == "".join(f"{a} {sent[a]}\n" for a in sorted(sent)), said(8)
assert any(sent.values())
PYTHON

# Each table as it comes, every cell of it.
if [[ " ${lacking[*]} " != *" pandas "* ]]; then
	"$python" - runs.csv ranks.csv cases.csv <<'PYTHON' || fail "pandas"
import csv, math, sys
import pandas

exact = dict(keep_default_na=False, na_values="", float_precision="round_trip")

def check(path, near, **options):
    found = pandas.read_csv(path, **options)
    with open(path, newline="") as f:
        rows = list(csv.reader(f))
    assert list(found.columns) == rows[0] and len(found) == len(rows) - 1, path
    for i, row in enumerate(rows[1:]):
        for name, text in zip(rows[0], row):
            x = found[name][i]
            if not text or (text == "null" and not options):
                assert pandas.isna(x), (path, name, x)
            else:
                assert x == text or math.isclose(float(x), float(text),
                                                 rel_tol=near), (path, name, x)
    return found

for path in sys.argv[1:]:
    check(path, 0, **exact)
    found = check(path, 1e-12)
    for name in "wall_s", "n", "bh_words_max", "seconds", "net_send_words":
        assert name not in found or found[name].dtype.kind in "if", name
PYTHON
fi
if [[ " ${lacking[*]} " != *" R "* ]]; then
	cat >read.R <<'R'
x <- read.csv("runs.csv")
y <- read.csv("ranks.csv")
stopifnot(is.numeric(x$wall_s), is.numeric(x$n), is.numeric(y$seconds),
	"i=9,j=8,k=7,l=6" %in% x$dims, !anyNA(x$bh_words_max))
cat(nrow(x), ncol(x), nrow(y), ncol(y), "\n")
options(digits = 17)
write.csv(x, "again.csv", row.names = FALSE, na = "")
R
	Rscript read.R >out 2>&1 || fail "R: $(cat out)"
	[ "$(awk '{ print $1 + 1 }' out)" = "$(wc -l <runs.csv)" ] || fail "R: rows"
	"$python" - <<'PYTHON' || fail "R reads something else"
import csv
one, two = (list(csv.DictReader(open(x, newline=""))) for x in ("runs.csv", "again.csv"))
assert list(one[0]) == list(two[0])
for a, b in zip(one, two):
    for k in a:
        assert a[k] == b[k] or abs(float(a[k]) - float(b[k])) <= 1e-14 * abs(float(a[k])), (k, a[k], b[k])
PYTHON
fi
if [[ " ${lacking[*]} " != *" gnuplot "* ]]; then
	gnuplot -e 'set datafile separator comma; stats "runs.csv" using "n" nooutput;
		print STATS_records, STATS_max' >out 2>&1 || fail "gnuplot: $(cat out)"
	says '^30 45\.0$' # einsum has no n
fi

[ ! -e failed ] || exit 1
[ ${#lacking[@]} = 0 ] || {
	echo "not tried, as it is not here: ${lacking[*]}"
	exit 77
}
