#!/usr/bin/env bash
# multiply_job.sh -- real processes, pools and messages count what sim counts
#
# Random multiplications, each run three times: on sim, over libfabric and over
# MPI, on real pools.  Every run must be verified to the last bit and counted as
# predicted, and every column that counts, costs or clocks must be the same.
set -eu

command -v mpiexec.mpich >/dev/null || { echo "mpiexec.mpich is missing"; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export work

python3 - <<'PY'
import csv, os, random, subprocess, sys

aslant, work = os.environ["ASLANT"], os.environ["work"]
random.seed(20)
measured = {"run_id", "store", "medium", "transport", "provider", "wall_s",
            "compute_s", "comm_s", "io_s", "gflops", "host", "time_utc",
            "hwc_backend", "hwc_read_bytes", "hwc_write_bytes", "hwc_note",
            "hwc_miss_bytes", "hwc_sockets", "bind"}

def run(words, transport, ranks, provider):
    out = os.path.join(work, "runs.csv")
    command = [aslant, "run", *words, "--transport", transport, "--csv", out]
    if transport == "sim":
        command += ["--ranks", str(ranks)]
    else:
        command = ["mpiexec.mpich", "-n", str(ranks), *command]
        if transport == "ofi" and provider:
            command += ["--provider", provider]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120,
                          stdin=subprocess.DEVNULL)
    if done.returncode:
        sys.exit(f"{' '.join(command)}: exit {done.returncode}\n"
                 f"{done.stdout}{done.stderr}")
    (row,) = csv.DictReader(open(out))
    for name, expected in (("verified", "1"), ("predicted_equal", "1"),
                           ("residual", "0")):
        if row[name] != expected:
            sys.exit(f"{' '.join(command)}: {name} is {row[name]}, "
                     f"expected {expected}")
    return row

def case(number):
    size = lambda: str(random.randint(1, 1 << random.randint(0, 6)))
    ranks = random.choice([1, 2, 3, 4, 5, 7, 8, 9])
    words = [random.choice(["3d", "em-jomma", "summa", "lm-jomma", "fused",
                            "vomm"]),
             "--m", size(), "--n", size(), "--k", size(),
             "--cache", str(random.randint(3, 500)), "--memory", "1000000",
             "--kernel", random.choice(["vomm", "tight", "cowe"]),
             "--panels", random.choice(["dram", "nvm"]),
             "--write-cost", str(random.randint(1, 20)),
             "--net-cost", str(random.randint(1, 5)),
             "--latency", random.choice(["0", "10"]),
             "--entries", "exact", "--verify", "oracle"]
    if words[0] == "fused":
        words[words.index("--kernel") + 1] = "tight"
    if words[0] == "summa" and random.random() < 0.5:
        words += ["--panel", size()]
    if random.random() < 0.5:
        words += ["--overlap"]
    if words[0] not in ("vomm", "summa") and random.random() < 0.5:
        a = random.choice([d for d in range(1, ranks + 1) if ranks % d == 0])
        rest = ranks // a
        b = random.choice([d for d in range(1, rest + 1) if rest % d == 0])
        words += ["--grid", f"{a}x{b}x{rest // b}"]
    expected = run(words, "sim", ranks, None)
    for transport, provider in (("ofi", None),
                                ("ofi", random.choice(["net", "shm"])),
                                ("mpi", None)):
        row = run(words, transport, ranks, provider)
        for column in expected:
            if column not in measured and row[column] != expected[column]:
                sys.exit(f"case {number}, {' '.join(words)}: {column} on "
                         f"{transport} is {row[column]}, on sim "
                         f"{expected[column]}")

for number in range(24):
    case(number)
print("24 cases on sim, ofi and mpi: counted alike")
PY
