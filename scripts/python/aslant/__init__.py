"""aslant: matrix and tensor kernels on asymmetric memories, counted exactly.

    C, counts = aslant.matmul(A, B, algorithm="em-jomma", ranks=4)
    counts["bh_words_max"]

Operands are NumPy arrays of float64, in any layout; anything else is converted.
Options are those of the command, with _ for -: ranks=4, write_cost=8,
store="dram", overlap=True.  `counts` is one row of runs.csv, whose columns
aslant-csv(5) explains; with reps=N it has N rows.  A failure raises Error; a
result that is wrong, or whose counts are not as predicted, raises CheckFailed.
"""

import ctypes

import numpy

from ._library import library as _library, sizes as _sizes
from ._results import Results, read, read_csv, table as _table

__all__ = ["CheckFailed", "Error", "Results", "bounds", "einsum", "matmul",
           "plan", "read", "read_csv", "sttsv", "version"]


class Error(Exception):
    """A failure, with the command's exit code as `code`."""

    def __init__(self, code, why):
        super().__init__(why)
        self.code = code


class CheckFailed(Error):
    """The result or the counts are wrong: `result` and `counts` hold them."""

    result = counts = None


def _check(code):
    if code:
        raise (CheckFailed if code == 1 else Error)(
            code, _library.asl_why().decode(errors="replace"))


def _layout(array):
    """Steps in words, or None if one is negative or no whole number of words."""
    # With one entry, NumPy's stride to the next may be anything.
    steps = [step if length > 1 else 8
             for step, length in zip(array.strides, array.shape)]
    if any(step < 0 or step % 8 for step in steps):
        return None
    return [step // 8 for step in steps]


class _Task:
    def __init__(self, algorithm, options):
        self.task = ctypes.c_void_p()
        self.arrays = []
        _check(_library.asl_task_open(self.task, algorithm.encode()))
        try:
            for name, value in options.items():
                self.set(name, value)
        except BaseException:
            self.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        _library.asl_task_close(self.task)

    def set(self, name, value):
        if value is None or value is False:
            return
        text = None if value is True else str(value).encode()
        _check(_library.asl_task_set(self.task,
                                     name.replace("_", "-").encode(), text))

    def give(self, function, array, *which):
        self.arrays.append(array)
        _check(function(self.task, *which, array.ctypes.data, array.ndim,
                        _sizes(array.shape), _sizes(_layout(array))))

    def operand(self, which, array):
        array = numpy.asarray(array, dtype=numpy.float64)
        if _layout(array) is None or not array.flags.aligned:
            array = array.copy()
        self.give(_library.asl_task_operand, array, which)

    def run(self, result):
        self.give(_library.asl_task_result, result)
        code = _library.asl_task_run(self.task)
        rows = _table(_library.asl_task_csv(self.task).decode())
        rows = rows[0] if len(rows) == 1 else rows
        try:
            _check(code)
        except CheckFailed as failed:
            failed.result, failed.counts = result, rows
            raise
        return result, rows


def matmul(A, B, algorithm="auto", **options):
    """A @ B for matrices, and its counts."""
    A, B = numpy.asarray(A), numpy.asarray(B)
    if A.ndim != 2 or B.ndim != 2:
        raise ValueError(f"found {A.ndim} and {B.ndim} dimensions, expected 2")
    with _Task(algorithm, options) as task:
        task.operand(0, A)
        task.operand(1, B)
        return task.run(numpy.empty((A.shape[0], B.shape[1])))


def _letters(spec):
    inputs, arrow, output = spec.replace(" ", "").partition("->")
    if not arrow:
        every = inputs.replace(",", "")
        output = "".join(sorted(x for x in set(every) if every.count(x) == 1))
    return inputs.split(","), output


def einsum(spec, *arrays, **options):
    """numpy.einsum(spec, *arrays), and its counts."""
    arrays = [numpy.asarray(array) for array in arrays]
    inputs, output = _letters(spec)
    size = {letter: length for term, array in zip(inputs, arrays)
            for letter, length in zip(term, array.shape)}
    if len(inputs) != len(arrays):
        raise ValueError(f"'{spec}' has {len(inputs)} inputs, found "
                         f"{len(arrays)} arrays")
    with _Task("einsum", {"spec": spec, **options}) as task:
        for i, array in enumerate(arrays):
            task.operand(i, array)
        # The library reports a letter that no input has.
        return task.run(numpy.empty([size.get(x, 1) for x in output]))


def sttsv(A, x, algorithm="sttsv", **options):
    """y[i] = sum of A[i, j, k] x[j] x[k], A symmetric; and its counts.

    A is n x n x n, or its n (n + 1) (n + 2) / 6 entries i >= j >= k.
    """
    x = numpy.asarray(x)
    with _Task(algorithm, options) as task:
        task.operand(0, numpy.ascontiguousarray(A))
        task.operand(1, x)
        return task.run(numpy.empty(x.shape))


def plan(algorithm="auto", **options):
    """The candidates, cheapest first: the rows of aslant plan --csv."""
    with _Task(algorithm, options) as task:
        _check(_library.asl_task_plan(task.task))
        return _table(_library.asl_task_csv(task.task).decode())


def bounds(algorithm="auto", **options):
    """Lower bounds: the rows of aslant bounds --csv."""
    with _Task(algorithm, options) as task:
        _check(_library.asl_task_bounds(task.task))
        return _table(_library.asl_task_csv(task.task).decode())


def version():
    """The library's version."""
    return _library.asl_version().decode()
