#!/bin/bash
# command_noise.sh -- cores that ranks keep busy are not taken for other programs'
#
# A product on two ranks, in one process and in processes of a job: other programs had
# at most the cores' time without that of the ranks, however busy the host is.
set -u
. "$(dirname "$0")/help/command.sh"

for how in "" --launch; do
	"$python" - "$aslant" $how <<'PYTHON' || fail "ranks as other programs, $how"
import csv, os, resource, subprocess, sys

def run(n):
    """The last row, and seconds of processors that all processes took."""
    def used():
        x = resource.getrusage(resource.RUSAGE_CHILDREN)
        return x.ru_utime + x.ru_stime
    before = used()
    subprocess.run([sys.argv[1], "run", "3d", "--n", str(n), "--ranks", "2",
                    *sys.argv[2:], "--store", "dram", "--verify", "none", "--reps", "1",
                    "--warmup", "0", "--csv", "noise.csv"], check=True, timeout=400,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return list(csv.DictReader(open("noise.csv")))[-1], used() - before

start = run(50)[1]
row, all = run(4000)
wall, others = float(row["wall_s"]), float(row["other_cores"])
ours = (all - start) / wall
# A third of a core for ticks of 10 ms, and for drawing operands before the clock starts.
if others > os.cpu_count() - ours + 0.33:
    sys.exit(f"others kept {others} cores busy, and the ranks {ours}")
PYTHON
	rm -f noise.csv
done

[ ! -e failed ]
