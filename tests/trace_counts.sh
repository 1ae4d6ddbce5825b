#!/bin/bash
# trace_counts.sh -- aslant trace: a trace has the flops and messages that are counted
#
# For algorithms of all families the sums over all ranks' files are the totals of
# runs.csv, each message sent is received, in order, and time asleep is what reading
# and writing cost.  ASLANT is the command.
set -u

# shellcheck source=tests/help/command.sh
. "$(dirname "$0")/help/command.sh"

cat >judge.py <<'PYTHON'
import csv, sys
from collections import defaultdict

dir = sys.argv[1]
row = next(csv.DictReader(open(f"{dir}/runs.csv")))
ranks = int(row["ranks"])
listed = open(f"{dir}/trace/ranks").read().split()
assert listed == [str(i) for i in range(ranks)], listed
hosts = open(f"{dir}/trace/hosts").read().split()
assert hosts == [f"node-{i}" for i in range(ranks)], hosts

flops = words = messages = 0
slept = 0.0
sent, received = defaultdict(list), defaultdict(list)
for name in listed:
    lines = [x.split() for x in open(f"{dir}/trace/{name}")]
    assert all(x[0] == name for x in lines)
    assert lines[0][1] == "init" and lines[-1][1] == "finalize"
    for x in lines[1:-1]:
        if x[1] == "compute":
            flops += int(x[2])
        elif x[1] == "sleep":
            slept += float(x[2])
        elif x[1] in ("send", "isend"):
            assert x[3] == "0" and x[5] == "0", x
            sent[name, x[2]].append(int(x[4]))
            words += int(x[4])
            messages += 1
        elif x[1] in ("recv", "irecv"):
            received[x[2], name].append(int(x[4]))
        else:
            assert x[1] == "waitall", x

def total(*names):
    return sum(int(row[x + "_total"]) for x in names)

def equal(name, found, expected):
    assert found == expected, f"{name}: {found}, expected {expected}"

equal("flops", flops, total("flops"))
equal("words", words, total("net_send_words"))
equal("messages", messages, total("net_msgs"))
equal("received", received, sent)
cost = float(row["r"]) * total("nvm_read_words", "dram_read_words") + float(
    row["w"]) * total("nvm_write_words", "dram_write_words")
assert abs(slept * 1e9 - cost) <= 1e-9 * cost, (slept, cost)
assert messages > 0 and cost > 0
PYTHON

tried=0
# traced ARGUMENTS...
traced() {
	tried=$((tried + 1))
	expect 0 trace "$@" --read-cost 1 --write-cost 2 --out $tried
	"$python" judge.py $tried || fail "trace $*"
}

for algorithm in cannon summa 3d 25d em-jomma lm-jomma jomma cuts cuts-fused fused; do
	traced $algorithm --m 123 --n 77 --k 150 --ranks 27 --cache 1000
done
traced summa --n 100 --ranks 9 --panel 7
traced 3d --n 100 --ranks 8 --kernel cowe --panels nvm
traced auto --n 90 --ranks 12
traced sttsv --n 60 --ranks 10
traced sttsv --n 60 --ranks 10 --exchange alltoall
traced sttsv-naive --n 40 --ranks 12
traced hopm --n 60 --ranks 10 --iterations 3
traced cpgrad --n 60 --ranks 10 --cp-rank 3
traced einsum --spec ij,jk,kl-\>il --dims i=30,j=20,k=40,l=10 --ranks 12
traced einsum --spec ijk,kl-\>ijl --dims i=30,j=20,k=40,l=10 --ranks 12 --initial rank0

# Ranks that have nothing to do are there, too.
traced cannon --n 60 --ranks 11
[ "$(cat $tried/trace/10)" = "$(printf '10 init\n10 finalize')" ] ||
	fail "rank 10 is idle, but: $(cat $tried/trace/10)"

# More ranks than files can be open at once, each with more lines than are kept.
(ulimit -n 64 && expect 0 trace cannon --n 100 --ranks 100 --out many) || fail many
"$python" judge.py many 2>/dev/null || fail "100 ranks, 64 open files"

refuse 'trace: --out is missing' trace cannon --n 60 --ranks 9
refuse 'overlap' trace cannon --n 60 --ranks 9 --overlap --out x
refuse 'not empty' trace cannon --n 60 --ranks 9 --out 1
[ ! -e failed ]
