#!/bin/bash
# multiply_job.sh -- real processes, pools and messages count what sim counts
#
# Random multiplications, each run four times: on sim, over two providers of
# libfabric and over MPI, on real pools.  Every run must be verified to the last bit
# and counted as predicted, and every column that counts, costs or clocks must be
# the same.  Cases of as many ranks share a job.
set -eu

. "$(dirname "$0")/help/command.sh"

command -v mpiexec.mpich >/dev/null || { echo "mpiexec.mpich is missing"; exit 1; }

"$python" - <<'PY'
import csv, json, os, random, subprocess, sys

aslant = os.environ["ASLANT"]
count = os.environ.get("ASLANT_TEST_CASES", "12")
count = 48 if count == "all" else int(count)
random.seed(20)
measured = set(os.environ["measured"].split())
measured |= {"store", "medium", "transport", "provider", "host", "bind", "crowded"}
shared = {"predicted_" + what + "s" for what in
          ("", "arithmetic_", "read_", "write_", "net_", "copy_")}

def run(cases, ranks, *how):
    """The rows of these cases, in one job."""
    suite, out = "suite.json", "runs.csv"
    with open(suite, "w") as f:
        json.dump({"cases": cases}, f)
    command = [aslant, "suite", suite, "--ranks", str(ranks), *how, "--csv", out]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120,
                          stdin=subprocess.DEVNULL)
    if done.returncode:
        sys.exit(f"{' '.join(command)}: exit {done.returncode}\n"
                 f"{cases}\n{done.stdout}{done.stderr}")
    with open(out) as f:
        rows = list(csv.DictReader(f))
    if len(rows) != len(cases):
        sys.exit(f"{' '.join(command)}: {len(rows)} rows of {len(cases)} cases")
    for case, row in zip(cases, rows):
        for name, expected in (("verified", "1"), ("predicted_equal", "1"),
                               ("residual", "0")):
            if row[name] != expected:
                sys.exit(f"{' '.join(how)}, {case}: {name} is {row[name]}, "
                         f"expected {expected}")
    return rows

def draw(ranks):
    size = lambda: random.randint(1, 1 << random.randint(0, 6))
    case = {"algorithm": random.choice(["3d", "em-jomma", "summa", "lm-jomma",
                                        "fused", "vomm"]),
            "m": size(), "n": size(), "k": size(),
            "cache": random.randint(3, 500), "memory": 1000000,
            "kernel": random.choice(["vomm", "tight", "cowe"]),
            "panels": random.choice(["dram", "nvm"]),
            "write-cost": random.randint(1, 20),
            "net-cost": random.randint(1, 5),
            "latency": random.choice([0, 10]),
            "entries": "exact", "verify": "oracle"}
    if case["algorithm"] == "fused":
        case["kernel"] = "tight"
    if case["algorithm"] == "summa" and random.random() < 0.5:
        case["panel"] = size()
    if random.random() < 0.5:
        case["overlap"] = True
    if case["algorithm"] not in ("vomm", "summa") and random.random() < 0.5:
        a = random.choice([d for d in range(1, ranks + 1) if ranks % d == 0])
        rest = ranks // a
        b = random.choice([d for d in range(1, rest + 1) if rest % d == 0])
        case["grid"] = f"{a}x{b}x{rest // b}"
    return case

jobs = {}
for number in range(count):
    ranks = (1, 3, 4, 9, 2, 5, 7, 8)[number % (4 if count < 16 else 8)]
    jobs.setdefault(ranks, []).append(draw(ranks))
for ranks, cases in jobs.items():
    expected = run(cases, ranks, "--transport", "sim")
    for how in (("ofi", "--provider", "net"), ("ofi", "--provider", "shm"),
                ("mpi",)):
        rows = run(cases, ranks, "--launch", "--transport", *how)
        for case, row, sim in zip(cases, rows, expected):
            # Simulated ranks do not share cores.
            apart = ranks > len(os.sched_getaffinity(0))
            for column in sim:
                if apart and column in shared:
                    continue
                if column not in measured and row[column] != sim[column]:
                    sys.exit(f"{case} on {ranks} ranks: {column} over "
                             f"{' '.join(how)} is {row[column]}, on sim "
                             f"{sim[column]}")
print(f"{count} cases on sim, ofi and mpi: counted alike")
PY
