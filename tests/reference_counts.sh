#!/bin/bash
# reference_counts.sh -- what is counted today is what results/reference/ says
#
# Real pools and a real network counted those; here the same suites are simulated,
# without data.  Every word, message and flop, counted and predicted, of every case
# is the same.  ASLANT is the command.
set -u

root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
	echo "reference_counts: $*"
	exit 1
}

suites=(quick sttsv contractions-timed procurement fig5)
for suite in "${suites[@]}"; do
	"${ASLANT:?}" suite "$suite" --transport sim --store null --reps 1 \
		--warmup 0 --scale file --out "$work/$suite" >"$work/out" 2>&1 ||
		fail "$suite: exit code $?: $(tail -n 3 "$work/out")"
done

python3 - "$root/results/reference" "$work" "${suites[@]}" <<'PY' || fail "see above"
import csv, sys
from decimal import Decimal

reference, today = sys.argv[1:3]
asked = ("algorithm", "kernel", "m", "n", "k", "spec", "dims", "ranks", "grid",
         "cache_words", "memory_words", "memory_budget_words", "panels", "initial",
         "r", "w", "beta", "overlap")
counted = ("_words_max", "_words_total", "msgs_max", "msgs_total", "flops_max",
           "flops_total", "q_apm_max", "q_full_max", "bound_words",
           "memory_high_words")


def cases(path):
    """Of each set of options, what its cases count, in their order: blocks of
    repetitions, which are runs of their own, count the same."""
    found = {}
    for row in csv.DictReader(open(path)):
        same = found.setdefault(tuple(row[name] for name in asked), {})
        counts = {name: row[name] and Decimal(row[name])
                  for name in row if name.endswith(counted)}
        if same.setdefault(row["run_id"], counts) != counts:
            sys.exit(f"{path}: repetitions of {row['run_id']} differ")
    return {key: [x for i, x in enumerate(runs) if x not in runs[:i]]
            for key, runs in ((k, list(v.values())) for k, v in found.items())}


for suite in sys.argv[3:]:
    then = cases(f"{reference}/{suite}/runs.csv")
    now = cases(f"{today}/{suite}/runs.csv")
    if then.keys() != now.keys():
        sys.exit(f"{suite}: other cases: {then.keys() ^ now.keys()}")
    for key in then:
        for a, b in zip(then[key], now[key], strict=True):
            other = {x: (a[x], b[x]) for x in a if a[x] != b[x]}
            if other:
                sys.exit(f"{suite}: {key}: then and now: {other}")
    print(f"ok: {suite}: {sum(map(len, then.values()))} cases")
PY
