"""Results of aslant as NumPy arrays: CSV with a heading, and machine.json."""

import csv
import io
import json
import pathlib

import numpy


def _column(fields):
    """Integers if all are, else numbers ('' is NaN), else text."""
    try:
        whole = [int(field) for field in fields]
        return numpy.array(whole, dtype=numpy.int64)
    except (ValueError, OverflowError):
        pass
    try:
        return numpy.array([float(field) if field else numpy.nan
                            for field in fields])
    except ValueError:
        return numpy.array(fields, dtype=str)


def table(text):
    """A structured array with a field for each column; empty without rows.

    A column that is empty in some rows is of numbers with NaN there, and one
    that is empty in all rows is NaN throughout.
    """
    heading, *rows = list(csv.reader(io.StringIO(text))) or [[]]
    columns = [_column([row[i] for row in rows]) for i in range(len(heading))]
    out = numpy.empty(len(rows), dtype=[(name, column.dtype) for name, column
                                        in zip(heading, columns)])
    for name, column in zip(heading, columns):
        out[name] = column
    return out


def read_csv(path):
    """runs.csv, ranks.csv, or what plan and bounds wrote with --csv."""
    return table(pathlib.Path(path).read_text(encoding="utf-8"))


class Results:
    """A result directory: `runs`, `ranks` (arrays) and `machine` (a dict)."""

    def __init__(self, path):
        path = pathlib.Path(path)
        self.runs = read_csv(path / "runs.csv")
        self.ranks = read_csv(path / "ranks.csv")
        self.machine = json.loads((path / "machine.json").read_text())


def read(path):
    """The directory that --out DIR made."""
    return Results(path)
