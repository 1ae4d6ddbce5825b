"""aslant: matrix and tensor kernels on asymmetric memories, counted exactly.

    C, counts = aslant.matmul(A, B, algorithm="em-jomma", ranks=4)
    counts["bh_words_max"]

Operands are NumPy arrays of float64, in any layout; integers up to 2^53 and narrower
real numbers are converted, wider and complex ones are a TypeError.  einsum computes in
float32, complex64 and complex128, too.
Options are those of the command, with _ for -: ranks=4, write_cost=8, overlap=True;
help(aslant.matmul) lists them.  Words of arrays are in DRAM (store="dram"), unless
store or nvm_dir says otherwise.  `counts` is one row of runs.csv, whose columns
aslant-csv(5) explains; with reps=N it has N rows.

A failure raises Error, which is a ValueError for arguments (BadInput), a TypeError
for their types (BadType) and an OSError for what the machine lacks (NoMachine).  A result that is wrong, or whose counts
are not as predicted, raises CheckFailed.  Ctrl-C ends a run: KeyboardInterrupt.
"""

from __future__ import annotations  # help() shows types as they are written

import ctypes
import itertools
import threading
from typing import Any, Tuple, Union

import numpy
from numpy.typing import ArrayLike, NDArray

from ._command import calibrate, compare, launch as _launch, machine, report, suite
from ._errors import (BadInput, BadType, CheckFailed, Error, NoFile, NoMachine,
                      failure as _failure)
from ._library import library as _library, sizes as _sizes
from ._options import (by_command as _by_command, takes as _takes,
                       texts as _texts)
from ._results import Results, Row, Table, read, read_csv, table as _table

__all__ = ["BadInput", "BadType", "CheckFailed", "Error", "NoFile", "NoMachine",
           "Results", "Row", "Table", "bounds", "calibrate", "compare", "cpgrad", "einsum", "hopm",
           "machine", "matmul", "plan", "read", "read_csv", "report", "run",
           "sttsv", "suite", "version"]


def version() -> str:
    """The library's version."""
    return _library.asl_version().decode()


__version__ = version()


def _check(code):
    if code:
        raise _failure(code, _library.asl_why().decode(errors="replace"))


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
    """Steps in entries, or None if one is negative or no whole number of entries."""
    # With one entry, NumPy's stride to the next may be anything.
    size = array.itemsize
    steps = [step if length > 1 else size
             for step, length in zip(array.strides, array.shape)]
    if any(step < 0 or step % size for step in steps):
        return None
    return [step // size for step in steps]


def _is_usable(array):
    return _layout(array) is not None and array.flags.aligned


def _array(x: Any) -> NDArray[Any]:
    try:
        return numpy.asarray(x)
    except ValueError as error:  # rows of different lengths
        raise BadInput(2, str(error)) from None


def _refuse_rounding(which, array):
    """Numbers that float64 does not hold would change without a word."""
    kind = array.dtype.kind
    if kind == "f" and array.dtype.itemsize > 8:
        raise BadType(2, f"operand {which}: found entries of type {array.dtype}, "
                        "which float64 would round")
    if kind in "iu" and array.dtype.itemsize == 8 and array.size and \
            max(int(array.max()), -int(array.min())) > 2**53:
        raise BadInput(2, f"operand {which}: found integers beyond 2^53, which "
                         "float64 would round")


class _Task:
    def __init__(self, algorithm, options, dtype=numpy.float64):
        self.task = ctypes.c_void_p()
        self.arrays = []
        self.dtype = numpy.dtype(dtype)
        self.placed = any(options.get(x) is not None for x
                          in ("store", "nvm_dir", "memory_node"))
        _check(_library.asl_task_open(self.task, algorithm.encode()))
        try:
            for name, value in options.items():
                self.set(name, value)
        except BaseException:
            self.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def close(self):
        _library.asl_task_close(self.task)

    def set(self, name, value):
        for text in _texts(name, value):
            _check(_library.asl_task_set(
                self.task, name.replace("_", "-").encode(),
                None if text is None else text.encode()))

    def in_dram(self):
        """Where arrays are, if nothing else was asked for."""
        if not self.placed:
            self.placed = True
            self.set("store", "dram")

    def give(self, function, array, *which):
        self.arrays.append(array)
        _check(function(self.task, *which, array.ctypes.data, array.ndim,
                        _sizes(array.shape), _sizes(_layout(array))))

    def operand(self, which, array):
        self.in_dram()
        array = _array(array)
        if self.dtype == numpy.float64:
            if array.dtype.kind not in "biuf":
                raise BadType(2, f"operand {which}: found entries of type "
                                f"{array.dtype}, expected real numbers")
            _refuse_rounding(which, array)
        array = numpy.asarray(array, dtype=self.dtype)
        if not _is_usable(array):
            array = array.copy()
        self.give(_library.asl_task_operand, array, which)

    def run(self, shape, result=None):
        if result is None:
            result = numpy.empty(shape, self.dtype)
        elif not isinstance(result, numpy.ndarray) or result.shape != tuple(shape) \
                or result.dtype != self.dtype or not result.flags.behaved \
                or not _is_usable(result):
            raise BadInput(2, f"out: expected an array of {self.dtype} of shape "
                           f"{tuple(shape)}, not reversed")
        elif any(numpy.may_share_memory(result, x) for x in self.arrays):
            result[...] = self.run(shape)[0]
            return result, self.rows()
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


# ---- Operations ----

Array = NDArray[numpy.float64]
Entries = NDArray[Any]  # of one of _TYPES
Rows = Union[Row, Table]

_counts = """\
Returns the result, and its counts: a Row of runs.csv, or with reps=N a Table of N
(aslant-csv(5) explains the columns).  Options, as of the command:"""


@_takes("run", "3d", "summa", but="n m k a b entries", text=_counts)
def matmul(A: ArrayLike, B: ArrayLike, algorithm: str = "auto",
           C: Union[ArrayLike, None] = None, **options: Any) -> Tuple[Array, Rows]:
    """A @ B for matrices, and its counts.

    Out of core (algorithm="ooc-auto", memory_budget="1MiB") C is added, if it is given:
    ab_factor * A @ B + c_factor * C, where both factors are 1 unless they are given.
    """
    A, B = _array(A), _array(B)
    if A.ndim != 2 or B.ndim != 2:
        raise BadInput(2, f"found {A.ndim} and {B.ndim} dimensions, expected 2")
    with _Task(algorithm, options) as task:
        task.operand(0, A)
        task.operand(1, B)
        if C is not None:
            task.operand(2, C)
        return task.run((A.shape[0], B.shape[1]))


_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


def _interleaved(arguments):
    """einsum(A, [0, 1], B, [1, 2], [0, 2]) as text and arrays."""
    arguments = list(arguments)
    output = arguments.pop() if len(arguments) % 2 else None
    lists = arguments[1::2] + ([] if output is None else [output])

    def letter(x):
        if x is Ellipsis:
            return "..."
        if not hasattr(x, "__index__"):
            raise BadType(2, f"index {x!r}: expected a number, or Ellipsis")
        if not 0 <= x < len(_LETTERS):
            raise BadInput(2, f"index {x}: expected 0 to {len(_LETTERS) - 1}")
        return _LETTERS[x]

    def term(indices):
        return "".join(map(letter, indices))
    spec = ",".join(map(term, lists[:len(arguments) // 2]))
    return spec + ("" if output is None else "->" + term(output)), arguments[::2]


def _plain(spec, arrays):
    """Without '...', whose indices are letters that are not used; inputs, output."""
    spec = spec.replace(" ", "")
    inputs, arrow, output = spec.partition("->")
    terms = inputs.split(",")
    for term in [*terms, output]:
        if "." in term.replace("...", "", 1):
            raise BadInput(2, f"'{spec}': found dots, expected '...' once in '{term}'")
    if len(terms) != len(arrays):
        raise BadInput(2, f"'{spec}' has {len(terms)} inputs, found "
                         f"{len(arrays)} arrays")
    free = [x for x in _LETTERS if x not in spec]
    widths = [x.ndim - len(term) + 3 if "..." in term else 0
              for term, x in zip(terms, arrays)]
    if min(widths) < 0:
        raise BadInput(2, f"'{spec}': an array has fewer dimensions than letters")
    most = max(widths)
    every = "".join(free[:most])
    terms = [term.replace("...", every[most - width:])
             for term, width in zip(terms, widths)]
    if not arrow:
        joined = inputs.replace(",", "").replace("...", "")
        output = (every if "..." in inputs else "") + "".join(
            sorted(x for x in set(joined) if joined.count(x) == 1))
    return terms, output.replace("...", every)


def _no_ones(terms, arrays, output):
    """NumPy repeats an array along an index in which its size is 1: leave it out."""
    size = {}
    for term, array in zip(terms, arrays):
        for letter, length in zip(term, array.shape):
            size[letter] = max(size.get(letter, 1), length)
    for i, (term, array) in enumerate(zip(terms, arrays)):
        keep = [k for k, x in enumerate(term)
                if not (array.shape[k:k + 1] == (1,) and size[x] > 1)]
        if len(term) == array.ndim and len(keep) < array.ndim:
            terms[i] = "".join(term[k] for k in keep)
            arrays[i] = array.reshape([array.shape[k] for k in keep])
    return size


_TYPES = tuple(map(numpy.dtype, ("float64", "float32", "complex64", "complex128")))


def _entries(arrays, dtype, casting):
    """The type in which NumPy would compute; float64 for integers and half floats."""
    found = [array.dtype for array in arrays]
    for i, x in enumerate(found):
        if x.kind not in "biufc":
            raise BadType(2, f"operand {i}: found entries of type {x}, expected numbers")
    if dtype is not None:
        expected = numpy.dtype(dtype)
        if expected not in _TYPES:
            raise BadType(2, f"dtype: found {expected}, expected "
                             f"{', '.join(map(str, _TYPES))}")
    else:
        expected = numpy.result_type(*found)
        if expected.kind == "c" and expected not in _TYPES:
            raise BadType(2, f"found entries of type {', '.join(map(str, found))}, "
                             f"together {expected}: expected complex128 at most")
        if expected not in _TYPES:
            expected = numpy.dtype(numpy.float64)
    for i, x in enumerate(found):
        if not numpy.can_cast(x, expected, casting):
            raise BadType(2, f"operand {i}: found entries of type {x}, which "
                             f"casting={casting!r} does not make {expected}")
    return expected


def _way(optimize, count):
    """What NumPy calls optimize, as options: all at once, in pairs, or by a path."""
    if optimize is None:
        return {}
    if isinstance(optimize, bool):
        return {"way": "sequence" if optimize else "direct"}
    path = list(optimize) if isinstance(optimize, (list, tuple)) else [optimize]
    if path[:1] in (["greedy"], ["optimal"]):  # with a limit of memory behind it, or not
        return {"way": "sequence"}
    steps, left = path[1:], count
    for step in steps:
        step = step if isinstance(step, (list, tuple)) else ()
        good = step and len(set(step)) == len(step) and all(i in range(left) for i in step)
        left = left - len(step) + 1 if good else 0
    if path[:1] != ["einsum_path"] or left != 1:
        raise BadInput(2, f"optimize: found {optimize!r}, expected True, False, 'greedy', "
                         f"'optimal', or a path that leaves one of {count} arrays")
    return {"way": "direct"} if len(steps) == 1 else \
        {"path": ";".join(",".join(map(str, sorted(step))) for step in steps)}


@_takes("run", "einsum", but="spec dims operand entries type", text=_counts)
def einsum(spec: Any, *arrays: Any, out: Union[Entries, None] = None,
           optimize: Any = None, dtype: Any = None, order: str = "K",
           casting: str = "same_kind", algorithm: str = "einsum",
           C: Union[ArrayLike, None] = None, **options: Any) -> Tuple[Entries, Rows]:
    """numpy.einsum(spec, *arrays), and its counts.

    Indices may be '...', or lists of numbers between the arrays, as NumPy has it; the
    result goes to out, if that is given.
    optimize=False contracts all of them at once; True in pairs or groups, in the order
    that moves the fewest words; a path of numpy.einsum_path in its order.
    It computes in the dtype, or in what NumPy would: float32, float64, complex64 or
    complex128.  Integers, and half floats, become float64; out of core floats do, too.
    With order="F" the result is by columns.
    Out of core (algorithm="ooc-auto", memory_budget="1MiB") C is added, as in matmul.
    """
    if order not in tuple("CFAK"):
        raise BadInput(2, f"order: found {order!r}, expected 'C', 'F', 'A' or 'K'")
    if not isinstance(spec, str):
        spec, arrays = _interleaved((spec, *arrays))
    given = [_array(array) for array in arrays]
    asked = options.pop("type", dtype)
    entries = _entries(given, asked, casting)
    if algorithm != "einsum" and asked is None and entries.kind == "f":
        entries = numpy.dtype(numpy.float64)
    terms, output = _plain(spec, given)
    size = _no_ones(terms, given, output)
    way = {"type": str(entries), **_way(optimize, len(given))}
    if len(given) <= 2 or options.keys() & {"way", "path"}:
        way = {"type": str(entries)}
    if algorithm != "einsum":
        if entries != numpy.float64:
            raise BadType(2, f"{algorithm}: found {entries}, expected float64")
        way = {}
    with _Task(algorithm, {"spec": ",".join(terms) + "->" + output, **way, **options},
               entries) as task:
        for i, array in enumerate(given + ([] if C is None else [C])):
            task.operand(i, array)
        # The library reports a letter that no input has.
        shape = [size.get(x, 1) for x in output]
        if out is None and order == "F":
            out = numpy.empty(shape, entries, order="F")
        return task.run(shape, out)


@_takes("run", "sttsv", but="n b tensor entries", text=_counts)
def sttsv(A: ArrayLike, x: ArrayLike, algorithm: str = "sttsv",
          symmetrize: bool = False,
          **options: Any) -> Tuple[Array, Rows]:
    """y[i] = sum of A[i, j, k] x[j] x[k], A symmetric; and its counts.

    A is n x n x n, or its n (n + 1) (n + 2) / 6 entries i >= j >= k.  A cube is
    symmetric up to rounding, 1e-12 of its largest entry; with symmetrize, the mean
    of any cube over the orders of its indices is taken.
    """
    x = _array(x)
    return _symmetric(algorithm, A, x, x.shape, symmetrize, options)


def _symmetric(algorithm, A, x, shape, symmetrize, options):
    A = _array(A)
    if symmetrize and A.ndim == 3:
        A = sum(A.transpose(order) for order
                in itertools.permutations(range(3))) / 6
    with _Task(algorithm, options) as task:
        task.operand(0, numpy.ascontiguousarray(A))
        if x is not None:
            task.operand(1, x)
        return task.run(shape)


def _side(A):
    """n of a cube, or of its packed entries."""
    A = _array(A)
    n = A.shape[0] if A.ndim == 3 else int(round((6 * A.size) ** (1 / 3)))
    while A.ndim != 3 and n * (n + 1) * (n + 2) // 6 > A.size:
        n -= 1
    return n


@_takes("run", "hopm", but="n b tensor entries", text=_counts)
def hopm(A: ArrayLike, x: Union[ArrayLike, None] = None, symmetrize: bool = False,
         **options: Any) -> Tuple[Array, Rows]:
    """An eigenvector of a symmetric tensor A (as in sttsv), from x or a random one.

    Its eigenvalue is counts["eigenvalue"].
    """
    return _symmetric("hopm", A, x, (_side(A),), symmetrize, options)


@_takes("run", "cpgrad", but="n b tensor entries", text=_counts)
def cpgrad(A: ArrayLike, X: ArrayLike, symmetrize: bool = False,
           **options: Any) -> Tuple[Array, Rows]:
    """The gradient of a symmetric CP decomposition of A, as in sttsv, at X (n x R)."""
    X = _array(X)
    if X.ndim != 2:
        raise BadInput(2, f"X: found {X.ndim} dimensions, expected 2")
    options.setdefault("cp_rank", X.shape[1])
    return _symmetric("cpgrad", A, X, X.shape, symmetrize, options)


@_takes("run", but="csv")
def run(algorithm: str, launch: bool = False, **options: Any) -> Rows:
    """Run a case as `aslant run` does, on generated operands or files; its counts.

    With launch=True ranks are processes, started by the command, which also is what
    takes out and load.  No result is returned: result="C.npy" writes it.
    """
    if launch or any(map(_by_command, options)):
        rows = _launch(algorithm, launch=launch, **options)
        return rows[0] if len(rows) == 1 else rows
    with _Task(algorithm, options) as task:
        _interruptible(_library.asl_task_run, task.task)
        return task.rows()


@_takes("plan", but="csv")
def plan(algorithm: str = "auto", **options: Any) -> Table:
    """The candidates, cheapest first: the rows of aslant plan --csv."""
    with _Task(algorithm, options) as task:
        _check(_library.asl_task_plan(task.task))
        return _table(_library.asl_task_csv(task.task).decode())


@_takes("bounds", but="csv")
def bounds(algorithm: str = "auto", **options: Any) -> Table:
    """Lower bounds: the rows of aslant bounds --csv."""
    with _Task(algorithm, options) as task:
        _check(_library.asl_task_bounds(task.task))
        return _table(_library.asl_task_csv(task.task).decode())
