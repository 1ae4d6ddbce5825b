#!/bin/bash
# command_emulate.sh -- aslant run --emulate: never faster than the profile says
#
# What is certain on any machine, however busy: lower bounds, counts that stay the
# same, verdicts that follow from the error, and what is refused.  How near times
# are is for bench/measure/emulation.  ASLANT is the command.
set -u

# shellcheck source=tests/help/command.sh
. "$(dirname "$0")/help/command.sh"

# device FILE READ WRITE NET EXTRA: a profile, in ns a word
device() {
	cat >"$1" <<-JSON
		{"name": "${1%.json}", "source": "made up", "line_bytes": 256, "figures": {
		$5 "read": {"value": $2, "unit": "ns/word"},
		"write": {"value": $3, "unit": "ns/word"},
		"net": {"value": $4, "unit": "ns/word"}}}
	JSON
}

latencies='"read_latency": {"value": 3, "unit": "us"},
	"write_latency": {"value": 5, "unit": "us"},'
device slow.json 50 150 200 ''
device late.json 50 150 200 "$latencies"
device fast.json 0.01 0.01 200 ''
device unequal.json 50 0.01 200 ''

# ---- What is refused ----

small=(run vomm --n 30)
code=3
refused "--emulate: fast reads a word in 0.01 ns .* too slow to stand in" \
	"${small[@]}" --emulate --profile fast.json
refused "--emulate: unequal .*writes one in 0.01, but this machine" \
	"${small[@]}" --emulate --profile unequal.json
refused "--emulate: fast .*too slow to stand in" \
	run 3d --n 30 --ranks 2 --launch --emulate --profile fast.json
code=2 refused "--emulate: found 99 ranks on .*, expected --ranks $(nproc) at most" \
	run 3d --n 3000 --ranks 99 --launch --emulate --profile fast.json
wait
code=2

# ---- Lower bounds ----

# emulated NAME ARGUMENTS...: also to NAME.csv; the verdict is what the error says
emulated() {
	local name=$1 status
	shift
	timeout 100 "$aslant" run "$@" --csv "$name.csv" >out 2>"$name.err" \
		</dev/null
	status=$?
	"$python" - "$name" $status <<-'PYTHON' || fail "$*: $(cat "$name.err")"
		import csv, os, sys

		name, status = sys.argv[1], int(sys.argv[2])
		said = open(name + ".err").read()
		invalid = 0
		for x in csv.DictReader(open(name + ".csv")):
		    f = lambda key: float(x[key])
		    worst = lambda *keys: sum(f(k + "_words_max") for k in keys)
		    pool = 1e-9 * (f("r") * worst("nvm_read", "nvm_lift")
		                   + f("w") * worst("nvm_write", "nvm_land"))
		    assert x["medium"] == "emulated", x["medium"]
		    assert x["verified"] == "1" and x["predicted_equal"] == "1"
		    # One microsecond may still be owed at the end.
		    assert f("io_s") >= pool - 1e-6 > 0, (x["io_s"], pool)
		    assert f("wall_s") >= pool - 1e-6, (x["wall_s"], pool)
		    assert 0 <= f("io_queued_s") <= f("io_s"), x["io_queued_s"]
		    # Predicted are the same words, from a device that all ranks use.
		    reads = 1e-9 * f("r") * worst("nvm_read", "nvm_lift")
		    found, most = f("predicted_read_s"), f("ranks") * reads
		    crowded = f("ranks") > len(os.sched_getaffinity(0))
		    if name != "late" and not crowded:
		        assert found <= most * (1 + 1e-9), (found, most)
		    assert f("ranks") > 1 or found >= reads * (1 - 1e-9), (found, reads)
		    assert f("predicted_s") >= pool, (x["predicted_s"], pool)
		    if x["emulated_parts"] == "pool+net":
		        net = 1e-9 * f("beta") * f("bh_words_max")
		        assert f("wall_s") >= net, (x["wall_s"], net)
		        if x["overlap"] == "0":
		            assert f("comm_s") >= net, (x["comm_s"], net)
		    error = f("emulation_error")
		    assert error >= 0 and f("emulation_valid") == (error <= 0.15)
		    invalid += error > 0.15
		assert ("EMULATION IS NOT VALID" in said) == (invalid > 0), said
		assert status == (1 if invalid else 0), status
	PYTHON
}

# Counts are those of a run that is as fast as it can be.
same_counts() {
	local name=$1
	shift
	timeout 100 "$aslant" run "$@" --csv plain.csv >out 2>err </dev/null ||
		fail "$*: $(cat err)"
	"$python" - "$name.csv" plain.csv <<-'PYTHON' || fail "$*: other counts"
		import csv, sys

		a, b = (next(csv.DictReader(open(name))) for name in sys.argv[1:])
		for key in a:
		    if "_words" in key or key.startswith(("q_", "net_msgs", "flops")):
		        assert a[key] == b[key], (key, a[key], b[key])
		for key in b:
		    if key.startswith("emul") or key == "io_queued_s":
		        assert b[key] == "", (key, b[key])
	PYTHON
}

costs=(--profile slow.json)
one=(vomm --n 200 --cache 2k "${costs[@]}")
emulated one "${one[@]}" --emulate --reps 2
same_counts one "${one[@]}"
is emulated slow one.csv
is emulated_parts pool one.csv

dram=(vomm --n 150 --cache 2k --store dram "${costs[@]}")
emulated dram "${dram[@]}" --emulate
says "dram, emulated" <("$aslant" run "${dram[@]}" --emulate 2>err)

two=(cannon --n 200 --ranks 4 --launch --panels nvm --cache 2k "${costs[@]}")
# A launcher of one's own may start ranks on other hosts: they are not refused.
export ASLANT_LAUNCH='mpiexec.mpich -n'
emulated four "${two[@]}" --emulate
unset ASLANT_LAUNCH
same_counts four "${two[@]}"

pair=(3d --m 200 --n 200 --k 400 --ranks 2 --launch --panels nvm --cache 2k)
emulated pair "${pair[@]}" "${costs[@]}" --emulate
emulated late "${pair[@]}" --profile late.json --emulate --out result
"$python" - result/machine.json <<'PYTHON' || fail "machine.json is wrong"
import json, sys

x = json.load(open(sys.argv[1]))
e = x["emulation"]
assert x["medium"] == "emulated" and e["profile"] == "late"
assert e["lies_on"] not in ("", "emulated")
assert (e["read_ns"], e["write_latency_ns"]) == (50, 5000), e
assert 0 < e["this_machine"]["read_ns"] < 50, e
PYTHON

is emulated_parts pool+net pair.csv
emulated mpi "${pair[@]}" "${costs[@]}" --emulate --transport mpi

# A word of 20 us is waited for in front and behind, and by no other thing.
device far.json 50 150 20000 ''
emulated far "${pair[@]}" --profile far.json --emulate
export ASLANT_LAUNCH='mpiexec.mpich -n'
emulated behind fused --n 200 --ranks 4 --launch --overlap --panels nvm \
	--cache 2k --profile far.json --emulate

# Frozen half of the time, words take twice as long: that is noticed.
"$aslant" run vomm --n 300 --cache 300 "${costs[@]}" --emulate \
	--csv frozen.csv 2>err </dev/null &
frozen=$!
while kill -STOP $frozen 2>stopped; do
	sleep 0.05
	kill -CONT $frozen
	sleep 0.05
done
wait $frozen
[ $? = 1 ] || fail "frozen: expected exit code 1: $(cat err)"
is emulation_valid 0 frozen.csv
says "EMULATION IS NOT VALID" err

[ ! -e failed ] && echo "ok: 3 refused, 9 never too fast"
