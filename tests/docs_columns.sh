#!/bin/bash
# docs_columns.sh -- every column of every table is in results/README.md
#
# Headings that the command writes are held against the tables of that file, in
# both directions.  ASLANT is the command.
set -u

readme=$(realpath "$(dirname "$0")/../results/README.md")
# shellcheck source=tests/help/command.sh
. "$(dirname "$0")/help/command.sh"

expect 0 suite <(echo '{"cases": [{"algorithm": "3d", "n": 16, "reps": 5}]}') \
	--out here
mv out suite.out
expect 0 plan --n 16 --csv plan.csv
# Mixed: whatever else the machine does now.
expect 0 compare here here --busy --csv compare.csv
expect 0 bounds --n 16 --csv bounds.csv
# Of a small cache, so that filling memory takes no time.
HWLOC_SYNTHETIC="pack:1 l3:1(size=2MB) core:2 pu:1" \
	expect 0 sweep --ranks 2 --time-budget 1s --store dram --out here

"$python" - "$readme" <<'PYTHON' || fail "columns and results/README.md differ"
import csv, re, sys

def heading(path):
    with open(path, newline="") as f:
        return next(csv.reader(f))

def section(text, title):
    found = re.search(r"^## " + re.escape(title) + r"\n(.*?)(?=^## |\Z)", text,
                      re.M | re.S)
    assert found, f"there is no section '{title}'"
    return found[1]

def names(cell, columns):
    """Of "`a`, `b`"; and of "`a` ... `c`", which is all from a to c."""
    found = re.findall(r"`([a-z_0-9]+)`", cell)
    if " ... " in cell and set(found) <= set(columns):
        return columns[columns.index(found[0]):columns.index(found[1]) + 1]
    return found

def rows(text, columns):
    """Column by column of the tables of a section; each must have a meaning."""
    found = set()
    for line in text.splitlines():
        cells = [x.strip() for x in line.strip().strip("|").split(" | ")]
        if not line.startswith("| `") or len(cells) < 2 or not cells[1]:
            continue
        for x in names(cells[0], columns):
            # A counter X stands for its largest and its sum.
            found |= {x} if x in columns else {x + "_max", x + "_total"}
    return found

def listed(text, columns):
    return set(re.findall(r"`([a-z_0-9]+)`", text)) & set(columns)

tables = [("runs.csv", "here/runs.csv", rows),
          ("ranks.csv", "here/ranks.csv", rows),
          ("cases.csv", "here/cases.csv", rows),
          ("sweep.csv", "here/sweep.csv", rows),
          ("aslant compare --csv", "compare.csv", rows),
          ("aslant plan --csv", "plan.csv", listed),
          ("aslant bounds --csv", "bounds.csv", listed)]

def check(text):
    for title, path, read in tables:
        columns = heading(path)
        found = read(section(text, title), columns)
        for x in columns:
            if x not in found:
                yield f"{title}: {x} is not documented"
        for x in found - set(columns):
            yield f"{title}: {x} is documented, but there is no such column"

text = open(sys.argv[1], encoding="utf-8").read()
wrong = list(check(text))
print("\n".join(wrong))
if wrong:
    sys.exit(1)

# Would it be noticed?  Each name in turn is another one, where it is explained.
counted = 0
for title, path, read in tables:
    body = section(text, title)
    for x in heading(path):
        place = r"^(\| [^|]*)" if read is rows else r"()"
        broken = re.sub(place + f"`{x}`", r"\1`no_such`", body, flags=re.M)
        if broken != body:
            assert any(True for _ in check(text.replace(body, broken))), x
            counted += 1
print(f"{counted} names, each of which would be missed")
assert counted > 100, counted
PYTHON

[ ! -e failed ]
