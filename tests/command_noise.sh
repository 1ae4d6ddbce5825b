#!/bin/bash
# command_noise.sh -- cores that ranks keep busy are not taken for other programs'
#
# A product on two ranks, in one process and in processes of a job: other programs had
# at most what the host's processors did in the whole command less what its processes
# took, however busy the host is.
set -u
. "$(dirname "$0")/help/command.sh"

for how in "" --launch; do
	"$python" - "$aslant" $how <<'PYTHON' || fail "ranks as other programs, $how"
import csv, os, resource, subprocess, sys

def busy():
    """Seconds that the host's processors have worked."""
    user, nice, system, _, _, irq, softirq = map(int, open("/proc/stat").readline().split()[1:8])
    return (user + nice + system + irq + softirq) / os.sysconf("SC_CLK_TCK")

def ours():
    """Seconds of processors that the command's processes took."""
    x = resource.getrusage(resource.RUSAGE_CHILDREN)
    return x.ru_utime + x.ru_stime

start = busy() - ours()
subprocess.run([sys.argv[1], "run", "3d", "--n", "4000", "--ranks", "2", *sys.argv[2:],
                "--store", "dram", "--verify", "none", "--reps", "1", "--warmup", "0",
                "--csv", "noise.csv"], check=True, timeout=400,
               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
others = busy() - ours() - start
row = list(csv.DictReader(open("noise.csv")))[-1]
wall, said = float(row["wall_s"]), float(row["other_cores"])
# A third of a core for ticks of 10 ms.
if said * wall > others + 0.33 * wall:
    sys.exit(f"other_cores says {said} for {wall} s, others had {others} s")
PYTHON
	rm -f noise.csv
done

[ ! -e failed ]
