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
assert read.runs["n"].dtype == numpy.int64 and read.runs["wall_s"].max() > 0
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
refused(2, "symmetric", aslant.sttsv, numpy.arange(27.).reshape(3, 3, 3), [1, 2, 3])
refused(2, "ranks: found", aslant.matmul, eye, eye, ranks=0)
for kind, code in (ValueError, 2), (OSError, 3), (aslant.Error, 1):
    assert issubclass(aslant._kinds[code], kind)

# Whatever is not real is refused, and no part of it is dropped.
for wrong in eye * 1j, eye.astype(complex), eye.astype(str), eye.astype(object):
    for call in (lambda: aslant.matmul(eye, wrong),
                 lambda: aslant.einsum("ij,jk->ik", wrong, eye),
                 lambda: aslant.sttsv(numpy.ones((3, 3, 3)), wrong[0])):
        try:
            call()
        except TypeError as error:
            assert "real numbers" in str(error), error
        else:
            raise AssertionError(f"not refused: {wrong.dtype}")
for kind in bool, numpy.int8, numpy.uint32, numpy.float32:
    C, _ = aslant.matmul(eye.astype(kind), eye)
    same(C, eye, kind)

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
        task.run(numpy.empty_like(A))

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
