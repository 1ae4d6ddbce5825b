#!/bin/bash
# command_report.sh -- aslant report: what is in the page, and what never is
#
# A real run of several families, and tables that are made up: random counts,
# whose crossovers are found again the slow way; text that would be a script;
# rows that failed; 10,000 rows; a machine that is twice as fast.  ASLANT is the
# command.
set -u

REFERENCE=$(realpath "$(dirname "$0")/../results/reference")
export REFERENCE
# shellcheck source=tests/help/command.sh
. "$(dirname "$0")/help/command.sh"

cat >judge.py <<'PYTHON'
"""What a page holds: its text, its tables as CSV, and what it must not hold."""
import csv, re, sys, urllib.parse
import xml.etree.ElementTree as tree

X = "{http://www.w3.org/1999/xhtml}"

class Page:
    def __init__(self, path):
        self.raw = open(path, encoding="utf-8").read()
        self.root = tree.fromstring(self.raw)
        self.text = "".join(self.root.itertext())
        self.tables = {}
        for a in self.root.iter(X + "a"):
            head, _, data = a.get("href").partition(",")
            if head.startswith("data:"):
                rows = urllib.parse.unquote(data).splitlines()
                self.tables[a.get("download")] = list(csv.DictReader(rows))

    def check(self):
        """Nothing from elsewhere, nothing that runs."""
        for x in self.root.iter():
            assert not x.tag.endswith("script"), "a script"
            assert x.tag != X + "link" and x.tag != X + "img", x.tag
            for name, value in x.attrib.items():
                assert not name.startswith("on"), name
                if name in ("href", "src"):
                    assert value[0] == "#" or value.startswith("data:"), value
        assert "@import" not in self.raw and "url(http" not in self.raw
        ids = [x.get("id") for x in self.root.iter() if x.get("id")]
        assert len(ids) == len(set(ids)), "an id twice"
        for a in self.root.iter(X + "a"):
            if a.get("href")[0] == "#":
                assert a.get("href")[1:] in ids, a.get("href")

    def says(self, *texts):
        for x in texts:
            assert x in self.text, f"the page does not say '{x}'"

def page(path):
    found = Page(path)
    found.check()
    return found
PYTHON

# judge NAME: the Python on stdin, with what judge.py defines
judge() {
	{
		echo 'from judge import *; import os; ASLANT = os.environ["ASLANT"]'
		cat
	} >"$1.py"
	PYTHONPATH=. "$python" "$1.py" || fail "$1"
}

# ---- A real run ----

cat >suite.json <<'JSON'
{"options": {"cache": 400, "memory": "1m", "reps": 2},
 "cases": [
	{"algorithm": ["3d", "em-jomma", "fused", "cuts"], "n": [30, 45],
	 "ranks": [1, 4, 8], "write-cost": [1, 8]},
	{"algorithm": ["sttsv", "sttsv-naive"], "n": 20, "ranks": 10},
	{"algorithm": ["hopm", "cpgrad"], "n": 20, "ranks": 10},
	{"algorithm": "einsum", "spec": "ij,jk,kl->il",
	 "dims": "i=9,j=8,k=7,l=6", "ranks": 4, "way": ["direct", "sequence"]},
	{"algorithm": ["ooc-rotation-inside", "ooc-replication-inside"],
	 "n": 40, "ranks": 4, "memory-budget": 2000}
 ]}
JSON
expect 0 suite suite.json --out real
expect 0 report real/ --out real.html
expect 0 suite suite.json --store null --out counted --profile optane-100-nt
expect 0 report counted --out -
mv out counted.html
judge real <<'PYTHON'
real, counted = page("real.html"), page("counted.html")
rows = list(csv.DictReader(open("real/runs.csv")))
real.says(*{x["algorithm"] for x in rows})
real.says(f"{len(rows)} of {len(rows)} rows were verified",
          "Which algorithm is best here", "Carson et al.")
counted.says(f"{len(rows)} of {len(rows)} rows only count", "Nothing was timed")
assert "failed" not in real.text.split("Which algorithm")[0]
assert len(list(real.root.iter("{http://www.w3.org/2000/svg}svg"))) > 15
# Nobody is compared with what computes something else.
for x in real.tables["best.csv"]:
    kinds = {y["algorithm"].split("-")[0] for y in rows
             if y["algorithm"] in (x["least cost"], x["next best"])}
    assert len(kinds) == 1 or not kinds & {"sttsv", "hopm", "cpgrad"}, x
# Wear: what 6 DIMMs are rated for, and the words of all ranks.
most = max(8 * (int(x["nvm_write_words_total"]) + int(x["nvm_land_words_total"]))
           for x in rows)
wear = counted.tables["wear.csv"][0]
assert float(wear["bytes written"]) == most, (wear, most)
assert abs(float(wear["share of a device"]) * 2160e15 - most) < 1e-6 * most
PYTHON

# ---- Random counts ----

cat >make.py <<'PYTHON'
"""Directories with runs.csv, of rows that say only what they are given."""
import csv, os
names = open("real/runs.csv").readline().strip().split(",")
plain = dict(schema=1, rep=0, kernel="vomm", grid="1x1x1", ranks=8, ranks_used=8,
             cache_words=100, memory_words=1000, store="null", medium="model",
             panels="dram", transport="sim", seed=1, r=1, w=2, beta=1, alpha=0,
             gamma=0, predicted_equal=1, host="here", cost_unit="relative",
             time_utc="2030-01-01T00:00:00Z", overlap=0, outside_apm=0,
             net_bound_words=10, net_bound_ratio=2, io_bound_words=100,
             nvm_write_words_total=8, flops_total=1e6, flops_max=1e5)

def write(name, rows):
    os.makedirs(name)
    with open(name + "/runs.csv", "w", newline="") as f:
        out = csv.DictWriter(f, names, lineterminator="\n")
        out.writeheader()
        for i, x in enumerate(rows):
            row = dict(plain, run_id=f"run-{i}")
            row.update(x)
            row["m"] = row["k"] = row["n"]
            row["q_apm_max"] = row["predicted_q_apm_max"] = row["q_apm_path"] = (
                row["r"] * row["read_words_max"] +
                row["w"] * row["write_words_max"] +
                row["beta"] * row["bh_words_max"])
            out.writerow(row)
PYTHON
judge sweep <<'PYTHON'
import random
import subprocess
from make import write
random.seed(7)
algorithms = ["3d", "cannon", "summa", "em-jomma", "lm-jomma", "cuts", "fused"]
cases = {n: [dict(algorithm=a, n=n, read_words_max=random.randint(1, 500),
                  write_words_max=random.randint(1, 200),
                  bh_words_max=random.randint(1, 900),
                  outside_apm=int(a == "fused"))
             for a in random.sample(algorithms, random.randint(2, 7))]
         for n in range(100, 140)}
write("random", [x for rows in cases.values() for x in rows])
subprocess.run([ASLANT, "report", "random", "--out", "random.html"], check=True,
               stderr=subprocess.DEVNULL)
found = page("random.html")
table = found.tables["crossovers.csv"]
assert len(table) == len(cases), len(table)

def cost(x, at):
    return x["bh_words_max"] + x["read_words_max"] + at * x["write_words_max"]

def chosen(text, at):
    """Of 'below w/b = 2 choose A; above 2 B; above 8 C', for w/b = at."""
    if text.startswith("whatever"):
        return text.split("choose ")[1].split()[0]
    below, *above = text.split("; ")
    name = below.split("choose ")[1].split()[0]
    for x in above:
        limit = re.match(r"above ([0-9.]+( k)?) (\S+)", x)
        value = float(limit[1].split()[0]) * (1000 if limit[2] else 1)
        name = limit[3] if at > value else name
    return name

checked = 0
for line in table:
    rows = cases[int(line["problem"].split("= ")[1])]
    for column, among in (
            ("choose", rows),
            ("keeping to the model", [x for x in rows if not x["outside_apm"]])):
        for at in [10 ** random.uniform(-2, 3) for _ in range(50)]:
            if not line[column] or not among:
                continue
            name = chosen(line[column], at)
            mine = min(cost(x, at) for x in rows if x["algorithm"] == name)
            best = min(cost(x, at) for x in among)
            # Crossovers are printed with three digits.
            assert mine <= best * 1.01, (line, at, mine, best)
            checked += 1
assert checked > 2000, checked

# The best of a case is the best, and by that much.
for line in found.tables["best.csv"]:
    rows = sorted(cases[int(line["problem"].split("= ")[1])],
                  key=lambda x: cost(x, 2))
    assert cost(rows[0], 2) == float(line["Q"]), line
    assert abs(cost(rows[1], 2) / cost(rows[0], 2) -
               float(line["costs times as much"])) < 1e-9, line
PYTHON

# ---- Hostile text, and failures first ----

judge hostile <<'PYTHON'
import random
import subprocess
from make import write
random.seed(8)
evil = "<script>alert(1)</script>&\"'\u0007\u009b]]><!--,\n=1+1"
usual = dict(n=64, read_words_max=100, write_words_max=10, bh_words_max=10,
             medium="tmpfs")
rows = [dict(usual, algorithm=evil, grid=evil, host=evil, medium=evil,
             provider=evil, profile=evil, spec=evil, dims=evil, bh_words_max=9),
        dict(usual, algorithm="3d", wall_s=1, verified=1),
        dict(usual, algorithm="cannon", wall_s=1, verified=1, bh_words_max=20),
        dict(usual, algorithm="cuts", bh_words_max=1, wall_s=1, verified=0,
             residual="nan"),
        dict(usual, algorithm="summa", bh_words_max=2, predicted_equal=0),
        dict(usual, algorithm="em-jomma", bh_words_max=40, wall_s=2),
        dict(usual, algorithm="lm-jomma", wall_s=0.1, verified=1,
             cache_model="lru:100:8:full")]
write("hostile", rows)
with open("hostile/machine.json", "w") as f:
    import json
    json.dump({"cpu": evil, "notes": [evil], "command_line": [evil, 3],
               "cores": "many"}, f)
subprocess.run([ASLANT, "report", "hostile", "--out", "hostile.html"],
               check=True, stderr=subprocess.DEVNULL)
found = page("hostile.html")
found.says("<script>alert(1)</script>&\"'")
failed = found.tables["failed.csv"]
assert {x["algorithm"] for x in failed} == {"cuts", "summa"}, failed
assert len(found.tables["unverified.csv"]) == 2
first = found.text.index("2 of 7 rows failed: the result failed verification "
                         "(1), counts are not as predicted (1).")
assert first < found.text.index("Which algorithm is best here")
assert found.text.index("2 of 7 rows were not verified") > first
found.says("Times of 1 row are left out")
best = [x for x in found.tables["best.csv"] if x["problem"] == "n = 64"]
assert [x["least cost"] for x in best] == ["3d"], best  # those that failed lead
assert best[0]["shortest time"].startswith("3d (1 s)"), best
everything = found.text[found.text.index("All results"):]
assert "FAILED" in everything and "summa" in everything
PYTHON

# ---- Machines side by side ----

judge machines <<'PYTHON'
import os
import random
import subprocess
from make import write
random.seed(9)

def rows(factor, **more):
    """Of six sizes; the smallest write most for a flop; fused is the faster."""
    return [dict(algorithm=a, n=n, read_words_max=n ** 2,
                 write_words_max=n ** 2, bh_words_max=n,
                 flops_max=n ** 3, flops_total=n ** 3, verified=1,
                 medium="tmpfs", store="pmem", rep=i,
                 wall_s=factor(n) * 1e-9 * n ** 3 * random.uniform(0.99, 1.01)
                 * (3 if a == "3d" else 1),
                 **more)
            for a in ("3d", "fused") for n in range(100, 700, 100)
            for i in range(7)]

write("slow", rows(lambda n: 2 if n <= 200 else 1))
write("fast", rows(lambda n: 0.8 if n <= 200 else 1))
write("model", [dict(x, wall_s="", verified="", medium="model", cost_unit="ns")
                for x in rows(lambda n: 1)])

def report(*names):
    subprocess.run([ASLANT, "report", *names, "--out", "machines.html"],
                   check=True, stderr=subprocess.DEVNULL)
    return page("machines.html")

found = report("slow", "fast")
said = re.search(r"For write-heavy work (\w+) is ([0-9.]+) times as fast as (\w+) \(",
                 found.text)
assert said and said[1] == "fast" and said[3] == "slow", found.text[:2000]
assert 2.4 < float(said[2]) < 2.6, said[0]
assert re.search(r"For the other work \w+ is as fast as \w+ "
                 r"\([0-9.]+ to [0-9.]+: equal within 5%\)", found.text)
assert len(found.tables["machines.csv"]) == 12
assert {x["verdict"] for x in found.tables["machines.csv"][:4]} == {"faster"}
assert {x["verdict"] for x in found.tables["machines.csv"][4:]} == {"equal within 5%"}
# The answer is there before anything else but what failed.
section = found.text.index("Which machine is better")
assert section < said.start() < found.text.index("Which algorithm is best here")
assert re.search(r"For each machine's best algorithm fast is 1.3\d? times as fast "
                 r"as slow \(1.3[0-9]* to 1.3[0-9]*\), on average of 6 cases",
                 found.text)
# Costs are the same on both: that is said once.
assert found.text.count("of multiplication (all machines)") == 1
assert "of multiplication (slow)" not in found.text
assert len(found.tables["best.csv"]) == 6
found = report("fast", "slow")
assert "work fast is 2." in found.text
found = report("slow", "model")
found.says("No result of one can be compared with one of the other")
assert "times as fast as" not in found.text

# By its profile a machine may want another grid, and count other words.
write("other", [dict(x, grid="2x2x2", bh_words_max=7)
                for x in rows(lambda n: 0.5) if x["algorithm"] == "fused"])
found = report("slow", "other")
found.says("no case, grid and counts agree")
assert re.search(r"For each machine's best algorithm other is 2.5\d? times as fast as "
                 r"slow \(.*, on average of 6 cases", found.text)
write("some", [x for x in rows(lambda n: 1) if x["n"] < 300])
report("slow", "some").says("Not compared either are 8 results of slow and 0 of "
                            "some, which the other one has not got")

# What repetitions met is in sentences: clocks, outliers, ranks that take turns.
met = rows(lambda n: 1)
for i, x in enumerate(met):
    x.update(mhz=2000 + 300 * (x["n"] == 100 and x["rep"] == 3),
             crowded=int(x["n"] == 600), transport="ofi",
             wall_s=x["wall_s"] * (9 if x["n"] == 200 and x["rep"] == 2 else 1))
write("met", met)
found = report("met")
found.says("In 2 cases the processor's clock changed by more than a tenth",
           "ranks on fewer cores")
outliers = int(re.search(r"(\d+) of 84 times are outliers", found.text)[1])
assert 2 <= outliers < 20, outliers
assert not re.search("clock changed|fewer cores", report("slow").text)

# Many failures are first, but leave the answer in sight.
write("flawed", [dict(x, predicted_equal=int(x["n"] > 200))
                 for x in rows(lambda n: 0.25)])
found = report("slow", "flawed")
found.says("28 of 168 rows failed: counts are not as predicted (28).")
assert len(found.tables["failed-first.csv"]) == 10
assert len(found.tables["failed.csv"]) == 28
found.says("work flawed is 4")
write("wrong", [dict(x, verified=0) for x in rows(lambda n: 1)])
report("slow", "wrong").says("what did not fail has no case, grid and counts in "
                             "common")

# Costs of profiles are said to be no measurement.
write("cheap", [dict(x, wall_s="", verified="", medium="model", cost_unit="ns",
                     w=1) for x in rows(lambda n: 1)])
said = re.search(r"For write-heavy work (\w+) is ([0-9.]+) times as fast as (\w+), "
                 r".{,120}without arithmetic: nothing was measured",
                 report("model", "cheap").text)
assert said and said[1] == "cheap" and said[3] == "model", said
x = 100 ** 2
assert abs(float(said[2]) - (3 * x + 100) / (2 * x + 100)) < 0.02, said[0]

# Directories of one name in different places keep their places.
os.makedirs("north"), os.makedirs("south")
os.rename("slow", "north/quick"), os.rename("fast", "south/quick")
found = report("north/quick", "south/quick")
found.says("work south/quick is 2.")
PYTHON

# ---- The same work ----

judge work <<'PYTHON'
import subprocess
from make import write

# Whatever decides counts beside the algorithm: who has more of it is not best.
for column, values in (("memory_budget_words", (1048576, 4194304)),
                       ("cache_words", (100, 200)), ("memory_words", (500, 900)),
                       ("panels", ("dram", "nvm")), ("store", ("pmem", "dram")),
                       ("initial", ("even", "rank0")), ("ranks", (8, 4)),
                       ("w", (2, 3))):
    def row(algorithm, value, words):
        return {"algorithm": algorithm, "n": 64, "medium": "tmpfs",
                "store": "pmem", "verified": 1, "wall_s": words / 100,
                "read_words_max": words, "write_words_max": words,
                "bh_words_max": words, column: value}
    def report(rows):
        write(f"{column}-{len(rows)}", rows)
        subprocess.run([ASLANT, "report", f"{column}-{len(rows)}", "--out",
                        "work.html"], check=True, stderr=subprocess.DEVNULL)
        return page("work.html")
    found = report([row("3d", values[0], 90), row("cannon", values[1], 10)])
    found.says("No case was solved by two algorithms")
    assert "costs least" not in found.text, column
    if column != "w":  # which the same counts are priced at
        found.says("No problem was solved in two ways.")
    if column not in ("w", "memory_budget_words"):
        found.says("No problem was solved in two ways on more than one rank.")
    for table in found.tables.values():
        assert not any(x.get("beaten in both") for x in table
                       if column == "memory_budget_words"), table
    # Each bar is the least of its own figure.
    assert found.text.count(" least") - found.text.count(" least sent") >= 2
    found = report([row("3d", values[0], 90), row("cannon", values[1], 10),
                    row("cannon", values[0], 95)])
    best, = found.tables["best.csv"]
    assert (best["least cost"], best["next best"]) == ("3d", "cannon"), best
    assert best["shortest time"] == "3d (900 ms); too close to cannon" or \
        best["shortest time"] == "3d (900 ms)", best

# Who does better with less memory is better, by whatever is best with more.
column = "memory_budget_words"
found = report([row("3d", 4194304, 90), row("cannon", 1048576, 10),
                row("summa", 1048576, 95), row("cuts", "", 80)])
assert [(x["least cost"], x["next best"], x["on"])
        for x in found.tables["best.csv"]] == [
    ("cannon", "cuts", ""), ("cannon", "summa", "budget 1.05 M words"),
    ("cannon", "3d", "budget 4.19 M words")], found.tables["best.csv"]

# Two budgets were in this one: 32 MiB costs less than 8 MiB.
reference = os.environ["REFERENCE"] + "/contractions-timed"
subprocess.run([ASLANT, "report", reference, "--out", "work.html"], check=True,
               stderr=subprocess.DEVNULL)
rows = list(csv.DictReader(open(reference + "/runs.csv")))
found = page("work.html")
for best in found.tables["best.csv"]:
    if not best["least cost"].startswith("ooc-"):
        continue
    of = [{(x["memory_budget_words"], x["n"]) for x in rows
           if x["algorithm"] == best[c]} for c in ("least cost", "next best")]
    limits = {b for b, n in of[0] & of[1] if best["problem"] == "n = " + n or
              best["problem"].startswith(n + " x")}
    cost = min(float(x["q_full_path"]) for x in rows
               if x["algorithm"] == best["next best"] and
               x["memory_budget_words"] in limits)
    assert limits and float(best["Q"]) <= cost, (best, of)
    assert ", budget " in best["on"], best
found.says("ooc-replication-inside 262 k13.1 M least",
           "ooc-rotation-inside 4.19 M8.39 M least")
PYTHON

# ---- Compare and report say the same ----

judge alike <<'PYTHON'
import random, subprocess
from make import write
random.seed(11)

def rows(factor, **of):
    """Cases that are the same, but for what `of` says of one algorithm."""
    cases = [(a, n, w) for a in ("3d", "cannon", "em-jomma", "cuts", "summa",
                                 "fused", "jomma", "lm-jomma", "sttsv")
             for n in (100, 200) for w in (1, 4)]
    return [{**dict(algorithm=a, n=n, w=w, read_words_max=n ** 2,
                    write_words_max=n, bh_words_max=n, flops_max=n ** 3,
                    verified=1, medium="tmpfs", store="pmem", rep=i, lives="",
                    wall_s=factor * n * random.uniform(0.9, 1.2)),
             **(of.get(a.replace("-", "_"), {}) if i == 3 or not
                of.get(a.replace("-", "_"), {}).get("lives") else {})}
            for a, n, w in cases for i in range(6)]

write("alpha", rows(1))
write("beta", rows(0.8, cannon={"cache_words": 7}, cuts={"verified": ""},
                   em_jomma={"memory_budget_words": 9},
                   summa={"transport": "ofi"}, fused={"lives": 2},
                   jomma={"cache_model": "lru:8:1:full"}))
write("gamma", rows(1.1, lm_jomma={"medium": "emulated", "emulated": "x"}))
for first, second in (("alpha", "beta"), ("beta", "alpha"), ("gamma", "beta"),
                      ("alpha", "gamma"), ("alpha", "alpha")):
    text, table = (subprocess.run([ASLANT, "compare", first, second, *more],
                                  capture_output=True, text=True, check=True).stdout
                   for more in ((), ("--csv", "-")))
    subprocess.run([ASLANT, "report", first, second, "--out", "alike.html"],
                   check=True, stderr=subprocess.DEVNULL)
    found = page("alike.html")
    compared = list(csv.DictReader(table.splitlines()))
    key = lambda name, n, x: (name, n, float(x))
    one = sorted(key(x["algorithm"], x["n"], x["speed"]) for x in compared
                 if x["row"] == "case" and not x["why_not"])
    two = sorted(key(x["algorithm"].split()[0], x["problem"].split("= ")[1],
                     x["times as fast"]) for x in found.tables["machines.csv"])
    assert one == two and len(one) >= 8, (first, second, one, two)
    for low in "low", "high":
        assert sorted(float(x["speed_" + low]) for x in compared
                      if x["row"] == "case" and not x["why_not"]) == \
            sorted(float(x[low]) for x in found.tables["machines.csv"])
    # Every ratio and interval in one is in the other.
    means = {(x["family"], x["other_name"], x["base_name"]):
             tuple(map(float, (x["speed"], x["speed_low"], x["speed_high"])))
             for x in compared if x["row"] == "mean"}
    letter = {"A": first, "B": second}
    pairs = {(x["workload"], x["machine"], x["over"]):
             tuple(map(float, (x["times as fast"], x["low"], x["high"])))
             for x in found.tables["pairs.csv"]}
    named = {(w, letter[a], letter[b]): x for (w, a, b), x in means.items()}
    assert len(named) > 5 and (first == second or named == pairs), (named, pairs)
    for x in found.tables["ranking.csv"]:
        if first != second and x["low"]:
            a = pairs.get((x["workload"], x["machine"], x["over"]))
            b = pairs.get((x["workload"], x["over"], x["machine"]))
            ratio = a[0] if a else 1 / b[0]
            assert abs(float(x["times as fast"]) / ratio - 1) < 1e-12, x
    answer, = [x for x in map(" ".join, map(str.split, text.split("\n\n")))
               if "on average of" in x]
    if first != second:
        answer = re.sub(r"\b([AB])\b", lambda x: letter[x[1]], answer)
        found.says(answer)
PYTHON

# ---- Emulation that was late leaves costs as they are ----

judge late <<'PYTHON'
import subprocess
from make import write
write("late", [dict(algorithm=a, n=64, read_words_max=100, write_words_max=x,
                    bh_words_max=1, medium="emulated", emulated="x", verified=1,
                    wall_s=1 + i, rep=i, emulation_valid=int(a != "fused" or i > 0))
               for a, x in (("3d", 20), ("fused", 10)) for i in range(3)])
subprocess.run([ASLANT, "report", "late", "--out", "late.html"], check=True,
               stderr=subprocess.DEVNULL)
found = page("late.html")
found.says("Times of 1 row are left out, as emulated memory was late in them",
           "6 of 6 rows were verified")
best, = found.tables["best.csv"]
assert best["least cost"] == "fused" and best["next best"] == "3d", best
assert "failed" not in found.text.split("Which algorithm")[0]
PYTHON

# ---- What fits into the last cache, and ranks beyond the cores ----

judge cached <<'PYTHON'
import json, subprocess
from make import write
write("cached", [dict(algorithm="3d", n=n, ranks=r, memory_high_words=n * n, verified=1,
                      read_words_max=1, write_words_max=1, bh_words_max=1, rep=i,
                      wall_s=1 / r, medium="file", store="pmem", transport="ofi")
                 for n in (100, 1000) for r in (1, 2, 4, 8) for i in range(2)])
with open("cached/calibrated.json", "w") as f:
    json.dump({"ranks": 4, "figures": {"read": {"value": 2, "unit": "ns/word"},
                                       "product_flop": {"value": 0.02}}}, f)
for cores in (4, 16, 1):
    with open("cached/machine.json", "w") as f:
        json.dump({"cores": cores, "cache_bytes": 8 * 10 ** 6, "cache_cores": 2}, f)
    subprocess.run([ASLANT, "report", "cached", "--out", "cached.html"], check=True,
                   stderr=subprocess.DEVNULL)
    caches = max(1, cores // 2)
    cached = sum(8 * n * n * r <= caches * 8e6 for n in (100, 1000) for r in (1, 2, 4, 8))
    found = page("cached.html")
    found.says("16 GB/s on 4 ranks", "200 GFLOP/s on 4 ranks")
    found.says(f"What ranks held in {cached} of 8 cases of cached fits into its last cache")
    assert ("cores; ranks take turns" in found.text) == (cores < 8), cores
    assert ("ideal" in found.raw.split('id="scaling"')[1].split("<h2")[0]
            .split("<svg", 1)[1].split("</svg>")[0]) == (cores > 1), cores

# Of two machines one sentence says it.
subprocess.run(["cp", "-r", "cached", "also"], check=True)
subprocess.run([ASLANT, "report", "cached", "also", "--out", "both.html"], check=True,
               stderr=subprocess.DEVNULL)
found = page("both.html")
found.says(f"What ranks held in {cached} of 8 cases of each machine fits into its last cache (7.629 MiB)")
assert found.text.count("say little about memory") == 1
with open("also/machine.json", "w") as f:
    json.dump({"cores": 1, "cache_bytes": 4 * 10 ** 6, "cache_cores": 1}, f)
subprocess.run([ASLANT, "report", "cached", "also", "--out", "both.html"], check=True,
               stderr=subprocess.DEVNULL)
found = page("both.html")
found.says(f"of 8 cases of cached fits into its last cache (7.629 MiB), in 4 of 8 of also (3.815 MiB)")
assert found.text.count("say little about memory") == 1

# The answer and a figure come before what was checked and what it stands on.
before = found.raw.split("<main>")[1].split("rows were verified")[0]
assert '<p class="lead">' in before and "<svg" in before and "<nav>" in before
PYTHON

# ---- What the hardware counted ----

judge hardware <<'PYTHON'
import subprocess
from make import write

def rows(name, reads, **more):
    return [dict(algorithm=name, n=64, read_words_max=100, write_words_max=10,
                 bh_words_max=10, medium="fsdax", verified=1, wall_s=1, rep=i,
                 nvm_read_words_total=1000, dram_read_words_total=250,
                 nvm_write_words_total=100, dram_write_words_total=25,
                 hwc_backend="perf", hwc_note="dram of whole sockets",
                 hwc_read_bytes=x, hwc_write_bytes=x / 4, hwc_miss_bytes=64,
                 hwc_sockets=f"0/0/dram:{x - 8:.0f}:7;0/1/pmm:8:{i}", **more)
            for i, x in enumerate(reads)]

def none(note):
    return [dict(algorithm="cannon", n=64, read_words_max=1, write_words_max=1,
                 bh_words_max=1, hwc_note=note)]

def report(name, rows):
    write(name, rows)
    subprocess.run([ASLANT, "report", name, "--out", name + ".html"],
                   check=True, stderr=subprocess.DEVNULL)
    return page(name + ".html")

found = report("hwc", rows("3d", (11000, 90000, 12000)) +
               rows("fused", (40000, 40000, 40000)) + none("not asked for"))
table = {x["algorithm"].split()[0]: x for x in found.tables["hardware.csv"]}
assert set(table) == {"3d", "fused"}, table
for name, reads in (("3d", 12000), ("fused", 40000)):  # medians, not the first
    x = table[name]
    assert float(x["bytes read, counted"]) == 10000, x
    assert float(x["bytes written, counted"]) == 1000, x
    assert float(x["read, by hardware"]) == reads, x
    assert float(x["written, by hardware"]) == reads / 4, x
    assert float(x["times as many read"]) == reads / 10000, x
    assert float(x["times as many written"]) == reads / 4000, x
    assert float(x["cache misses of the ranks, bytes"]) == 64, x
    assert x["asked by"] == "perf", x
found.says("hardware read 2.6 times the bytes counted, in the median of 2 "
           "results (1.2 to 4)", "hardware wrote 6.5 times",
           "Counted was: dram of whole sockets.")
assert [[x[c] for c in ("algorithm", "first rank of the host", "socket",
                        "medium", "bytes read", "bytes written")]
        for x in found.tables["sockets.csv"]] == [
    ["3d 1x1x1", "0", "0", "dram", "11992", "7"],
    ["3d 1x1x1", "0", "1", "pmm", "8", "1"],
    ["fused 1x1x1", "0", "0", "dram", "39992", "7"],
    ["fused 1x1x1", "0", "1", "pmm", "8", "1"]], found.tables["sockets.csv"]

found = report("none", none("likwid: no msr; perf: no events"))
found.says("No hardware counted along, so there is nothing to hold the counted "
           "words against: likwid: no msr; perf: no events.")
assert "hardware.csv" not in found.tables
broken = rows("3d", (100,))
broken[0]["hwc_sockets"] = "0/0/dram:1;<b>/0/dram:1:2;0/0/dramdramdram:1:2"
assert "sockets.csv" not in report("broken", broken).tables
PYTHON

# ---- For other programs ----

judge exported <<'PYTHON'
import json, subprocess
for end in "xml", "json", "md":
    subprocess.run([ASLANT, "report", "hostile", "--out", "exported.html", "--export",
                    "exported." + end], check=True, stderr=subprocess.DEVNULL)
suite, = tree.parse("exported.xml").getroot()
tests = list(suite)
failed = {x.get("name").split()[0] for x in tests if x.find("failure") is not None}
skipped = {x.get("name").split()[0] for x in tests if x.find("skipped") is not None}
assert failed == {"cuts", "summa"} and "em-jomma" in skipped, (failed, skipped)
assert (suite.get("tests"), suite.get("failures")) == (str(len(tests)), "2")
cases = json.load(open("exported.json"))["cases"]
assert len(cases) == len(tests) == 7
times = {x["algorithm"]: x["median_s"] for x in cases}
assert times["3d"] == 1 and times["lm-jomma"] is None, times
lines = [x for x in open("exported.md") if x.startswith("| ")]
assert len(lines) == 8, lines
PYTHON

# ---- Many rows ----

judge many <<'PYTHON'
import os, random, subprocess, time
from make import write
random.seed(10)
names = ["3d", "cannon", "summa", "em-jomma", "lm-jomma", "cuts", "fused", "25d"]
write("many", [dict(algorithm=random.choice(names), n=random.randint(100, 400),
                    grid=f"{random.randint(1, 9)}x1x2", w=random.choice([1, 4]),
                    ranks=random.choice([4, 8, 16]),
                    read_words_max=random.randint(1, 10 ** 6),
                    write_words_max=random.randint(1, 10 ** 5),
                    bh_words_max=random.randint(1, 10 ** 6), verified=1,
                    wall_s=random.random(), compute_s=0.1, io_s=0.2,
                    medium="file", store="pmem", transport="ofi",
                    cost_unit="ns", gflops=random.uniform(1, 50),
                    nvm_read_words_total=random.randint(1, 10 ** 6),
                    dram_read_words_total=0, dram_write_words_total=0)
               for _ in range(10000)])
begin = time.time()
subprocess.run([ASLANT, "report", "many", "--out", "many.html"], check=True,
               stderr=subprocess.DEVNULL)
took, size = time.time() - begin, os.path.getsize("many.html")
page("many.html").says("10000 of 10000 rows were verified",
                       "10000 rows are repetitions of")
print(f"10000 rows: {took:.2f} s, {size / 1e6:.2f} MB")
assert took < 20 and size < 10e6, (took, size)
PYTHON

# ---- Seconds, predicted beside measured ----

judge foreseen <<'PYTHON'
import random, subprocess
from make import write
random.seed(12)
times = [random.uniform(0.1, 2) for _ in range(40)]
said = [x * (1 + random.choice([-1, 1]) * random.uniform(0.001, 0.4)) for x in times]
write("foreseen", [dict(algorithm="3d", n=100 + i, wall_s=t, verified=1, compute_s=t,
                        predicted_s=s, predicted_arithmetic_s=s / 3,
                        prediction_error=s / t - 1, read_words_max=1,
                        write_words_max=1, bh_words_max=1, medium="file",
                        store="pmem", transport="ofi")
                   for i, (t, s) in enumerate(zip(times, said))] +
      # Ranks that take turns: what was predicted is not beside a time.
      [dict(algorithm="3d", n=99, wall_s=1, verified=1, compute_s=1, predicted_s=9,
            read_words_max=1, write_words_max=1, bh_words_max=1, medium="file",
            store="pmem", transport="sim")])
subprocess.run([ASLANT, "report", "foreseen", "--out", "foreseen.html"], check=True,
               stderr=subprocess.DEVNULL)
found = page("foreseen.html")
error = sorted(abs(s / t - 1) for t, s in zip(times, said))
found.says("Seconds were predicted for 40 results: half of the predictions are "
           f"within {100 * error[19]:.2g}% of the median time, nine of ten within "
           f"{100 * error[35]:.2g}%.")
rows = [[y.text or "" for y in x] for x in found.root.iter(X + "tr")]
head = next(x for x in rows if "times as long" in x)
cells = {x[2]: dict(zip(head, x)) for x in rows if len(x) == len(head)}
for i, (t, s) in enumerate(zip(times, said)):
    x = cells[f"n = {100 + i}"]
    assert abs(float(x["predicted seconds"]) / s - 1) < 1e-3, x
    assert abs(float(x["times as long"]) * t / s - 1) < 1e-3, x
assert not cells["n = 99"]["times as long"], cells["n = 99"]
PYTHON

# ---- The joint bound: between words written and words sent, and over w/beta ----

expect 0 report "$REFERENCE/fig5" --out fig5.html
"$python" - <<'PYTHON' || fail "the curve of the joint bound"
import csv, os, re
rows = list(csv.DictReader(open(os.environ["REFERENCE"] + "/fig5/runs.csv")))
inside = [x for x in rows if x["outside_apm"] == "0"]
assert all(float(x["q_apm_max"]) >= float(x["q_joint_bound"]) for x in inside)
assert any(float(x["q_apm_path"]) < float(x["q_joint_bound"]) for x in rows)
html = open("fig5.html", encoding="utf-8").read()
def curves(section):
    found = re.findall(r'class="bound" d="(M[\d. ]+L[\dL. ]+)"',
                       html.partition(f'id="{section}"')[2].partition("<h2 ")[0])
    return [[[float(x) for x in p.split()] for p in re.split("[ML]", curve)[1:]]
            for curve in found]
assert len(curves("pareto")) == 6, len(curves("pareto"))
for points in curves("pareto"):
    # The more words are written (up is less in SVG), the fewer are sent.
    assert all(b[0] <= a[0] and b[1] <= a[1] for a, b in zip(points, points[1:]))
# The dearer writes are, the higher is the bound on Q: two prices or three a size.
assert curves("sweep")
for points in curves("sweep"):
    assert 2 <= len(points) <= 4, points
    assert all(b[0] > a[0] and b[1] < a[1] for a, b in zip(points, points[1:]))
# Q is the path's, and the busiest rank's stands beside it, all in one format.
for row in rows:
    cells = row["q_apm_path"], row["q_apm_max"]
    assert '>%s</td><td class="n">%s<' % cells in html, (row, cells)
assert "multiplications of matrices Carson" in html
PYTHON
expect 0 report "$REFERENCE/procurement" --out scaling.html
"$python" - <<'PYTHON' || fail "the order of names beside lines"
import re
html, ordered = open("scaling.html", encoding="utf-8").read(), 0
for svg in re.findall("<svg.*?</svg>", html, re.S):
    lines = re.findall(r'class="line s(\d)[^"]*" d="M[^"]*L[\d.]+ ([\d.]+)"', svg)
    labels = re.findall(
        r'<text class="label s(\d)" x="[\d.]+" y="([\d.]+)"', svg)
    ends, names = ({x: float(y) for x, y in z} for z in (lines, labels))
    if not 3 <= len(lines) == len(labels) == len(ends) == len(names):
        continue
    order = sorted(ends, key=ends.get)
    for a, b in zip(order, order[1:]):
        assert ends[a] == ends[b] or names[a] < names[b], svg
    ordered += 1
assert ordered > 2, ordered
PYTHON
expect 0 report "$REFERENCE/sttsv" --out sttsv.html
! grep -q Carson sttsv.html || fail "a theorem on matrices for tensors"

# ---- What was there stays, if there is no page ----

echo old >old.html
expect 2 report bad --out old.html
is_old=$(cat old.html)
[ "$is_old" = old ] || fail "a page that failed replaced $is_old"
expect 3 report real --out nowhere/x.html
says "^aslant: --out: nowhere/x.html" err

[ ! -e failed ]
