#!/bin/bash
# threads_job.sh -- processes whose ranks have threads count, and cost, as without
#
# Cases of all families, with one thread and with three, in one job of two ranks,
# over pools and messages.
set -u
. "$(dirname "$0")/help/command.sh"

command -v mpiexec.mpich >/dev/null || { echo "mpiexec.mpich is missing"; exit 77; }

cat >suite.json <<'JSON'
{"options": {"ranks": 2, "cache": "200k", "threads": [1, "3"]}, "cases": [
	{"algorithm": ["3d", "summa"], "n": 400},
	{"algorithm": "em-jomma", "n": 390, "panels": "nvm"},
	{"algorithm": "fused", "n": 390, "overlap": true, "kernel": "tight"},
	{"algorithm": "ooc-auto", "n": 300, "memory-budget": "60k",
	 "cache": "12k"},
	{"algorithm": "einsum", "spec": "aib,bja->ij",
	 "dims": "a=40,b=50,i=70,j=90"},
	{"algorithm": "sttsv", "n": 130, "steiner": "cover"},
	{"algorithm": "cpgrad", "n": 100, "cp-rank": 4, "steiner": "cubic"}
]}
JSON
expect 0 suite suite.json --launch --csv rows.csv
"$python" - <<'PYTHON' || fail "with threads: other counts"
import csv, os, sys

may_differ = {*os.environ["measured"].split(), "residual", "threads"}
rows = list(csv.DictReader(open("rows.csv")))
# Threads are not predicted.
may_differ |= {x for x in rows[0] if x.startswith("predict") and x[-2:] == "_s"}
if any((x["threads"] == "1") != bool(x["predicted_s"]) for x in rows):
    sys.exit("not predicted for one thread, or predicted for more")
pairs = {}
for x in rows:
    key = x["algorithm"], x["spec"], x["order"]
    pairs.setdefault(key, {})[x["threads"]] = x
for key, pair in pairs.items():
    if set(pair) != {"1", "3"}:
        sys.exit(f"{key}: {set(pair)} threads")
    for name in set(rows[0]) - may_differ:
        if not name.startswith("hwc") and pair["1"][name] != pair["3"][name]:
            sys.exit(f"{key}: {name} is {pair['1'][name]}, "
                     f"with threads {pair['3'][name]}")
sys.exit(len(pairs) < 8)
PYTHON

[ ! -e failed ]
