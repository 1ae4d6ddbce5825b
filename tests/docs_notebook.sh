#!/bin/bash
# docs_notebook.sh -- results/plots.ipynb runs, and draws what it says
#
# On the reference results; and on new ones, as somebody else would have them.
# ASLANT is the command.  Skipped (77) without jupyter, pandas and matplotlib.
set -u

root=$(cd "$(dirname "$0")/.." && pwd)
. "$root/tests/help/command.sh"

for python in /usr/bin/python3 python3; do
	"$python" -c 'import ipykernel, matplotlib, nbconvert, pandas' 2>/dev/null && break
done || {
	echo "docs_notebook: skipped, there is no jupyter, pandas or matplotlib"
	exit 77
}
# Kernels and settings of whoever runs this have no part in it, and nothing stays behind.
export HOME=$work TMPDIR=$work JUPYTER_DATA_DIR=$work/data MPLBACKEND=
"$python" -m ipykernel install --prefix "$work/kernels" --name python3 >log 2>&1 ||
	fail "no kernel: $(cat log)"
export JUPYTER_PATH=$work/kernels/share/jupyter

# execute NAME: the notebook, with its figures, to NAME.ipynb
execute() {
	timeout 120 "$python" -m nbconvert --to notebook --execute --output-dir "$work" \
		--output "$1.ipynb" "$root/results/plots.ipynb" >log 2>&1 ||
		fail "$1: $(tail -3 log)"
}

# drawn NAME: three figures of some size, and no word of a warning
drawn() {
	"$python" - "$1.ipynb" <<'PYTHON' || fail "$1: figures"
import base64, io, json, sys
import matplotlib.image

found = 0
for cell in json.load(open(sys.argv[1]))["cells"]:
    for x in cell.get("outputs", []):
        assert x["output_type"] == "display_data", x
        image = matplotlib.image.imread(
            io.BytesIO(base64.b64decode(x["data"]["image/png"])))
        ink = (image[..., :3].min(axis=2) < 0.9).mean()
        assert image.shape[1] > 600 and ink > 0.01, (image.shape, ink)
        found += 1
assert found == 3, found
PYTHON
}

execute reference
drawn reference

# Sizes of the suite's cases, but quickly.
mkdir new
expect 0 suite "$root/bench/suites/procurement.json" --out new/procurement \
	--store null --scale file --reps 1 --only 'strong*' --only 'w/beta*'
expect 0 suite fig5 --store null --out new/fig5 --reps 1
export ASLANT_RESULTS=$work/new
timeout 120 "$python" -m nbconvert --to notebook --execute --output-dir "$work" \
	--output new.ipynb "$root/results/plots.ipynb" >log 2>&1 &&
	fail "results that were not verified are drawn"
grep -q AssertionError log || fail "not verified: $(tail -3 log)"
"$python" - new/*/runs.csv <<'PYTHON'
import pandas, sys
for path in sys.argv[1:]:
    rows = pandas.read_csv(path, dtype=str, keep_default_na=False)
    rows["verified"], rows["wall_s"] = "1", "0.5"
    rows.to_csv(path, index=False)
PYTHON
execute new
drawn new

[ ! -e failed ]
