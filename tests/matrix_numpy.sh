#!/bin/bash
# matrix_numpy.sh -- NumPy reads what we write, and we read what NumPy writes
#
# In every version of the format and both orders, bit for bit; and Matrix
# Market files by SciPy, where that is installed.
set -u

python=/usr/bin/python3
convert=$BUILD/tests/matrix_files

if ! $python -c 'import numpy' 2>/dev/null; then
	echo "skipped: $python has no numpy"
	exit 77
fi

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

$python - "$convert" "$dir" <<'END'
import subprocess, sys
import numpy as np

convert, where = sys.argv[1:]
rng = np.random.default_rng(1)


def matrix(rows, cols):
    a = rng.standard_normal((rows, cols)) * 10.0 ** rng.integers(-300, 300, (rows, cols))
    a.flat[0] = -0.0
    a.flat[-1] = 5e-324
    return a


def run(a, b):
    return subprocess.run([convert, "convert", where + a, where + b],
                          stderr=subprocess.PIPE, text=True)


def copy(a, b):
    done = run(a, b)
    assert done.returncode == 0, done.stderr


def same(found, expected, what):
    assert found.dtype == np.float64 and found.shape == expected.shape, what
    assert found.tobytes() == np.ascontiguousarray(expected).tobytes(), what


def refused(a, *words):
    np.save(where + "/bad.npy", a)
    done = run("/bad.npy", "/none.npy")
    assert done.returncode == 1, (done, words)
    for word in words:
        assert word in done.stderr, (word, done.stderr)


for shape in (1, 1), (1, 7), (7, 1), (3, 5), (64, 33), (200, 301):
    a = matrix(*shape)
    for order in "CF":
        for version in (1, 0), (2, 0), (3, 0):
            with open(where + "/in.npy", "wb") as f:
                np.lib.format.write_array(f, np.array(a, order=order), version)
            copy("/in.npy", "/out.npy")
            same(np.load(where + "/out.npy"), a, (shape, order, version))
            same(np.load(where + "/out.npy", mmap_mode="r"), a, "mapped")
            copy("/out.npy", "/out.mtx")
            copy("/out.mtx", "/back.npy")
            same(np.load(where + "/back.npy"), a, (shape, "mtx"))

refused(np.ones((2, 3), dtype="f4"), "'<f4'", "float64")
refused(np.ones((2, 3), dtype=">f8"), "'>f8'")
refused(np.ones((2, 3), dtype=int), "'<i8'")
refused(np.ones((2, 3), dtype=complex), "'<c16'")
refused(np.ones((2, 3), dtype=[("x", "f8")]), "structured")
refused(np.ones(6), "1 dimension")
refused(np.ones((2, 3, 4)), "3 dimensions")
refused(np.float64(1), "0 dimensions")
refused(np.ones((0, 3)), "0 x 3")
refused(np.array([[1, 2], [np.nan, 4]]), "[1, 0]", "nan")
refused(np.array([[1, 2], [3, 4], [5, -np.inf]], order="F"), "[2, 1]", "-inf")

try:
    from scipy.io import mmread, mmwrite
    from scipy.sparse import coo_matrix
except ImportError:
    print("no scipy: Matrix Market files not compared")
    sys.exit()

a = matrix(9, 4)
np.save(where + "/in.npy", a)
copy("/in.npy", "/out.mtx")
same(mmread(where + "/out.mtx"), a, "scipy reads")

square = rng.integers(-9, 9, (6, 6)) / 4
for name, b in (("general", square), ("symmetric", square + square.T),
                ("skew-symmetric", square - square.T)):
    for c in b, coo_matrix(b):
        mmwrite(where + "/in.mtx", c, symmetry=name, precision=17)
        copy("/in.mtx", "/out.npy")
        assert (np.load(where + "/out.npy") == b).all(), name
END
