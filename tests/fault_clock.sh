#!/bin/bash
# fault_clock.sh -- the time of day jumps, and no time that was measured does
set -u

# shellcheck source=tests/help/command.sh
. "$(dirname "$0")/help/command.sh"
echo '{"cases": [{"label": "a", "algorithm": "vomm", "n": [9, 10], "store": "dram",
	"reps": 3}]}' >suite.json

jumps=(40000000 700000000)
[ "${ASLANT_TEST_CASES-}" != all ] || jumps+=(1000000)
for jump in "${jumps[@]}"; do
	export FAULT_CLOCK=$jump LD_PRELOAD=$faults
	expect 0 run em-jomma --n 40 --ranks 4 --reps 5 --out "dir$jump"
	expect 0 run em-jomma --n 40 --ranks 2 --reps 5 --launch --out "job$jump"
	expect 0 run em-jomma --n 40 --ranks 4 --keep --nvm-dir . --csv kept.csv
	expect 0 suite suite.json --out "suite$jump"
	expect 0 report "dir$jump" "job$jump" --out page.html
	# Other tests may keep the cores busy, which is no matter here.
	expect 0 compare "dir$jump" "dir$jump" --busy
	unset FAULT_CLOCK LD_PRELOAD
done

"$python" - <<'PYTHON' || fail "a measured time jumps"
import csv, glob, re, sys

bad, years = [], set()
for name in glob.glob("*/runs.csv"):
    for x in csv.DictReader(open(name)):
        for column in ("wall_s", "compute_s", "io_s", "comm_s"):
            if x[column] and not 0 <= float(x[column]) < 60:
                bad.append((name, column, x[column]))
        if not re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", x["time_utc"]):
            bad.append((name, x["time_utc"]))
        if not re.fullmatch(r"\d{8}T\d{6}-[0-9a-f]{16}", x["run_id"]):
            bad.append((name, x["run_id"]))
        years.add(x["time_utc"][:4])
for name in glob.glob("*/cases.csv"):
    for x in csv.DictReader(open(name)):
        if not 0 <= float(x["seconds"]) < 60:
            bad.append((name, x["seconds"]))
print(bad[:5], sorted(years))
sys.exit(bool(bad) or len(years) < 2)
PYTHON

[ ! -e failed ]
