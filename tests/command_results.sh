#!/bin/bash
# command_results.sh -- what the command writes: CSV, result directories, C
#
# Columns are compared with a list of their own here: it is what other
# people's scripts depend on.  ASLANT is the command.
set -u

aslant=${ASLANT:?}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for python in python3 /usr/bin/python3; do
	"$python" -c 'import numpy' 2>/dev/null && break
done

fail() {
	echo "command_results: $*"
	exit 1
}

# run NAME ARGUMENTS...: the row goes to NAME.csv
run() {
	local name=$1
	shift
	"$aslant" run "$@" --csv - >"$work/$name.csv" 2>"$work/$name.err" ||
		fail "$* ends with $?: $(cat "$work/$name.err")"
}

# ---- As many repetitions as it takes ----

for share in 0.000001 1000; do
	"$aslant" run vomm --n 60 --store dram --precision $share --csv "$work/many.csv" ||
		fail "--precision $share ends with $?"
	reps=$(($(wc -l <"$work/many.csv") - 1))
	[ $reps = $([ $share = 1000 ] && echo 5 || echo 50) ] ||
		fail "--precision $share: $reps repetitions"
done
"$aslant" run vomm --n 60 --store dram --precision 1e-6 --reps 7 >"$work/many"
grep -q '^7 repetitions: median .* s, its interval .* to .* s (98.4%),$' "$work/many" ||
	fail "no summary of 7 repetitions: $(tail -3 "$work/many")"
"$aslant" run 3d --n 60 --ranks 4 --store null --precision 0.1 --csv "$work/many.csv"
[ "$(wc -l <"$work/many.csv")" = 2 ] || fail "what is only counted is repeated"
"$aslant" run 3d --n 60 --ranks 2 --launch --precision 1000 --csv "$work/many.csv"
[ "$(wc -l <"$work/many.csv")" = 6 ] || fail "5 repetitions of a job are not enough"

run sim-pmem em-jomma --n 123 --ranks 12 --nvm-dir /dev/shm --verify oracle
run sim-default 3d --m 64 --n 30 --k 50 --ranks 27
run sim-dram em-jomma --n 100 --ranks 27 --grid 3x3x3 --store dram \
	--kernel tight --cache 1k --panels nvm --write-cost 8 --latency 1e-9 \
	--read-cost 0.1 --net-cost 0.30000000000000004
run null 3d --n 10k --ranks 64 --store null --cache 32KiB
run one vomm --n 100 --store dram --reps 3 --warmup 1 --kernel cowe
run ofi em-jomma --n 90 --ranks 3 --launch
run mpi 3d --n 90 --ranks 3 --launch --transport mpi
run unverified vomm --n 20 --verify none --store dram
for id in $(tail -qn +2 "$work"/*.csv | cut -d, -f2 | sort -u); do
	[ -z "$(find /dev/shm -name "*$id*")" ] || fail "left a pool of run $id"
done

# Whole numbers make blocks of 640 x 160 words where 724 x 91 are prescribed: the summary says so.
rounded() {
	"$aslant" run jomma --n 1280 --ranks 64 --store null --cache 4k \
		--write-cost 16 --net-cost 2 --memory "$1" --grid 8x2x4
}
rounded 65536 | grep -q "blocks of A or B take 1.56 times M" ||
	fail "jomma does not say that its blocks exceed M"
! rounded 102400 | grep "times M" || fail "blocks of M words exceed M"

"$aslant" run em-jomma --n 90 --ranks 8 --grid 2x2x2 --reps 2 \
	--out "$work/dir" --csv "$work/file.csv" >"$work/out" 2>/dev/null ||
	fail "--out ends with $?"
[ ! -s "$work/out" ] || fail "--out with --csv FILE prints to stdout"
[ "$(cd "$work/dir" && echo *)" = \
	"machine.json ranks.csv runs.csv topology.xml" ] ||
	fail "--out has $(ls "$work/dir")"
[ "$(stat -c %a "$work/dir")" = 700 ] || fail "the directory is open to all"
"$aslant" run 3d --n 90 --ranks 4 --launch --out "$work/job" \
	>"$work/out" 2>/dev/null || fail "--launch --out ends with $?"
"$aslant" bounds --n 1000 --ranks 64 --csv "$work/bounds.csv" || fail bounds
"$aslant" plan --n 1000 --ranks 8 --top 4 --csv "$work/plan.csv" || fail plan
run same 3d --n 1000 --ranks 8 --store null

# What is closed is not mistaken for a file: no message is written into C.
"$aslant" run vomm --n 10 --store dram --csv "$work/closed.csv" \
	--result "$work/closed.npy" <&- >&- 2>&- || fail "closed: ends with $?"
[ "$(wc -c <"$work/closed.npy")" = 928 ] || fail "closed: not 100 numbers"

# No line is longer than a terminal is wide.
narrow() {
	"$aslant" "$@" >"$work/out" || fail "$* ends with $?"
	awk 'length > 80 { exit 1 }' "$work/out" ||
		fail "$*: lines of more than 80 columns"
}
costs=(--write-cost 1.23456e-9 --latency 1.23456e-6 --flop-cost 1.23456e-12)
for arguments in "3d --n 100 --ranks 5 --store dram" \
	"em-jomma --n 1m --ranks 64 --store null" \
	"3d --n 100k --ranks 10000 --store null" \
	"3d --n 100 --ranks 1009 --store null" \
	"vomm --n 50 --store dram --reps 2"; do
	# shellcheck disable=SC2086
	narrow run $arguments "${costs[@]}"
	grep -q "Every counter of every rank is as predicted" "$work/out" ||
		fail "$arguments: no word on the prediction"
done
narrow plan --n 100k --ranks 10009 --accounting full --top 500 "${costs[@]}"
narrow plan --n 10k --ranks 12 --choose time
narrow bounds --n 1m --ranks 1009 --cache 9g --write-cost 1e99

# Whoever stops it is told so by its exit code, and no file is dropped.
mkdir "$work/stopped"
stop() {
	cd "$work/stopped" || exit
	ulimit -c 0
	: >"$work/out"
	"$aslant" run vomm --n 100 --store dram --reps 1m --csv - \
		>"$work/out" 2>/dev/null &
	until [ -s "$work/out" ]; do
		sleep 0.01
	done
	kill -s "$1" $!
	wait $! 2>/dev/null
	[ $? = "$2" ]
}
(stop TERM 143) || fail "SIGTERM is not what ends it"
(stop SEGV 139) || fail "SIGSEGV is not what ends it"
[ -z "$(ls "$work/stopped")" ] || fail "left $(ls "$work/stopped")"

# ---- A product of files ----

"$python" - "$work" <<'PYTHON' || fail "cannot write operands"
import sys
import numpy as np

d = sys.argv[1]
g = np.random.default_rng(3)
A, B = g.standard_normal((37, 51)), g.standard_normal((51, 29))
np.save(d + "/a.npy", A)
np.save(d + "/b.npy", np.asfortranarray(B))
np.save(d + "/huge.npy", np.full((5, 5), 1e200))
with open(d + "/b.mtx", "w") as f:
    f.write("%%MatrixMarket matrix array real general\n% a comment\n51 29\n")
    f.writelines("%r\n" % float(x) for x in B.T.flat)
PYTHON

"$aslant" run 3d --ranks 12 --a "$work/a.npy" --b "$work/b.npy" \
	--result "$work/sim.npy" >"$work/out" 2>&1 || fail "files: $(cat "$work/out")"
"$aslant" run em-jomma --ranks 4 --launch --a "$work/a.npy" \
	--b "$work/b.mtx" --result "$work/ofi.mtx" >"$work/out" 2>&1 ||
	fail "files: $(cat "$work/out")"
for kernel in vomm tight cowe; do
	"$aslant" run 3d --n 60 --ranks 8 --entries exact --kernel $kernel \
		--cache 100 --result "$work/$kernel.npy" >"$work/out" 2>&1 ||
		fail "exact: $(cat "$work/out")"
	cmp "$work/vomm.npy" "$work/$kernel.npy" ||
		fail "exact entries: $kernel and vomm differ"
done

# Entries whose products overflow: the result can't be verified.
"$aslant" run 3d --ranks 4 --a "$work/huge.npy" --b "$work/huge.npy" \
	--csv "$work/wrong.csv" >"$work/out" 2>&1
[ $? = 1 ] || fail "a wrong product does not end with 1"
grep -q "VERIFICATION FAILED" "$work/out" || fail "a wrong product is not said"

# ---- What it all says ----

"$python" - "$work" <<'PYTHON' || exit 1
import csv
import json
import os
import sys
import xml.etree.ElementTree

import numpy as np

d = sys.argv[1] + "/"
counters = ["nvm_read_words", "nvm_write_words", "dram_read_words",
            "dram_write_words", "nvm_land_words", "nvm_lift_words",
            "bounce_read_words", "bounce_write_words", "net_send_words",
            "net_recv_words", "net_msgs", "bh_words", "flops"]
run_columns = """schema run_id rep algorithm kernel m n k spec dims ranks
    ranks_used grid cache_words memory_words store medium panels transport
    provider seed r w beta alpha gamma""".split()
for x in counters:
    run_columns += [x + "_max", x + "_total"]
run_columns += """read_words_max write_words_max q_apm_max q_apm_path
    q_full_max q_full_path predicted_q_apm_max predicted_q_full_max
    predicted_equal net_bound_words net_bound_ratio io_bound_words
    memory_high_words wall_s compute_s comm_s io_s gflops residual verified
    eigenvalue iterations hwc_backend hwc_read_bytes hwc_write_bytes hwc_note
    host time_utc overlap outside_apm hwc_miss_bytes hwc_sockets
    cache_model lru_read_words_max lru_read_words_total lru_write_words_max
    lru_write_words_total emulated emulated_parts io_queued_s emulation_error
    emulation_valid profile cost_unit endurance_bytes bind blocks initial
    memory_budget_words lives redone_read_words redone_write_words
    redone_net_words redone_flops safety_words ternary_mults
    q_joint_bound order threads core_nodes pool_nodes
    pool_distance_max pool_high_words blas_kernels predicted_s
    predicted_arithmetic_s predicted_read_s
    predicted_write_s predicted_net_s predicted_copy_s
    prediction_error label load steal
    other_cores busy expected energy_j energy_source
    crowded mhz predicted_energy_j type
    ab_factor c_factor word_bytes""".split()
rank_columns = (["schema", "run_id", "rep", "rank", "phase"] + counters +
                ["seconds"] + ["predicted_" + x for x in counters] +
                ["core_node", "pool_node", "pool_distance"])
measured = ["wall_s", "compute_s", "comm_s", "io_s", "gflops"]
failures = 0


def check(what, ok):
    global failures
    if not ok:
        failures += 1
        print("command_results:", what)


def table(name, columns):
    with open(d + name, newline="") as f:
        rows = list(csv.reader(f))
    check(name + ": columns", rows[0] == columns)
    check(name + ": ragged", all(len(x) == len(columns) for x in rows))
    return [dict(zip(columns, x)) for x in rows[1:]]


def runs(name, rows):
    found = table(name, run_columns)
    check(f"{name}: {len(found)} rows, expected {rows}", len(found) == rows)
    for i, x in enumerate(found):
        check(name + ": schema, rep", (x["schema"], x["rep"]) == ("1", str(i)))
        check(name + ": prediction", x["predicted_equal"] == "1" and
              x["q_apm_max"] == x["predicted_q_apm_max"] and
              x["q_full_max"] == x["predicted_q_full_max"])
        check(name + ": path below max",
              float(x["q_apm_path"]) >= float(x["q_apm_max"]) and
              float(x["q_full_path"]) >= float(x["q_full_max"]))
        flops = 2 * int(x["m"]) * int(x["n"]) * int(x["k"])
        check(name + ": flops", int(x["flops_total"]) == flops)
        check(name + ": sent is not received",
              x["net_send_words_total"] == x["net_recv_words_total"])
        for c in ("spec dims eigenvalue iterations cache_model "
                  "lru_read_words_max lru_write_words_total").split():
            check(f"{name}: {c} is not empty", x[c] == "")
        null, sim = x["store"] == "null", x["transport"] == "sim"
        for c in measured:
            check(f"{name}: {c}",
                  (x[c] == "") == (null or (sim and c == "comm_s")))
        if x["verified"]:
            check(name + ": verified", x["verified"] == "1" and
                  0 <= float(x["residual"]) <= 16)
    return found


x = runs("sim-pmem.csv", 1)[0]
check("pmem in /dev/shm", (x["store"], x["medium"]) == ("pmem", "tmpfs"))
check("verified", x["verified"] == "1")
x = runs("sim-default.csv", 1)[0]
check("default store", x["store"] == "pmem" and x["verified"] == "1")
shared = int(x["memory_words"])
check("shape", (x["m"], x["n"], x["k"]) == ("64", "30", "50"))
x = runs("sim-dram.csv", 1)[0]
check("dram", (x["medium"], x["grid"], x["panels"], x["kernel"]) ==
      ("dram", "3x3x3", "nvm", "tight"))
check("options", (x["cache_words"], x["w"], x["alpha"]) ==
      ("1000", "8", "1e-09"))
check("numbers read back", (x["r"], x["beta"]) ==
      ("0.1", "0.30000000000000004"))
x = runs("null.csv", 1)[0]
check("null", (x["medium"], x["verified"], x["residual"]) == ("model", "", ""))
check("simulated ranks share nothing but a core's part of the machine",
      os.cpu_count() >= 27 or int(x["memory_words"]) > shared)
check("KiB", x["cache_words"] == "4096")
check("attains the bound", x["grid"] == "4x4x4" and
      x["net_bound_ratio"] == "1" and x["bh_words_max"] == "14062500")
x = runs("one.csv", 3)[0]
check("one rank has no bound", (x["net_bound_words"], x["net_bound_ratio"]) ==
      ("0", ""))
x = runs("ofi.csv", 1)[0]
check("ofi", x["transport"] == "ofi" and x["provider"] != "")
x = runs("mpi.csv", 1)[0]
check("mpi", x["transport"] == "mpi" and x["verified"] == "1")
check("wrong", table("wrong.csv", run_columns)[0]["verified"] == "0")
x = runs("unverified.csv", 1)[0]
check("not verified", (x["verified"], x["residual"]) == ("", ""))


def directory(name, reps, ranks):
    rows = runs(name + "/runs.csv", reps)
    parts = table(name + "/ranks.csv", rank_columns)
    for x in rows:
        mine = [y for y in parts if y["rep"] == x["rep"] and
                y["run_id"] == x["run_id"]]
        check(name + ": ranks", {int(y["rank"]) for y in mine} ==
              set(range(ranks)))
        counted = [y for y in mine if y["phase"] not in ("fill", "verify")]
        check(name + ": predicted",
              all(y[c] == y["predicted_" + c] for y in counted
                  for c in counters))
        check(name + ": nothing is predicted of fill and verify",
              all(y["predicted_" + c] == "" for y in mine
                  for c in counters if y not in counted))
        for c in counters:
            each = [sum(int(y[c]) for y in counted if int(y["rank"]) == r)
                    for r in range(ranks)]
            check(f"{name}: {c} over ranks", int(x[c + "_total"]) == sum(each)
                  and int(x[c + "_max"]) == max(each))
    machine = json.load(open(d + name + "/machine.json"))
    check(name + ": machine.json", machine["run_id"] == rows[0]["run_id"] and
          machine["medium"] == rows[0]["medium"] and
          machine["command_line"][1] == "run" and
          machine["host"] == rows[0]["host"] and machine["notes"] and
          all(str(machine[c]) == rows[0][c]
              for c in "algorithm kernel m n k".split()))
    root = xml.etree.ElementTree.parse(d + name + "/topology.xml").getroot()
    check(name + ": topology.xml", root.tag == "topology")
    return rows


same = directory("dir", 2, 8)
check("--csv FILE beside --out", runs("file.csv", 2)[1]["bh_words_total"] ==
      same[1]["bh_words_total"])
directory("job", 1, 4)

bounds = table("bounds.csv", ["name", "value", "unit", "source"])
check("bounds", any(x["name"] == "net_words" and
                    float(x["value"]) == 3 * 62500 * 0.75 for x in bounds))
plan = table("plan.csv", """place algorithm kernel m n k ranks ranks_used
    grid cache_words memory_words r w beta q_apm_max q_full_max
    read_words_max write_words_max bh_words_max memory_high_words
    outside_apm blocks spec dims q_joint_bound q_apm_path q_full_path
    seconds arithmetic_s reading_s writing_s network_s copies_s panels""".split())
x = runs("same.csv", 1)[0]
check("plan and run --store null differ in what they assume",
      all(y[c] == x[c] for y in plan for c in """m n k ranks cache_words
    memory_words r w beta""".split()))
parts = [sum(float(v) for c, v in y.items() if c.endswith("_s"))
         for y in plan]
check("seconds are more than any part, and no more than all parts",
      all(max(float(v) for c, v in y.items() if c.endswith("_s"))
          < float(y["seconds"]) <= 1.01 * x for x, y in zip(parts, plan)))
check("places", [x["place"] for x in plan] == ["1", "2", "3", "4"])
costs = [float(x["q_apm_path"]) for x in plan]
check("plan", len(plan) == 4 and costs == sorted(costs))

A, B = np.load(d + "a.npy"), np.load(d + "b.npy")
with open(d + "ofi.mtx") as f:
    lines = [x for x in f if not x.startswith("%")]
rows, cols = (int(x) for x in lines[0].split())
ofi = np.array([float(x) for x in lines[1:]]).reshape(cols, rows).T
for name, C in (("npy", np.load(d + "sim.npy")), ("mtx", ofi)):
    check(f"A @ B is not what {name} says", C.shape == (37, 29) and
          np.allclose(C, A @ B, rtol=1e-12, atol=1e-12))
sys.exit(failures != 0)
PYTHON
echo "all as expected"
