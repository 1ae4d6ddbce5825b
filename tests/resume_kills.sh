#!/bin/bash
# resume_kills.sh -- killed at any moment and resumed, a run ends as if it had not been
#
# Random cases of all families, each run undisturbed first.  Then all processes of
# a job are killed at a random moment, or one of them is; it is
# resumed, killed again now and then, until it ends.  The result must be the same
# file, byte for byte, counted as predicted, verified, and nothing may be left.
#
# ASLANT is the command; ASLANT_TEST_KILLS=N kills N times, not 4 (12 with
# ASLANT_TEST_CASES=all), and in jobs of 16 processes, too; ASLANT_TEST_SEED=S tries
# other cases (1).
set -eu

command -v mpiexec.mpich >/dev/null || { echo "mpiexec.mpich is missing"; exit 77; }
work=$(mktemp -d "$([ -w /dev/shm ] && echo /dev/shm || echo /tmp)/aslant-kills-XXXXXX")
trap 'rm -rf "$work"' EXIT
export work

python3 - <<'PY'
import collections, csv, os, random, signal, subprocess, sys, time

aslant, work = os.environ["ASLANT"], os.environ["work"]
few_or_all = 12 if os.environ.get("ASLANT_TEST_CASES") == "all" else 4
kills_wanted = int(os.environ.get("ASLANT_TEST_KILLS", few_or_all))
by_hand = "ASLANT_TEST_KILLS" in os.environ
seed = int(os.environ.get("ASLANT_TEST_SEED", "1"))
random.seed(seed)
mark = f"ASLANT_TEST_JOB={os.getpid()}"
pools = os.path.join(work, "pools")
os.mkdir(pools)

SQUARE = ["cannon", "25d", "25d-mml3ool2", "25d-cowe"]
PRODUCTS = ["3d", "summa", "summa-l3ool2", "em-jomma", "lm-jomma", "jomma",
            "fused", "cuts", "cuts-fused", *SQUARE]
OUT_OF_CORE = [f"ooc-{method}-{where}"
               for method in ("rotation", "replication", "accumulation")
               for where in ("inside", "outside")]
SYMMETRIC = ["sttsv", "sttsv-naive", "sttsv-sequence", "hopm", "cpgrad"]
FAMILIES = [PRODUCTS, PRODUCTS, ["vomm"], SYMMETRIC, ["einsum"], OUT_OF_CORE]

# ---- Processes ----

def ours():
    """The processes of the job: they have its mark in their environment."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/environ", "rb") as f:
                if mark.encode() in f.read().split(b"\0"):
                    found.append(int(name))
        except OSError:
            pass
    return found

def ranks_of(pids):
    """Those that are ranks: they run the command and have no such child."""
    runs, parents = set(), set()
    for pid in pids:
        try:
            if os.readlink(f"/proc/{pid}/exe") == os.path.realpath(aslant):
                runs.add(pid)
            stat = open(f"/proc/{pid}/stat").read()
            parents.add(int(stat.rpartition(")")[2].split()[1]))
        except OSError:
            pass
    return sorted(runs - parents)

def kill_all():
    while pids := ours():
        for pid in pids:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        time.sleep(0.005)

# ---- A job ----

def start(case, result, row):
    command = [aslant, "run", *case.words, "--ranks", str(case.ranks),
               "--store", "pmem", "--nvm-dir", pools, "--resume",
               "--result", result, "--csv", row]
    if case.launch:
        command.append("--launch")
    name, value = mark.split("=")
    return subprocess.Popen(command, stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                            env={**os.environ, name: value}, text=True,
                            start_new_session=True)

def end(case, job, expected):
    try:
        said, _ = job.communicate(timeout=120)
    except subprocess.TimeoutExpired:
        kill_all()
        case.fail("did not end in 120 s")
    if expected and job.returncode not in expected:
        case.fail(f"exit {job.returncode}, expected one of {expected}: {said}")
    return job.returncode

def row_of(case, path):
    with open(path) as f:
        (row,) = csv.DictReader(f)
    for name in ("predicted_equal", "verified"):
        if row[name] != "1":
            case.fail(f"{name} is {row[name]}, expected 1")
    return row

class Case:
    def __init__(self, words, ranks, launch):
        self.words, self.ranks, self.launch = words, ranks, launch
        self.starts = 0

    def __str__(self):
        how = "processes" if self.launch else "ranks on sim"
        return f"{' '.join(self.words)} on {self.ranks} {how}"

    def fail(self, what):
        kill_all()
        subprocess.run(["ls", "-l", pools])
        sys.exit(f"resume_kills: seed {seed}, {self}, start {self.starts}: "
                 f"{what}")

def undisturbed(case):
    """What is to be found; how long that takes in all, and with pools."""
    began = time.monotonic()
    job = start(case, f"{work}/expected.npy", f"{work}/expected.csv")
    wait_for_pool(job)
    has_pool = time.monotonic()
    if end(case, job, (0, 2)) == 2:
        return None
    ended = time.monotonic()
    row = row_of(case, f"{work}/expected.csv")
    if row["lives"] != "1":
        case.fail(f"{row['lives']} starts without a kill")
    with open(f"{work}/expected.npy", "rb") as f:
        return f.read(), ended - began, ended - has_pool

def wait_for_pool(job):
    while job.poll() is None and not os.listdir(pools):
        time.sleep(0.002)

def killed(case, found):
    """A job that is killed; False: it had ended."""
    job = start(case, f"{work}/result.npy", f"{work}/row.csv")
    case.starts += 1
    _, took, took_with_pool = found
    # To begin takes long: more of them while there is something to lose.
    if random.random() < 0.75:
        wait_for_pool(job)
        took = took_with_pool
    try:
        job.wait(random.uniform(0, took))
    except subprocess.TimeoutExpired:
        pass
    else:
        end(case, job, (0,))
        return False
    # Before ranks have met, the launcher may not notice for a minute.
    met = case.launch and case.starts == 1 and os.listdir(pools)
    ranks = ranks_of(ours()) if met and random.random() < 0.25 else []
    if ranks:
        try:
            os.kill(random.choice(ranks), signal.SIGKILL)
        except ProcessLookupError:
            pass
        # It may have done its part already.
        code = end(case, job, None)
        kill_all()
        return code != 0
    kill_all()
    job.communicate()
    return True

def resumed(case, expected):
    job = start(case, f"{work}/result.npy", f"{work}/row.csv")
    case.starts += 1
    end(case, job, (0,))
    row = row_of(case, f"{work}/row.csv")
    with open(f"{work}/result.npy", "rb") as f:
        if f.read() != expected:
            case.fail("the result is another one")
    return row

def nothing_left(case):
    if os.listdir(pools):
        case.fail(f"left {os.listdir(pools)}")
    for _ in range(100):
        if not ours():
            return
        time.sleep(0.02)
    case.fail(f"left processes {ours()}")

# ---- Cases ----

def product(name, ranks):
    size = lambda: str(random.randrange(300, 1500))
    words = [name, "--m", size(), "--n", size(), "--k", size(),
             "--cache", random.choice(["3k", "20k", "100k"]),
             "--memory", "10m", "--panels", random.choice(["dram", "nvm"]),
             "--write-cost", random.choice(["1", "8"])]
    if name not in ("vomm", "fused", "cuts-fused"):
        words += ["--kernel", random.choice(["vomm", "tight", "cowe"])]
    return words

def out_of_core(name, ranks):
    size = lambda: str(random.randrange(300, 1000))
    return [name, "--m", size(), "--n", size(), "--k", size(),
            "--memory-budget", random.choice(["20k", "60k"]),
            "--cache", "5k"]

def symmetric(name, ranks):
    words = [name, "--n", str(random.randrange(150, 350))]
    if name in ("sttsv", "hopm", "cpgrad"):
        words += ["--steiner", "cubic"] if ranks == 4 else []
        words += ["--exchange", random.choice(["p2p", "alltoall"])]
    if name == "hopm":
        words += ["--shift", "5", "--iterations",
                  str(random.randrange(1, 30))]
    if name == "cpgrad":
        words += ["--cp-rank", "8", "--cache", random.choice(["3k", "9k"])]
    return words

def einsum(name, ranks):
    spec, dims = random.choice([
        ("ijk,kl,jl->il", "i=200,j=200,k=200,l=60"),
        ("ij,jk,kl->il", "i=800,j=800,k=800,l=800"),
        ("ij,jk->ik", "i=1000,j=900,k=1100"),
        ("ijk->kji", "i=200,j=230,k=240"),
        ("ijk,lk->lji", "i=150,j=160,k=170,l=160"),
    ])
    words = [name, "--spec", spec, "--dims", dims, "--cache", "20k",
             "--panels", random.choice(["dram", "nvm"])]
    if spec.count(",") == 2:
        words += ["--way", random.choice(["direct", "sequence"])]
    if random.random() < 0.3:
        words += ["--initial", "rank0"]
    return words

MAKE = [product, product, product, symmetric, einsum, out_of_core]

def draw(number):
    family = number % len(FAMILIES)
    name = random.choice(FAMILIES[family])
    ranks = 1 if name == "vomm" else 16 if random.random() < 0.4 else 4
    # Sixteen processes take a second to begin.
    launch = random.random() < 0.7 and (by_hand or ranks < 16)
    return Case([*MAKE[family](name, ranks),
                 "--seed", str(random.randrange(1, 1000))], ranks, launch)

# ---- All of them ----

done = collections.Counter()
starts = collections.Counter()
families = collections.Counter()
redone = counted = 0
number = 0
began = time.monotonic()
while done["kills"] < kills_wanted:
    case = draw(number)
    number += 1
    found = undisturbed(case)
    if not found:
        done["refused"] += 1
        if done["refused"] > 20 + number / 2:
            sys.exit("resume_kills: too many cases are refused")
        continue
    nothing_left(case)
    for _ in range(2):
        case.starts = 0
        if not killed(case, found):
            done["ended before the kill"] += 1
            nothing_left(case)
            continue
        done["kills"] += 1
        while random.random() < 0.3 and killed(case, found):
            done["kills"] += 1
        if not os.listdir(pools):
            done["nothing to resume"] += 1
        row = resumed(case, found[0])
        nothing_left(case)
        done["ended well"] += 1
        starts[int(row["lives"])] += 1
        families[case.words[0]] += 1
        print(f"{done['kills']}: {case}: started {row['lives']} times", flush=True)
        if int(row["lives"]) > 1:
            redone += int(row["redone_read_words"] or 0)
            counted += int(row["nvm_read_words_total"])
print(f"{done['kills']} kills in {time.monotonic() - began:.0f} s, seed {seed}:",
      ", ".join(f"{x} {y}" for y, x in done.items() if y != "kills"))
print("algorithms:", ", ".join(f"{x} {y}" for x, y in families.items()))
print("starts:", ", ".join(f"{n}: {starts[n]}" for n in sorted(starts)))
if counted:
    print(f"read again: {100 * redone / counted:.1f}% of the words of those "
          f"that were started more than once")
PY
