"""aslant: matrix and tensor kernels on asymmetric memories, counted exactly.

    C, counts = aslant.matmul(A, B, algorithm="em-jomma", ranks=4)
    counts["bh_words_max"]

Operands are NumPy arrays of float64, in any layout; integers and other real numbers
are converted, complex ones are a TypeError.
Options are those of the command, with _ for -: ranks=4, write_cost=8,
store="dram", overlap=True.  `counts` is one row of runs.csv, whose columns
aslant-csv(5) explains; with reps=N it has N rows.

A failure raises Error, which is a ValueError for arguments (BadInput) and an OSError
for what the machine lacks (NoMachine).  A result that is wrong, or whose counts
are not as predicted, raises CheckFailed.  Ctrl-C ends a run: KeyboardInterrupt.
"""

import ctypes
import itertools
import re
import threading

import numpy

from ._library import library as _library, sizes as _sizes
from ._results import Results, read, read_csv, table as _table

__all__ = ["BadInput", "CheckFailed", "Error", "NoMachine", "Results", "bounds", "einsum", "matmul",
           "plan", "read", "read_csv", "sttsv", "version"]


class Error(Exception):
    """A failure, with the command's exit code as `code`."""

    def __init__(self, code, why):
        super().__init__(why)
        self.code = code


class CheckFailed(Error):
    """The result or the counts are wrong: `result` and `counts` hold them."""

    result = counts = None


class BadInput(Error, ValueError):
    """Arguments or operands that do not fit."""


class NoMachine(Error, OSError):
    """The machine lacks something: capacity, a file."""


_kinds = {1: CheckFailed, 2: BadInput, 3: NoMachine}


def _check(code):
    if code:
        why = _library.asl_why().decode(errors="replace")
        # Options are arguments here.
        why = re.sub("--([a-z][a-z-]*)", lambda x: x[1].replace("-", "_"), why)
        raise _kinds.get(code, Error)(code, why)


def _interruptible(function, *arguments):
    """Call it; on Ctrl-C, which Python sees in its main thread, end the run."""
    if threading.current_thread() is not threading.main_thread():
        return _check(function(*arguments))
    failed, done = [], threading.Event()

    def call():
        try:
            _check(function(*arguments))  # a thread has its own asl_why
        except Error as error:
            failed.append(error)
        finally:
            done.set()

    threading.Thread(target=call).start()
    try:
        done.wait()
    except BaseException:
        while not done.wait(0.02):
            _library.asl_interrupt()
        raise
    if failed:
        raise failed[0]


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
        array = numpy.asarray(array)
        if array.dtype.kind not in "biuf":
            raise TypeError(f"operand {which}: found entries of type "
                            f"{array.dtype}, expected real numbers")
        array = numpy.asarray(array, dtype=numpy.float64)
        if _layout(array) is None or not array.flags.aligned:
            array = array.copy()
        self.give(_library.asl_task_operand, array, which)

    def run(self, result):
        self.give(_library.asl_task_result, result)
        try:
            _interruptible(_library.asl_task_run, self.task)
        except CheckFailed as failed:
            failed.result, failed.counts = result, self.rows()
            raise
        return result, self.rows()

    def rows(self):
        rows = _table(_library.asl_task_csv(self.task).decode())
        return rows[0] if len(rows) == 1 else rows


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


def sttsv(A, x, algorithm="sttsv", symmetrize=False, **options):
    """y[i] = sum of A[i, j, k] x[j] x[k], A symmetric; and its counts.

    A is n x n x n, or its n (n + 1) (n + 2) / 6 entries i >= j >= k.  A cube is
    symmetric up to rounding, 1e-12 of its largest entry; with symmetrize, the mean
    of any cube over the orders of its indices is taken.
    """
    A, x = numpy.asarray(A), numpy.asarray(x)
    if symmetrize and A.ndim == 3:
        A = sum(A.transpose(order) for order
                in itertools.permutations(range(3))) / 6
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
