#!/bin/bash
# trace_simgrid.sh -- SimGrid's time is Q where nothing contends, and longer elsewhere
#
# Algorithms of all families are replayed by scripts/simgrid on a platform without
# contention, where alpha, beta and gamma alone decide, and reading and writing cost
# nothing: SimGrid's time and Q along the critical path agree within 3%.  On a fat
# tree, a dragonfly and a torus they take as long or longer, and the report says
# which orders that turns around.  ASLANT is the command.
set -u

SCRIPT=$(realpath "$(dirname "$0")/../scripts/simgrid")
# shellcheck source=tests/help/command.sh
. "$(dirname "$0")/help/command.sh"
simgrid=$SCRIPT

# gone CODE PATTERN COMMAND...: it is refused
gone() {
	local code=$1 pattern=$2 status
	shift 2
	"$@" >out 2>err
	status=$?
	[ $status = "$code" ] && grep -q -e "$pattern" err ||
		fail "$*: exit code $status, $(cat err)"
}

mkdir bin
ln -s "$("$python" -c 'import sys; print(sys.executable)')" bin/python3
gone 3 'smpirun is missing: install SimGrid' \
	env PATH="$PWD/bin" ASLANT="$aslant" "$simgrid" --out x 3d -- --n 60 --ranks 8
gone 3 'is missing: build first' env ASLANT=/nowhere "$simgrid" --out x 3d -- --n 60
gone 2 "found 'ring', expected a file" "$simgrid" --out x --platform ring 3d -- --n 60
[ ! -e x ] || fail "something is left of what was refused"
[ ! -e failed ] || exit 1
if ! command -v smpirun >/dev/null; then
	echo "SimGrid's smpirun is missing: scripts/install-deps --checkers"
	exit 77
fi

# A machine's costs in ns; half of the time is the network's.
costs="--net-cost 1.2 --latency 1200 --flop-cost 0.03"

cat >judge.py <<'PYTHON'
import csv, sys
least, most = float(sys.argv[2]), float(sys.argv[3])
rows = list(csv.DictReader(open(f"{sys.argv[1]}/simgrid.csv")))
runs = {x["run_id"]: x for x in csv.DictReader(open(f"{sys.argv[1]}/runs.csv"))}
assert rows and len(rows) % len(runs) == 0, (len(rows), len(runs))
for x in rows:
    q, s = float(x["q_path_s"]), float(x["simgrid_s"])
    run = runs[x["run_id"]]
    assert abs(q - 1e-9 * float(run["q_apm_path"])) <= 1e-8 * q, x
    high = most if x["platform"] == "plain" else float("inf")
    assert least <= s / q <= high, f"{x}: {s / q} times Q"
PYTHON

# replayed LEAST MOST DIR ARGUMENTS...: SimGrid's times in units of Q
replayed() {
	local least=$1 most=$2 dir=$3
	shift 3
	ASLANT=$aslant "$simgrid" --out "$dir" "$@" >out 2>err || fail "$*: $(cat err)"
	"$python" judge.py "$dir" "$least" "$most" || fail "$*"
}

free="--read-cost 0 --write-cost 0"
# shellcheck disable=SC2086
{
	replayed 0.97 1.03 products --platform plain cannon summa 3d 25d em-jomma \
		lm-jomma jomma cuts cuts-fused fused 'summa --panel 20' -- \
		--n 600 --ranks 27 $costs $free
	replayed 0.97 1.03 uneven --platform plain cannon summa 3d cuts fused -- \
		--m 400 --n 700 --k 300 --ranks 31 $costs $free
	replayed 0.97 1.03 symmetric --platform plain sttsv sttsv-naive hopm cpgrad \
		'sttsv --exchange alltoall' -- --n 300 --ranks 30 $costs $free
	replayed 0.97 1.03 einsum --platform plain einsum 'einsum --way sequence' -- \
		--spec ijk,kl,jl-\>il --dims i=60,j=50,k=40,l=70 --ranks 30 $costs $free
	# Words between cache and memory take their time, too.
	replayed 0.97 1.03 words --platform plain summa cuts -- --n 600 --ranks 27 \
		--cache 2000 $costs --read-cost 1 --write-cost 3
	replayed 0.999 1.03 networks cannon summa 3d 25d cuts -- --n 600 --ranks 64 \
		$costs $free
}

expect 0 report networks --out networks.html
"$python" - <<'PYTHON' || fail "the report"
import csv, re
rows = list(csv.DictReader(open("networks/simgrid.csv")))
text = re.sub("<[^>]*>", "", open("networks.html").read())
text = text[text.index("SimGrid replayed"):]
turned = 0
for platform in ("plain", "fat-tree", "dragonfly", "torus"):
    of = [(float(x["q_path_s"]), float(x["simgrid_s"]))
          for x in rows if x["platform"] == platform]
    assert len(of) == 5
    pairs = sum(a[0] < 0.999 * b[0] and b[1] < 0.999 * a[1]
                for a in of for b in of)
    said = re.search(platform + r", n = 600, 64 ranks: .*", text)[0]
    if pairs:
        assert f"of {pairs} pair{'s' * (pairs > 1)} is turned" in said, (pairs, said)
    else:
        assert "The order is that of Q." in said, said
    turned += pairs
assert turned, "no order is turned around"
PYTHON
[ ! -e failed ]
