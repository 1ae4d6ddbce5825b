#!/bin/bash
# docs_examples.sh -- the pages' examples print what the pages say
#
# Runs every command that a README shows with its output, page by page, and
# compares the two (tests/help/examples.py).  Examples that need another machine
# are left to the tests named below.  Also: the picture's figures, the sentence
# quoted from a report, every option and every test that a page names.  ASLANT is
# the command.
set -u

root=$(realpath "$(dirname "$0")/..")
# shellcheck source=tests/help/command.sh
. "$(dirname "$0")/help/command.sh"

unset HWLOC_XMLFILE
# Builds for sanitizers leave those in guests out, which pages name, too.
{
	ctest --test-dir "${BUILD:?}" -N | sed -n 's/^ *Test *#[0-9]*: //p'
	basename -s .sh "$root"/tests/lab_*.sh
} >tests.txt
mkdir -p tree/build tree/scripts tree/results
ln -s "$(realpath "$aslant")" tree/build/aslant
cp "$root"/scripts/quickstart tree/scripts
sed 's/"warmup": 1, "reps": 5/"reps": 1/' "$root"/scripts/quickstart.json \
	>tree/scripts/quickstart.json # which is quicker
for script in install-deps build; do
	printf '#!/bin/sh\n' >tree/scripts/$script
	chmod +x tree/scripts/$script
done

"$python" - "$root" <<'PYTHON' || fail "pages and command differ"
import csv, glob, html, os, re, sys

root = sys.argv[1]
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(root, "tests/help"))
import examples

wrong = []

# Examples that another test runs: they need a machine, a batch system, a signal.
ELSEWHERE = {
    r"aslant list machine$": "command_machine",
    r"aslant list counters$": "command_hwc",
    r"aslant suite quick --launch --out here$": "suite_continue",
    r"^(scripts/submit|tail -n 1 results/quick.log)": "batch_slurm",
}

def pages():
    for folder, folders, names in os.walk(root):
        folders[:] = [x for x in folders if not x.startswith((".", "build", "reference"))]
        yield from (os.path.join(folder, x) for x in names if x == "README.md")

def run(command, cwd):
    return examples.run(command, cwd, os.path.realpath("tree/build/aslant"))

def check(page, command, said):
    if command.startswith("cat "): # a file that the next example reads
        with open(os.path.join("tree", command[4:]), "w") as f:
            f.write("\n".join(said) + "\n")
        return
    for pattern, test in ELSEWHERE.items():
        if re.search(pattern, command):
            if test not in open("tests.txt").read().split():
                wrong.append(f"{page}: there is no test {test}, which tries {command}")
            return
    form = command.endswith("compare shm file")
    if form: # the machine may be busy with other tests
        command += " --busy"
    code, lines = run(command.replace("bench/", root + "/bench/"), "tree")
    if not examples.prints(said, lines, form):
        wrong.append(f"{page}: $ {command}\n  prints\n" + "\n".join(lines))
    elif code and "--emulate" not in command:
        wrong.append(f"{page}: $ {command}\n  exit code {code}")

# What `compare shm file` compares: two cases, 7 repetitions of each.
with open("tree/two.json", "w") as f:
    f.write('{"options": {"n": 2048, "ranks": 4, "reps": 7, "cache": "16MiB"},'
            ' "cases": [{"algorithm": ["em-jomma", "fused"]}]}')
os.makedirs("tree/pools")
for name, where in ("shm", ""), ("file", "--nvm-dir pools"):
    if run(f"build/aslant suite two.json --n 128 --out {name} {where}", "tree")[0]:
        wrong.append("compare: no results")

texts = {os.path.relpath(x, root): open(x, encoding="utf-8").read() for x in pages()}
with open(os.path.join(root, "results/FINDINGS.md"), encoding="utf-8") as f:
    others = {"results/FINDINGS.md": f.read()} # run by scripts/findings
count = 0
quickstart = [x for x in examples.examples(texts["README.md"]) if "quickstart" in x[0]]
for page, text in sorted(texts.items()):
    for example in examples.examples(text):
        count += 1
        if example not in quickstart:
            check(page, *example)

# The quickstart is one script, which says what it runs.
said = "\n".join(x for command, lines in quickstart for x in ["$ " + command, *lines, ""])
code, lines = run("scripts/quickstart", "tree")
if not examples.prints(["...", *said.strip().split("\n"), "..."], lines):
    wrong.append("README.md: scripts/quickstart prints\n" + "\n".join(lines))

# The picture shows the same runs.
with open(glob.glob("tree/results/quickstart-*/runs.csv")[0], newline="") as f:
    rows = {x["algorithm"]: x for x in csv.DictReader(f)}
with open(os.path.join(root, "results/aslant.svg"), encoding="utf-8") as f:
    bars = re.findall(r">([\w.= -]+)</text>", f.read())
    start = bars.index("cannon")
for name, row in rows.items():
    words = [float(row[x]) for x in ("read_words_max", "write_words_max", "bh_words_max")]
    at = bars.index(name, start)
    expected = [f"{x / 1e6:.1f}" for x in (words[0], 4 * words[1], words[2])]
    expected.append("Q = %.1f" % (float(row["q_apm_path"]) / 1e6))
    if bars[at + 1:at + 5] != expected:
        wrong.append(f"aslant.svg: {name} has {bars[at + 1:at + 5]}, counted {expected}")
    if name == "fused":
        for kind, got, bound in (("written", words[1],
                                  "%d" % (int(row["m"]) * int(row["n"]) / int(row["ranks"]))),
                                 ("over the network", words[2], row["net_bound_words"])):
            line = f"{kind} {got:.0f} {got:.0f} {bound}"
            if line not in [" ".join(x.split()) for x in bars]:
                wrong.append(f"aslant.svg: no line '{line}'")

# The quoted sentence is the report's.
report = ""
if os.path.exists("tree/machines.html"):
    with open("tree/machines.html", encoding="utf-8") as f:
        report = " ".join(html.unescape(re.sub(r"<[^>]*>", "", f.read())).split())
quoted = " ".join(re.sub(r"^> ", "", x) for x in re.findall(r"^> .*$", texts["README.md"], re.M))
if not quoted or quoted not in report:
    wrong.append(f"README.md quotes what the report does not say: {quoted}")

# Options are the command's or a script's.
known = {"--help", "--version", "--preset", "--build", "--install", "--test-dir",
         "--mpi", "--icsv", "--csv", "--cflags", "--libs"}
for command in "run plan bounds suite report calibrate compare list".split():
    known |= set(re.findall(r"--[a-z][a-z-]*", "\n".join(run(f"build/aslant {command} --help=all", "tree")[1])))
for path in glob.glob(os.path.join(root, "scripts/*")) + glob.glob(os.path.join(root, "bench/measure/*")):
    if os.path.isfile(path) and not path.endswith(".md"):
        known |= set(re.findall(r"--[a-z][a-z-]*", open(path, encoding="utf-8").read()))
for page, text in (texts | others).items():
    for code in re.findall(r"`([^`\n]+)`", text) + re.findall(r"^    (.*)$", text, re.M):
        for option in re.findall(r"(?<![\w-])--[a-z][a-z-]*", code):
            if option not in known:
                wrong.append(f"{page}: nothing has the option {option}")

# Tests of the promises are there.
tests = open("tests.txt").read().split()
named = 0
for page, text in texts.items():
    for table in re.findall(r"^\|.*\| test \|\n(?:\|.*\n)+", text, re.M):
        for row in table.split("\n")[2:-1]:
            found = re.findall(r"`([a-z]+_[a-z_]*\*?)`", row.split(" | ")[-1])
            named += len(found)
            for name in found:
                if not any(x == name or name.endswith("*") and x.startswith(name[:-1])
                           for x in tests):
                    wrong.append(f"{page}: there is no test {name}")
            if not re.search(r"`", row.split(" | ")[-1]):
                wrong.append(f"{page}: no test is named: {row}")

# So are those that CONTRIBUTING.md names for a change.
with open(os.path.join(root, "CONTRIBUTING.md"), encoding="utf-8") as f:
    table = f.read().partition("| touched | tests |")[2].partition("\n\n")[0]
for row in table.strip().split("\n")[1:]:
    for regex in re.findall(r"`([^`]+)` \|$", row):
        for one in re.sub(r"\(.*?\)", lambda x: x[0].replace("\\|", "/"), regex).split("\\|"):
            named += 1
            if not any(re.search(one.replace("/", "|"), x) for x in tests):
                wrong.append(f"CONTRIBUTING.md: no test matches {one}")

print("\n".join(wrong) or f"{count} examples are what is printed, {named} tests are there")
sys.exit(len(wrong) > 0 or count < 15 or named < 20)
PYTHON

[ ! -e failed ]
