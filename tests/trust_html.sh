#!/bin/bash
# trust_html.sh -- pages show what a stranger wrote, and obey none of it
#
# Results whose hosts, notes, labels, profiles, times and numbers are HTML: the
# page has no element, attribute or address that is not aslant's own.
set -u

# shellcheck source=tests/help/command.sh
. "$(dirname "$0")/help/command.sh"

# shellcheck disable=SC2016
evil='<script>owned()</script><img src="x" onerror='\''owned()'\''>&"--></title></style>'
expect 0 run em-jomma --n 40 --ranks 4 --store dram --reps 5 --out plain
expect 0 run em-jomma --n 40 --ranks 4 --store dram --reps 5 --write-cost 3 \
	--out other

"$python" - "$evil" <<'PYTHON' || fail "cannot write results"
import csv, json, os, shutil, sys

evil = sys.argv[1]


def spoil(value):
    if isinstance(value, dict):
        return {k + evil: spoil(v) for k, v in value.items()} | {
            k: spoil(v) for k, v in value.items()}
    if isinstance(value, list):
        return [spoil(x) for x in value] + [evil]
    return evil if isinstance(value, str) else value


# Every column of text in turn, and some numbers as text that is none.
for source in ("plain",):
    rows = list(csv.DictReader(open(source + "/runs.csv")))
    numbers = [c for c in rows[0] if rows[0][c].replace(".", "").isdigit()]
    for column in sorted(set(rows[0]) - set(numbers)) + numbers[::9]:
        for text in (evil, rows[0][column] + evil):
            to = f"spoilt/{source}-{column}-{len(text)}"
            shutil.copytree(source, to, dirs_exist_ok=True)
            with open(to + "/runs.csv", "w", newline="") as f:
                w = csv.DictWriter(f, rows[0].keys(), lineterminator="\n")
                w.writeheader()
                w.writerows({**row, column: text} for row in rows)
            machine = json.load(open(source + "/machine.json"))
            json.dump(spoil(machine), open(to + "/machine.json", "w"))
PYTHON
# The directory's own name is shown, too.
name="spoilt/${evil//\//_}"
cp -r plain "$name"
sed "s|^1,[^,]*,|1,\"${evil//\"/\"\"}\",|" plain/runs.csv >"$name/runs.csv"

# page NAME COMMAND...: most of a start is spent asleep, so several at once
page() {
	local name=$1 code
	shift
	timeout 60 "$aslant" "$@" --out "page-$name.html" >"said/$name" 2>&1
	code=$?
	[ $code = 0 ] || [ $code = 2 ] || fail "$*: exit code $code"
}
count=0
for dir in spoilt/*; do
	count=$((count + 1))
	page $count report "$dir" plain &
	page $count-compare compare "$dir" plain --mixed --busy &
	while [ "$(jobs -rp | wc -l)" -ge 12 ]; do
		wait -n
	done
done
wait
pages=$(find . -name 'page-*.html' | wc -l)
[ "$pages" -gt 20 ] || fail "only $pages pages"

"$python" - <<'PYTHON' || fail "a page obeys what it shows"
import glob, html.parser, re, sys
import xml.etree.ElementTree as tree

bad = []


class Page(html.parser.HTMLParser):
    def handle_starttag(self, tag, attributes):
        if tag in ("script", "img", "iframe", "object", "embed", "link", "form"):
            bad.append((name, "element " + tag))
        for key, value in attributes:
            if key.startswith("on"):
                bad.append((name, "attribute " + key))
            if key in ("href", "src") and not (value or "").startswith("#"):
                if not re.match(r"(data:text/csv|https?://)", value or ""):
                    bad.append((name, key + " " + str(value)[:40]))


shown = 0
for name in glob.glob("page-*.html"):
    text = open(name).read()
    if "compare" not in name:
        tree.fromstring(text)   # well-formed: nothing ends what it is in
    Page().feed(text)
    shown += "&lt;script&gt;owned()" in text
print(shown, "pages show it;", bad[:5])
sys.exit(bool(bad) or shown < 10)
PYTHON

[ ! -e failed ]
