#!/bin/bash
# command_calibrate.sh -- aslant calibrate: a profile that can be used at once
#
# One real calibration, as short as it can be.
# ASLANT is the command.
set -u

aslant=${ASLANT:?}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

for python in python3 /usr/bin/python3; do
	"$python" -c 'import json' 2>/dev/null && break
done

fail() {
	echo "command_calibrate: $*"
	exit 1
}

# Two jobs, one after the other; each launcher ends a while after its outputs.
mkdir bin
cat >bin/mpiexec.mpich <<END
#!/bin/bash
$(command -v mpiexec.mpich) "\$@"
code=\$?
exec >&- 2>&-
sleep 0.5
exit \$code
END
chmod +x bin/mpiexec.mpich

since=$SECONDS
PATH=$PWD/bin:$PATH timeout -k 5 100 "$aslant" calibrate x.json --quick \
	>out 2>err </dev/null ||
	fail "exit code $?: $(cat err)"
[ $((SECONDS - since)) -lt 60 ] ||
	fail "--quick took $((SECONDS - since)) s, expected less than 60"
lines="$(grep '^[0-9]*/10 .*: measured, [0-9]* s left$' err)"
[ "$(grep -vc 'on shared cores' <<<"$lines")" = 10 ] ||
	fail "progress is not ten lines: $(cat err)"
grep -q $'\r' err && fail "a carriage return where there is no terminal"
for figure in read write "DRAM read" "DRAM write" network message flop call \
	"word of A" "word of B" "word of C" "word beyond 8 MiB" "flop at an edge" \
	"word set to zero" "flop of vectors" "tensor's word" "word of a sum" "matrix times vector"; do
	grep -qE "(^| )$figure +[0-9.e+-]+ +[0-9.e+-]+ +[0-9.e+-]+ " out ||
		fail "no line of $figure: $(cat out)"
done
grep -q "^written to x.json$" out || fail "does not say where: $(cat out)"

"$python" - x.json <<'PYTHON' || fail "the profile is wrong"
import json, os, sys

x = json.load(open(sys.argv[1]))
keys = "read write dram_read dram_write net latency flop".split()
terms = """product_flop product_call product_left product_right
product_result product_far product_edge product_zero simple_flop stream add product_vector""".split()
assert sorted(x["figures"]) == sorted(keys + terms), x["figures"]
for key in "product_flop", "simple_flop", "stream", "add", "product_vector":
    assert x["figures"][key]["value"] > 0, key
words, ns = x["steps"]["words"], x["steps"]["ns"]
assert len(words) == len(ns) == 14 and words == sorted(set(words)), words
assert min(ns) > 0 and ns[-1] > ns[0], ns
# Ranks that share cores: on hosts of up to 31 cores.
crowded = x["steps"].get("crowded_ns")
if len(os.sched_getaffinity(0)) < 32:
    assert len(crowded) == 14 and min(crowded) > 0, crowded
    steps = x["steps"]
    assert steps["crowded_row_ns"] > 0 and steps["crowded_message_ns"] > 0, steps
    assert crowded == sorted(crowded) and len(set(crowded[:7])) == 1, crowded
for part in "figures", "alone":
    for key, figure in x[part].items():
        assert 0 <= figure["low"] <= figure["value"] <= figure["high"], figure
        assert figure["samples"] >= 7, figure
for key in keys:
    if key not in ("net", "latency"):
        assert x["figures"][key]["value"] > 0, key
        assert x["alone"][key]["value"] > 0, key
assert "calibrate" in x["source"] and x["ranks"] >= 2
for key in ("host", "time_utc", "aslant", "store", "pool_dir", "medium",
            "transport", "provider", "note", "environment"):
    assert key in x["provenance"], key
PYTHON

# The profile's costs are those of a run that names it.
timeout 20 "$aslant" run 3d --n 10 --store null --profile x.json \
	--csv rows.csv 2>err || fail "cannot be used: $(cat err)"
"$python" - x.json rows.csv <<'PYTHON' || fail "costs are not the profile's"
import csv, json, sys

x = json.load(open(sys.argv[1]))["figures"]
row = next(csv.DictReader(open(sys.argv[2])))
for key, column in (("read", "r"), ("write", "w"), ("net", "beta"),
                    ("latency", "alpha"), ("flop", "gamma")):
    assert abs(x[key]["value"] - float(row[column])) <= \
        1e-9 * x[key]["value"], (key, x[key], row[column])
PYTHON

# And its times are those of the prediction: a product is no faster than its flops.
timeout 20 "$aslant" run 3d --n 100 --store null --profile x.json \
	--csv rows.csv 2>err || fail "cannot be used: $(cat err)"
"$python" - x.json rows.csv <<'PYTHON' || fail "seconds are not the profile's"
import csv, json, sys

x = json.load(open(sys.argv[1]))["figures"]
row = next(csv.DictReader(open(sys.argv[2])))
flops = 2e6 * x["product_flop"]["value"] * 1e-9
assert flops <= float(row["predicted_s"]) <= 1000 * flops, (flops, row)
PYTHON
echo "ok: a profile in $((SECONDS - since)) s"
