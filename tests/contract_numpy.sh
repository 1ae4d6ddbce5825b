#!/bin/bash
# contract_numpy.sh -- random einsums are what numpy.einsum makes of them
#
# One to four operands, up to six indices, sizes of 1 and more, diagonals, traces,
# summed-only indices, implied outputs, dots, and arrays of length 1 where others are
# longer; files in both orders; of four types, which the files say in half of the cases;
# both ways, spread or on rank 0, every kernel.  As suites of the command: 96 of them
# simulated, of 1 to 24 ranks, and as 4 processes; with ASLANT_TEST_CASES=all 160, and as
# 1 and 8 processes, too.  As many contractions of two operands are done out of core, by
# the six methods, with a budget of a tenth of the operands; half as many programs of two
# to four contractions and products of matrices, those not as 8 processes.  Those out of
# core add to a C, or not: X A B + Y C.  Results are equal to 1e-12 of the sum of the
# products' magnitudes (floats: 3e-6), and all that is counted was predicted.
set -u

aslant=${ASLANT:?}
python=/usr/bin/python3

if ! $python -c 'import numpy' 2>/dev/null; then
	echo "skipped: $python has no numpy"
	exit 77
fi

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

$python - "$aslant" "$dir" <<'END'
import csv, json, os, subprocess, sys
import numpy as np

aslant, where = sys.argv[1:]
rng = np.random.default_rng(5)
ALL = os.environ.get("ASLANT_TEST_CASES") == "all"
CASES = 160 if ALL else 96
LETTERS = "ijkABz"
TYPES = ["float64", "float32", "complex64", "complex128"]


def roll_spec():
    pool = list(LETTERS[:rng.integers(1, 7)])
    terms = []
    for _ in range(rng.integers(2, 5) if rng.random() < 0.9 else 1):
        term = ""
        for c in rng.choice(pool, rng.integers(0, 5)):
            if c not in term or rng.random() < 0.2:
                term += c
        terms.append(term)
    if rng.random() < 0.1:
        return terms, ",".join(terms)
    used = sorted(set("".join(terms)))
    rng.shuffle(used)
    out = used[:rng.integers(0, len(used) + 1)]
    return terms, ",".join(terms) + "->" + "".join(out)


def roll_operand(term, sizes):
    a = np.asarray(rng.standard_normal([sizes[c] for c in term]))
    return np.asfortranarray(a) if a.ndim and rng.random() < 0.5 else a


# Some arrays are of length 1 where others are longer.
def shorten(terms, operands):
    for i, term in enumerate(terms):
        for axis, c in enumerate(term):
            if term.count(c) == 1 and rng.random() < 0.3:
                operands[i] = np.take(operands[i], [0], axis)


# Some terms have dots for one dimension or two.
def dot(spec, operands):
    inputs, arrow, output = spec.partition("->")
    terms = inputs.split(",")
    for i, term in enumerate(terms):
        width = int(rng.integers(0, 3))
        if width == 0:
            continue
        shape = [1 if rng.random() < 0.2 else k for k in (2, 3)][-width:]
        at = int(rng.integers(0, len(term) + 1))
        terms[i] = term[:at] + "..." + term[at:]
        old = operands[i].shape
        operands[i] = np.asarray(rng.standard_normal(
            old[:at] + tuple(shape) + old[at:]))
    if arrow and any("." in term for term in terms):
        at = int(rng.integers(0, len(output) + 1))
        output = output[:at] + "..." + output[at:]
    return ",".join(terms) + arrow + output


def roll_case(n):
    terms, spec = roll_spec()
    sizes = {c: 1 if rng.random() < 0.2 else int(rng.integers(1, 9))
             for c in sorted(set("".join(terms)))}
    operands = [roll_operand(t, sizes) for t in terms]
    if n % 3 == 0:
        shorten(terms, operands)
    if n % 4 == 1:
        spec = dot(spec, operands)
    numbers = TYPES[n // 3 % 4]
    if "complex" in numbers:
        operands = [a + 1j * rng.standard_normal(a.shape) for a in operands]
    operands = [a.astype(numbers) for a in operands]
    files = [f"{where}/{n}-{i}.npy" for i in range(len(terms))]
    for file, a in zip(files, operands):
        np.save(file, a)
    options = {
        "algorithm": "einsum", "spec": spec or "->", "operand": files,
        "result": f"{where}/{n}.npy", "ranks": n * 24 // CASES + 1,
        **({"type": numbers} if n // 2 % 2 else {}), "verify": "oracle" if n % 2 else "freivalds",
        "way": ["auto", "direct", "sequence"][n % 3],
        "initial": "rank0" if n % 5 == 0 else "even",
        "kernel": ["vomm", "tight", "cowe"][n % 7 % 3],
        "panels": "nvm" if n % 4 == 0 else "dram",
        "store": "pmem" if n % 7 == 0 else "dram",
        "cache": int(rng.integers(6, 200))}
    return spec or "->", operands, options


def check(spec, operands, options, row):
    ours = np.load(options["result"])
    numbers = operands[0].dtype
    right = np.einsum(spec, *operands,
                      dtype=complex if numbers.kind == "c" else float)
    size = np.einsum(spec, *[np.abs(a) for a in operands], dtype=float)
    X, Y = options.get("ab-factor", 1), options.get("c-factor", 1)
    right, size = X * right, abs(X) * size
    if "c" in options:
        C = np.load(options["c"])
        right, size = right + Y * C, size + abs(Y * C)
    if ours.dtype != numbers or ours.shape != np.shape(right):
        return f"{ours.dtype} {ours.shape}, expected {np.shape(right)}"
    off = 1e-12 if np.finfo(numbers).eps < 1e-10 else 3e-6
    if np.any(np.abs(ours - right) > off * size):
        return f"off by {np.abs(ours - right).max()}"
    if (row["type"] or "float64") != numbers.name:
        return f"type is {row['type']}"
    if int(row["word_bytes"]) != numbers.itemsize:
        return f"word_bytes is {row['word_bytes']}"
    for column in "predicted_equal", "verified":
        if row[column] != "1":
            return f"{column} is {row[column]}"
    return ""


def run(cases, *how):
    for _, _, options in cases:
        if os.path.exists(options["result"]):
            os.remove(options["result"])
    with open(where + "/suite.json", "w") as f:
        json.dump({"options": {"store": "dram"},
                   "cases": [options for _, _, options in cases]}, f)
    done = subprocess.run([aslant, "suite", where + "/suite.json",
                           "--csv", where + "/rows.csv", *how],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          stdin=subprocess.DEVNULL, text=True, timeout=400)
    if done.returncode:
        sys.exit(f"{how}: exit code {done.returncode}: {done.stdout[-2000:]}")
    with open(where + "/rows.csv") as f:
        rows = list(csv.DictReader(f))
    assert len(rows) == len(cases), len(rows)
    wrong = 0
    for case, row in zip(cases, rows):
        why = check(*case, row)
        if why:
            print(how, case[2], why)
            wrong += 1
    if wrong:
        sys.exit(f"{how}: {wrong} of {len(cases)} are wrong")
    return rows


def ranks_of(rows):
    ways = {"/" in row["grid"] for row in rows}
    assert ways == {True, False}, "all direct, or all sequences"
    return {int(row["ranks"]) for row in rows}


# Out of core: each index is in two of the three terms, or in all of them.
METHODS = [f"ooc-{method}-{where}" for where in ("inside", "outside")
           for method in ("rotation", "replication", "accumulation")]


def roll_large(n):
    while True:
        of = {c: rng.choice(["AC", "BC", "AB", "ABC"], p=[.3, .3, .3, .1])
              for c in LETTERS[:rng.integers(3, 7)]}
        sizes = {c: int(rng.integers(1, 12)) for c in of}
        terms = ["".join(rng.permutation([c for c in of if t in of[c]]))
                 for t in "ABC"]
        if rng.random() < 0.2 and terms[0]:
            terms[0] += terms[0][0]
        operands = [roll_operand(t, sizes) for t in terms[:2]]
        words = sum(a.size for a in operands)
        if 900 < words < 40000 and np.prod([*sizes.values()]) < 2e6:
            break
    files = [f"{where}/large{n}-{i}.npy" for i in range(2)]
    for file, a in zip(files, operands):
        np.save(file, a)
    spec = f"{terms[0]},{terms[1]}->{terms[2]}"
    return spec, operands, {
        "algorithm": METHODS[n % 6] if n % 4 else "ooc-auto", "spec": spec,
        "operand": files, "result": f"{where}/large{n}.npy",
        "ranks": n * 24 // CASES + 1,
        "kernel": ["vomm", "tight", "cowe"][n % 7 % 3], "cache": 12,
        "store": "pmem" if n % 5 == 0 else "dram",
        "memory-budget": max(80, words // 10)}


# Programs out of core: each operand shares an index with one before it.
def roll_program(n):
    while True:
        terms = ["".join(rng.choice(list(LETTERS), 3, replace=False))]
        for _ in range(rng.integers(2, 5)):
            shared = rng.choice(list("".join(terms)))
            others = [c for c in LETTERS if c != shared]
            term = [shared, *rng.choice(others, rng.integers(0, 3),
                                        replace=False)]
            terms.append("".join(rng.permutation(term)))
        used = sorted(set("".join(terms)))
        sizes = {c: int(rng.integers(1, 10)) for c in used}
        out = "".join(rng.permutation(used)[:rng.integers(0, 5)])
        if rng.random() < 0.2:
            terms[0] += terms[0][0]
        operands = [roll_operand(t, sizes) for t in terms]
        if np.prod([*sizes.values()]) < 2e5:
            break
    files = [f"{where}/program{n}-{i}.npy" for i in range(len(terms))]
    for file, a in zip(files, operands):
        np.save(file, a)
    spec = ",".join(terms) + "->" + out
    return spec, operands, {
        "algorithm": "ooc-auto", "spec": spec,
        "operand": files, "result": f"{where}/program{n}.npy",
        "ranks": n * 24 // CASES + 1,
        "kernel": ["vomm", "tight", "cowe"][n % 7 % 3], "cache": 12,
        "store": "pmem" if n % 5 == 0 else "dram",
        "memory-budget": max(240, sum(a.size for a in operands) // 10)}


def roll_product(n):
    m, n_, k = (int(x) for x in rng.integers(1, 60, 3))
    operands = [roll_operand("ik", {"i": m, "k": k}),
                roll_operand("kj", {"k": k, "j": n_})]
    files = [f"{where}/product{n}-{i}.npy" for i in "ab"]
    for file, a in zip(files, operands):
        np.save(file, a)
    return "ik,kj->ij", operands, {
        "algorithm": METHODS[n % 6] if n % 4 else "ooc-auto",
        "a": files[0], "b": files[1], "result": f"{where}/product{n}.npy",
        "ranks": n * 24 // CASES + 1, "cache": 12,
        "verify": "oracle" if n % 2 else "freivalds",
        "store": "pmem" if n % 5 == 0 else "dram",
        "memory-budget": max(80, sum(a.size for a in operands) // 10)}


# C is not there, as it is, or comes with a factor; and so the product.
def add_to(case, n):
    spec, operands, options = case
    if n % 3:
        options["c"] = options["result"].replace(".npy", "-c.npy")
        C = np.asarray(rng.standard_normal(np.einsum(spec, *operands).shape))
        np.save(options["c"], np.asfortranarray(C) if n % 2 and C.ndim else C)
    if n % 3 == 2:
        options["c-factor"] = round(float(rng.standard_normal()), 3) or 2.0
    if n % 4 > 1:
        options["ab-factor"] = round(float(rng.standard_normal()), 3) or 2.0
    return case


cases = [roll_case(n) for n in range(CASES)]
rows = run(cases)
assert ranks_of(rows) == set(range(1, 25))
assert {row["type"] for row in rows} == {"", *TYPES[1:]}
large = [add_to(roll_large(n), n) for n in range(CASES)]
rows = run(large)
assert {row["algorithm"] for row in rows} == set(METHODS)
assert all(int(row["nvm_lift_words_total"]) > 0 for row in rows)
programs = [add_to(roll_program(n), n) for n in range(CASES // 2)]
rows = run(programs)
assert {row["algorithm"] for row in rows} == {"ooc-program"}
assert len({row["grid"].count("/") for row in rows}) > 2
products = [add_to(roll_product(n), n // 2) for n in range(CASES // 2)]
run(products)
for ranks in ("1", "4", "8") if ALL else ("4",):
    run(large, "--ranks", ranks, "--launch")
    if ranks != "8":
        run(programs, "--ranks", ranks, "--launch")
        run(products, "--ranks", ranks, "--launch")
    if ranks != "1":
        assert ranks_of(run(cases, "--ranks", ranks, "--launch")) == {
            int(ranks)}
print(f"ok: {CASES} einsums as numpy.einsum has them, as many out of core, and programs")
END
