#!/bin/bash
# python_module.sh -- the Python module gives what NumPy gives, and reads results
set -u

tests=$(cd "$(dirname "$0")" && pwd)
. "$tests/help/command.sh"

export PYTHONPATH=$tests/../scripts/python PYTHONDONTWRITEBYTECODE=1
export ASLANT_LIBRARY=${BUILD:?}/libaslant.so.0
# Under a sanitizer it has to come first.
asan=$(ldd "$ASLANT_LIBRARY" | awk '/libasan/ {print $3}')

expect 0 run em-jomma --n 50 --ranks 4 --reps 3 --out result
LD_PRELOAD=$asan ASAN_OPTIONS=detect_leaks=0 timeout 100 "$python" - <<'PYTHON' || fail "see above"
import numpy, random, aslant

random.seed(3)
numpy.random.seed(3)

def small(*shape):
    """Small whole numbers, in memory any way that NumPy knows."""
    x = numpy.random.randint(-4, 5, shape).astype(float)
    kind = random.randrange(4)
    if kind == 1:
        x = numpy.asfortranarray(x)
    elif kind == 2:
        wide = numpy.zeros([2 * n for n in shape])
        view = wide[tuple(slice(None, None, 2) for _ in shape)]
        view[...] = x
        x = view
    elif kind == 3:
        x = x[::-1]
    return x

def same(found, expected, what):
    assert found.shape == expected.shape, (what, found.shape, expected.shape)
    assert (found == expected).all(), what

for case in range(25):
    m, n, k = (random.randint(1, 30) for _ in range(3))
    A, B = small(m, k), small(k, n)
    name = random.choice(["auto", "3d", "em-jomma", "fused", "cuts"])
    C, counts = aslant.matmul(A, B, algorithm=name, ranks=random.randint(1, 12),
                              store=random.choice(["dram", "pmem"]))
    same(C, A @ B, name)
    assert counts["predicted_equal"] == 1 and counts["verified"] == 1
    assert counts["m"] == m and counts["flops_total"] == 2 * m * n * k

for spec, *shapes in (("ij,jk->ki", (5, 6), (6, 7)), ("ii->i", (6, 6)),
                      ("ij,jk", (5, 6), (6, 7)), ("ij->", (5, 6)),
                      ("ijk,kl,jl->il", (4, 5, 6), (6, 3), (5, 3))):
    arrays = [small(*shape) for shape in shapes]
    y, counts = aslant.einsum(spec, *arrays, ranks=6, cache="1KiB")
    same(y, numpy.einsum(spec, *arrays), spec)

n = 12
packed = numpy.random.randint(-4, 5, n * (n + 1) * (n + 2) // 6).astype(float)
T = numpy.empty((n, n, n))
places = iter(packed)
for i in range(n):
    for j in range(i + 1):
        for l in range(j + 1):
            e = next(places)
            for a, b, c in ((i, j, l), (i, l, j), (j, i, l), (j, l, i),
                            (l, i, j), (l, j, i)):
                T[a, b, c] = e
x = numpy.random.randint(-4, 5, n).astype(float)
expected = numpy.einsum("ijk,j,k->i", T, x, x)
for A in T, packed:
    y, counts = aslant.sttsv(A, x, ranks=10)
    same(y, expected, "sttsv")

found = aslant.plan(n=1000, ranks=16, top=7, write_cost=4)
assert len(found) == 7 and (numpy.diff(found["q_apm_path"]) >= 0).all()
assert found["algorithm"].dtype.kind == "U"
least = aslant.bounds(n=1000, ranks=16)
assert least["value"][list(least["name"]).index("net_words")] > 0

read = aslant.read("result")
assert len(read.runs) == 3 and list(read.runs["rep"]) == [0, 1, 2]
assert numpy.isnan(read.runs["eigenvalue"]).all()
assert read.runs["n"].dtype == numpy.float64 and read.runs["wall_s"].max() > 0
assert read.runs["bh_words_max"].dtype == read.ranks["bh_words"].dtype == numpy.int64
totals = read.ranks[~numpy.isin(read.ranks["phase"], ["fill", "verify"])]
assert totals["net_send_words"].sum() == read.runs["net_send_words_total"].sum()
assert read.machine["cores"] >= 1 and read.machine["aslant"] == aslant.version()

def refused(code, words, function, *arguments, **options):
    try:
        function(*arguments, **options)
    except aslant.Error as error:
        assert error.code == code and words in str(error), error
    else:
        raise AssertionError(f"not refused: {words}")

eye = numpy.eye(3)
refused(2, "'foo'", aslant.matmul, eye, eye, algorithm="foo")
refused(2, "'foo'", aslant.matmul, eye, eye, foo=1)
refused(2, "rows of B", aslant.matmul, eye, numpy.eye(4))
refused(2, "index 'j'", aslant.einsum, "ij,jk", eye, numpy.eye(4))

# One array given twice is read once: half of the multiplications, and the mirror image.
G = numpy.random.default_rng(3).standard_normal((60, 50))
for ranks in 1, 4, 7, 12:
    y, counts = aslant.einsum("ki,kj->ij", G, G, ranks=ranks, way="gram", cache="64KiB")
    assert numpy.allclose(y, G.T @ G) and abs(y - y.T).max() < 1e-12, ranks
    whole = aslant.einsum("ki,kj->ij", G, G.copy(), ranks=ranks, cache="64KiB")[1]
    assert counts["verified"] and counts["flops_total"] < 0.9 * whole["flops_total"], ranks
refused(2, "gram is for one array", aslant.einsum, "ki,kj->ij", G, G.copy(), way="gram")
refused(2, "symmetric", aslant.sttsv, numpy.arange(27.).reshape(3, 3, 3), [1, 2, 3])
refused(2, "ranks: found", aslant.matmul, eye, eye, ranks=0)
for kind, code in (ValueError, 2), (OSError, 3), (aslant.Error, 1):
    assert isinstance(aslant._failure(code, "why"), kind)
refused(2, "X: found 1 dimensions", aslant.cpgrad, numpy.ones((3, 3, 3)), numpy.ones(3))
refused(2, "shape", aslant.matmul, [[1, 2], [3]], eye)
refused(2, "expected 2", aslant.matmul, numpy.ones(3), eye)
refused(2, "help(aslant.run) lists", aslant.run, "3d", n=3, launch=True, foo=3)
refused(3, "none/runs.csv", aslant.read, "none")
try:
    aslant.read("none")
except FileNotFoundError:
    pass
refused(2, "no argument 'write_cots': did you mean write_cost?", aslant.matmul, eye, eye,
        write_cots=3)
refused(2, "overlap: expected True or False", aslant.matmul, eye, eye, overlap=3)
refused(2, "write_cost: expected w", aslant.matmul, eye, eye, write_cost=True)
refused(2, "dtype: found float16", aslant.einsum, "ij->ji", eye, dtype="f2")
refused(2, "together complex256", aslant.einsum, "ij->ji", eye.astype(numpy.clongdouble))

# Out of core, added to a C.
F, G, H = (numpy.random.default_rng(8).standard_normal((60, 60)) for _ in "ABC")
little = {"memory_budget": 900, "cache": 99}
found, row = aslant.matmul(F, G, "ooc-auto", C=H, ab_factor=-2, c_factor=0.5, **little)
assert numpy.allclose(found, -2 * (F @ G) + 0.5 * H) and row["verified"] == 1
assert row["c_factor"] == 0.5 and row["predicted_equal"] == 1
found, _ = aslant.einsum("ij,jk->ki", F, G, algorithm="ooc-auto", C=H.T, **little)
assert numpy.allclose(found, (F @ G + H).T)
found, _ = aslant.einsum("ij,jk->ik", *[x.astype("f4") for x in (F, G)],
                         algorithm="ooc-auto", **little)
assert found.dtype == float and numpy.allclose(found, F @ G, 1e-4, 1e-4)
found, _ = aslant.einsum("ij,jk,kl->il", F, G, F, algorithm="ooc-auto", C=H, **little)
assert numpy.allclose(found, F @ G @ F + H)
refused(2, "expected that only out of core", aslant.matmul, F, G, C=H)
refused(2, "expected that only out of core", aslant.einsum, "ij,jk->ik", F, G, C=H)
refused(2, "found complex64", aslant.einsum, "ij,jk->ik", F + 0j, G, dtype="complex64",
        algorithm="ooc-auto", **little)
refused(2, "C: is 9 x 60, expected 60 x 60", aslant.matmul, F, G, "ooc-auto", C=H[:9], **little)

refused(2, "does not make complex64", aslant.einsum, "ij->ji", eye + 0j,
        dtype=numpy.complex64, casting="safe")
refused(2, "float64", aslant.einsum, "ij->ji", eye.astype(numpy.complex64),
        entries="exact")
refused(2, "order: found 'X'", aslant.einsum, "ij->ji", eye, order="X")
refused(2, "which casting='no' does not", aslant.einsum, "ij->ji", eye.astype(int),
        casting="no")
refused(2, "did you mean quick?", aslant.suite, "quik", "nothing")
refused(3, "No such file", aslant.run, "vomm", n=3, nvm_dir="none/here")

# What help() and completion know is what the table of options has.
import inspect
for function, has, lacks in ((aslant.matmul, "ranks", "steiner"), (aslant.run, "spec", "foo"),
                             (aslant.einsum, "way", "grid"), (aslant.sttsv, "exchange", "way"),
                             (aslant.hopm, "iterations", "way"), (aslant.plan, "top", "verify"),
                             (aslant.bounds, "cache", "top"), (aslant.suite, "only", "top"),
                             (aslant.report, "figures", "ranks"), (aslant.run, "launch", "top"),
                             (aslant.compare, "fail_below", "open"),
                             (aslant.calibrate, "quick", "n")):
    names = inspect.signature(function).parameters
    assert has in names and lacks not in names, function
    assert f"    {has}=" in function.__doc__ or has == "launch"
    assert f"    {lacks}=" not in function.__doc__
    assert "--store" not in function.__doc__
for name in aslant.__all__:
    assert getattr(aslant, name).__doc__, name
    if inspect.isfunction(getattr(aslant, name)):
        hints = inspect.signature(getattr(aslant, name))
        assert hints.return_annotation is not hints.empty, name
        assert all(x.annotation is not x.empty for x in hints.parameters.values()), name
assert aslant.__version__ == aslant.version()
of = {name: x.annotation for name, x in inspect.signature(aslant.matmul).parameters.items()}
assert of["A"] == "ArrayLike" and of["ranks"] is int and of["overlap"] is bool
assert "n" not in of and "n" in inspect.signature(aslant.run).parameters
assert "only counts (dram)" in " ".join(aslant.matmul.__doc__.split())
assert "only counts (pmem)" in " ".join(aslant.run.__doc__.split())
assert repr(least).endswith("4 columns: name, value, unit, source>"), least

# All that numpy.einsum takes.
B, D, E = numpy.random.rand(3, 5, 6), numpy.random.rand(6, 4), numpy.random.rand(4, 5)
for arguments in (("...ij,jk->...ik", B, D), ("...i,ij", B, D), (B, [0, 1, 2], D, [2, 3], [0, 1, 3]),
                  (B, [..., 2], D, [2, 3]), ("i...,i...->...", B, numpy.random.rand(3, 1, 6)),
                  ("ijk,kl,lj", B, D, E), ("...", B), ("ij,j->i", D, numpy.ones(1)),
                  ("i,ij", numpy.ones(1), D)):
    paths = [["einsum_path", (0, 1), (0, 1)], ["einsum_path", (0, 1, 2)]]
    for optimize in (None, False, True, "greedy", ("optimal", 1000),
                     *(paths if len(arguments) == 4 and arguments[3] is E else ())):
        y, counts = aslant.einsum(*arguments, optimize=optimize, ranks=2)
        expected = numpy.einsum(*arguments)
        assert y.shape == expected.shape and numpy.allclose(y, expected), arguments
z = numpy.full((4, 5, 3), numpy.nan)
assert aslant.einsum("ijk,kl->lji", B, D, out=z)[0] is z and numpy.allclose(
    z, numpy.einsum("ijk,kl->lji", B, D))
z = numpy.arange(9.).reshape(3, 3)
assert numpy.allclose(aslant.einsum("ij,jk", z, z, out=z)[0],
                      numpy.arange(9.).reshape(3, 3) @ numpy.arange(9.).reshape(3, 3))
for wrong in numpy.empty((5, 4)), numpy.empty((4, 5), dtype=int), z[::-1], [1]:
    refused(2, "out: expected", aslant.einsum, "ij,jk->ik", E, E.T.copy(), out=wrong)

def drawn_einsum():
    """Arguments of numpy.einsum: repeated letters, '...', sizes of 1, any path."""
    letters = "abcde"
    size = {x: random.randint(1, 5) for x in letters}
    terms = [random.choices(letters, k=random.randint(1, 3))
             for _ in range(random.randint(1, 3))]
    every = [random.choice([None, (), (4,), (1, 4)]) for _ in terms]
    arrays = [small(*(ones or ()), *(size[x] for x in term))
              for term, ones in zip(terms, every)]
    used = sorted({x for term in terms for x in term})
    lists = [[...] * (ones is not None) + [letters.index(x) for x in term]
             for term, ones in zip(terms, every)]
    if random.random() < 0.7:
        lists.append([...] * any(ones is not None for ones in every) + [
            letters.index(x) for x in random.sample(used, random.randint(0, len(used)))])
    arguments = [x for pair in zip(arrays, lists) for x in pair] + lists[len(terms):]
    path = numpy.einsum_path(*arguments, optimize="optimal")[0]
    if random.random() < 0.6:
        text = ["".join("..." if x is ... else letters[x] for x in one) for one in lists]
        arguments = ["->".join([",".join(text[:len(terms)])] + text[len(terms):]), *arrays]
    return arguments, random.choice([None, True, False, "greedy", path])

for case in range(40):
    arguments, way = drawn_einsum()
    y, counts = aslant.einsum(*arguments, optimize=way, ranks=random.randint(1, 4))
    same(y, numpy.einsum(*arguments), arguments)
    assert counts["predicted_equal"] == 1
for wrong in ("ij,jk", eye), ("i...jk", eye), ("ij,jk->ik", eye, numpy.eye(4)):
    try:
        aslant.einsum(*wrong)
    except ValueError:
        pass
    else:
        raise AssertionError(f"not refused: {wrong[0]}")
for wrong, kind, text in (((B, [0, 1, 52], D, [52, 3]), ValueError, "index 52"),
                          ((B, "ijk", D, "kl"), TypeError, "index 'i'"),
                          (("i....,i", B, D), ValueError, "expected '...' once")):
    try:
        aslant.einsum(*wrong)
    except kind as error:
        assert text in str(error), error
    else:
        raise AssertionError(f"not refused: {wrong}")
for wrong in ("quick", ["einsum_path", (0, 5)], ["einsum_path", (0, 1)], [(0, 1)], []):
    refused_path = False
    try:
        aslant.einsum("ijk,kl,lj", B, D, E, optimize=wrong)
    except ValueError as error:
        refused_path = "optimize: found" in str(error)
    assert refused_path, wrong

# A path's order is kept: the stages are those of the command's --path.
shapes = dict(zip("ijklm", (3, 5, 6, 4, 7)))
chain = [numpy.random.rand(shapes[a], shapes[b]) for a, b in ("ij", "jk", "kl", "lm")]
flops = set()
for path, stages in (((0, 1), (0, 1), (0, 1)), "0,1;0,1;0,1"), \
                    (((1, 2), (0, 2), (0, 1)), "1,2;0,2;0,1"), \
                    (((2, 3), (0, 1, 2)), "2,3;0,1,2"):
    y, counts = aslant.einsum("ij,jk,kl,lm", *chain, optimize=["einsum_path", *path], ranks=4)
    asked = aslant.run("einsum", spec="ij,jk,kl,lm", dims=shapes, path=stages, ranks=4)
    assert numpy.allclose(y, numpy.linalg.multi_dot(chain))
    assert counts["flops_total"] == asked["flops_total"], (path, counts)
    flops.add(counts["flops_total"])
assert len(flops) == 3, flops

# Rows: fixed types, few words in a console, all of them in a notebook.
_, row = aslant.matmul(eye, eye)
_, three = aslant.matmul(eye, eye, reps=3)
for rows in row, three:
    assert rows.keys() == list(rows.dtype.names) and len(repr(rows)) < 300
    assert str(rows) == repr(rows)
    assert rows["spec"].dtype.kind == "U" and rows["r"].dtype == numpy.float64
    assert "bh_words_max" in rows._repr_html_()
# Columns have one type each, whatever is in the rows.
for rows in aslant.einsum("ij,jk", eye, eye)[1], aslant.hopm(numpy.ones((3, 3, 3)))[1]:
    for name in row.keys():
        one, other = row.dtype[name], rows.dtype[name]
        assert one.kind == other.kind and (one.kind == "U" or one == other), name
assert aslant.plan(n=30, ranks=2).dtype["n"] == row.dtype["n"]
assert row.dtype["bh_words_max"] == numpy.int64 and row.dtype["wall_s"] == numpy.float64
assert "verified=1>" in repr(row) and "<td>3</td>" in row._repr_html_()
assert row["store"] == "dram" and type(three[1]) is type(row) and len(three[1:]) == 2
assert (three["rep"] == [0, 1, 2]).all() and "vm" not in repr(three["rep"])
try:
    import pandas
    frame = three.to_pandas()
    assert list(frame["rep"]) == [0, 1, 2] and row.to_pandas()["n"] == 3
    assert frame["rep"].dtype == numpy.int64 and frame["wall_s"].dtype == numpy.float64
    assert list(frame.columns) == three.keys() and len(frame.groupby("run_id")) == 1
    frame = read.to_pandas()
    assert list(frame["rep"]) == [0, 1, 2] and set(frame["algorithm"]) == {"em-jomma"}
    assert read.ranks.to_pandas()["rank"].max() == 3
except ImportError:
    pass

# Other operations, the command's among them.
cube3 = numpy.random.rand(9, 9, 9)
v, counts = aslant.hopm(cube3, symmetrize=True, iterations=200, shift=20)
S = sum(cube3.transpose(order) for order in aslant.itertools.permutations(range(3))) / 6
assert numpy.allclose(numpy.einsum("ijk,j,k", S, v, v), counts["eigenvalue"] * v, atol=1e-6)
G, counts = aslant.cpgrad(S, numpy.random.rand(9, 2))
assert G.shape == (9, 2) and counts["verified"] == 1
assert aslant.run("cannon", n=64, ranks=4, store="null")["ranks"] == 4
assert aslant.run("cannon", n=64, ranks=4, store="dram", launch=True)["transport"] == "ofi"
assert aslant.run("3d", n=64, ranks=4, grid=(1, 2, 2), out="of-run")["grid"] == "1x2x2"
assert aslant.read("of-run").runs["transport"][0] == "sim"
assert aslant.run("einsum", spec="ij,jk", dims={"i": 3, "j": 4, "k": 5})["flops_total"] == 120
assert aslant.machine()["cores"] >= 1
suite = aslant.suite("quick", "quick", store="null")
assert len(suite.runs) >= 18 and "quick" in repr(suite)
assert str(aslant.report("quick")) == "quick/report.html"
assert len(aslant.compare("result", "result", busy=True)) >= 1

# Complex numbers of two floats, in any layout, with the type that NumPy finds.
halves = numpy.random.rand(12, 19, 2).astype(numpy.float32) - numpy.float32(0.5)
Z = halves.view(numpy.complex64)[..., 0]
odd = numpy.zeros(2 * Z.size + 1, numpy.float32)[1:].view(numpy.complex64)  # at 4 mod 8
odd = odd.reshape(Z.shape)
odd[...] = Z
assert odd.flags.aligned
for z in Z, Z[::-1], Z.T.copy().T, odd, Z[:, ::3], halves[..., 0].astype(numpy.float16):
    z2 = Z.conj()[:, :z.shape[1]]
    found, row = aslant.einsum("ij,kj->ik", z, z2, ranks=4, verify="oracle")
    expected = numpy.einsum("ij,kj->ik", z, z2)
    assert found.dtype == expected.dtype == numpy.complex64
    assert abs(found - expected.astype(complex)).max() < 1e-5, z.strides
    assert row["type"] == "complex64" and row["verified"] == row["predicted_equal"] == 1

# In every type, mixed as NumPy mixes them; no part of a number is dropped.
kinds = [numpy.dtype(x) for x in ("f2", "i2", "i8", "f4", "f8", "c8", "c16")]
for left in kinds:
    for right in kinds:
        a, b = ((numpy.random.rand(9, 7) * 20 + (4j if x.kind == "c" else 0)).astype(x)
                for x in (left, right))
        found, row = aslant.einsum("ij,kj->ik", a, b.T.copy().T, ranks=3, verify="oracle")
        expected = numpy.einsum("ij,kj->ik", a, b)
        if expected.dtype.kind == "i" or expected.dtype == "f2":
            expected = numpy.einsum("ij,kj->ik", a, b, dtype=float)
        assert found.dtype == expected.dtype, (left, right, found.dtype)
        assert abs(found - expected).max() < 30 * numpy.finfo(found.dtype).eps * 4000
        assert row["word_bytes"] == found.dtype.itemsize and row["predicted_equal"] == 1
gram = numpy.empty((12, 12), numpy.complex64, order="F")
found, row = aslant.einsum("ij,kj->ik", Z, Z.conj(), out=gram, threads=2, ranks=2)
assert found is gram and abs(gram - gram.conj().T).max() < 1e-5
assert aslant.einsum("ij->ji", Z.astype(complex), dtype="c8")[0].dtype == "c8"
refused(2, "out: expected an array of complex64", aslant.einsum, "ij,kj->ik", Z, Z,
        out=numpy.empty((12, 12)))
for call in (lambda: aslant.matmul(Z, Z.T), lambda: aslant.sttsv(cube3, Z[0, :9])):
    try:
        call()
    except TypeError as error:
        assert "complex64, expected real numbers" in str(error), error
    else:
        raise AssertionError("complex64 is not refused")

# Whatever is not real is refused, and no part of it is dropped.
for wrong in eye * 1j, eye.astype(complex), eye.astype(str), eye.astype(object):
    for call in (lambda: aslant.matmul(eye, wrong),
                 lambda: aslant.sttsv(numpy.ones((3, 3, 3)), wrong[0])):
        try:
            call()
        except TypeError as error:
            assert "real numbers" in str(error), error
        else:
            raise AssertionError(f"not refused: {wrong.dtype}")
    if wrong.dtype.kind != "c":
        refused(2, "expected numbers", aslant.einsum, "ij,jk->ik", wrong, eye)
for kind in bool, numpy.int8, numpy.uint32, numpy.float32:
    C, _ = aslant.matmul(eye.astype(kind), eye)
    same(C, eye, kind)

# Nothing is rounded on its way in.
big = 2**53 * eye.astype(numpy.int64)
same(aslant.matmul(big, eye)[0], big.astype(float), "2^53")
for wrong in big + 1, -big - 1, (big + 1).astype(numpy.uint64):
    refused(2, "2^53", aslant.matmul, wrong, eye)
    refused(2, "2^53", aslant.einsum, "ij,jk->ik", eye, wrong)
refused(2, "would round", aslant.einsum, "ij,jk->ik", eye.astype(numpy.longdouble), eye)

# A cube that was summed in some order, and one that is not symmetric at all.
cube = numpy.random.rand(9, 9, 9)
rounded = sum(cube.transpose(order) for order in aslant.itertools.permutations(range(3))) / 6
x = numpy.random.rand(9)
expected = numpy.einsum("ijk,j,k", rounded, x, x)
assert (rounded != rounded.transpose(1, 0, 2)).any()
for y, _ in aslant.sttsv(rounded, x), aslant.sttsv(cube, x, symmetrize=True):
    assert numpy.allclose(y, expected, rtol=1e-13)
refused(2, "1e-12", aslant.sttsv, cube, x)

refused(1, "VERIFICATION", aslant.matmul, numpy.full((2, 2), numpy.nan), eye[:2, :2])
PYTHON

# ---- A wheel, with the library, the command and the suites in it ----

if "$python" -c 'import pip' 2>/dev/null && [ -z "$asan" ]; then
	mkdir -p tree/scripts
	cp -r "$tests/../scripts/python" tree/scripts
	ln -s "$(realpath "$BUILD")" tree/build
	ln -s "$(realpath "$tests/../bench")" "$(realpath "$tests/../CMakeLists.txt")" \
		"$(realpath "$tests/../LICENSE")" tree
	# Isolated, as pip has it, and without an index: it downloads nothing.
	PYTHONPATH='' "$python" -m pip install -q --no-deps --no-index --target wheel \
		tree/scripts/python >log 2>&1 || fail "wheel: $(tail -3 log)"
	env -u ASLANT -u ASLANT_LIBRARY PYTHONPATH=$work/wheel "$python" -c '
import aslant, importlib.metadata, numpy, pathlib
from aslant import _command
from aslant._library import path
here = pathlib.Path(aslant.__file__).parent
assert pathlib.Path(path).parent == here, path
assert pathlib.Path(_command._command()).parent == here
assert (aslant.matmul(numpy.eye(3), numpy.eye(3))[0] == numpy.eye(3)).all()
assert len(aslant.suite("quick", "of-wheel", store="null").runs) >= 18
assert importlib.metadata.version("aslant") == aslant.__version__
assert (here / "py.typed").exists()
' || fail "the wheel does not work"
fi

# ---- Signals are the program's: before, during and after a run ----

cat >signals.py <<'PYTHON'
import ctypes, signal, subprocess, sys, time
import numpy, aslant
from aslant._library import library

A = numpy.ones((60, 60))

def over(transport):
    """A run over MPI_COMM_WORLD, of one rank."""
    mpi = ctypes.CDLL("libmpich.so.12", mode=ctypes.RTLD_GLOBAL)
    mpi.MPI_Init(None, None)
    signal.signal(signal.SIGINT, signal.default_int_handler) # whatever MPI did
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    with aslant._Task("3d", {"transport": transport, "store": "dram"}) as task:
        aslant._check(library.asl_task_communicator(task.task, 0x44000000))
        task.operand(0, A)
        task.operand(1, A)
        task.run(A.shape)

before = signal.getsignal(signal.SIGINT)
what = sys.argv[1]
if what in ("ofi", "mpi"):
    over(what)
elif what == "after":
    aslant.matmul(A, A, ranks=4)
assert signal.getsignal(signal.SIGINT) is before
print("ready", flush=True)
if what == "during":
    aslant.matmul(A, A, ranks=4, reps=1000000)
time.sleep(60)
PYTHON

# signalled WHAT SIGNAL CODE: the interpreter ends as if there were no aslant
signalled() {
	local name=$1-$2 code
	LD_PRELOAD=$asan ASAN_OPTIONS=detect_leaks=0 setsid "$python" -c '
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.argv = sys.argv[1:]
exec(open("signals.py").read())' signals "$1" >"$name.out" 2>"$name.err" &
	until_true 30 grep -q ready "$name.out" || fail "$name: $(cat "$name.err")"
	sleep 0.2
	kill -s "$2" $!
	wait $!
	code=$?
	[ $code = "$3" ] || fail "$name: exit code $code, expected $3: $(cat "$name.err")"
	[ "$2" = TERM ] || [ "$(sed -n '1s/ .*//p;$p' "$name.err" | tr '\n' ' ')" = \
		"Traceback KeyboardInterrupt " ] ||
		fail "$name: no traceback: $(cat "$name.err")"
}

for what in import after during ofi mpi; do
	signalled $what INT 130
	signalled $what TERM 143
done 2>/dev/null

[ ! -e failed ]
