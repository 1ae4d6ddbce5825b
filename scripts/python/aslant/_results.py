"""Results of aslant as NumPy arrays: CSV with a heading, and machine.json."""

import csv
import html
import io
import json
import os
import pathlib
from typing import Any, Dict, List, Union

import numpy

from ._errors import NoFile
from ._library import library

Path = Union[str, "os.PathLike[str]"]


def _types():
    """What runs.csv has in its columns, whatever is in its rows."""
    rows = csv.DictReader(io.StringIO(library.asl_catalogue(b"columns").decode()))
    return {row["name"]: "number" if row["type"] == "count" and row["always"] == "0"
            else row["type"] for row in rows}


# Columns of other tables: ranks.csv, and those that plan, bounds and compare write.
_type = {
    **dict.fromkeys(("phase", "name", "unit", "source", "row", "base", "other",
                     "verdict", "why_not", "base_host", "base_medium", "other_host",
                     "other_medium", "method", "workload", "base_name", "other_name"),
                    "text"),
    **dict.fromkeys(("rank", "place", "outside_apm"), "count"),
    **_types(),
}


def _kind(name):
    """text, count or number; counters of ranks have columns of their maxima."""
    if name.startswith("predicted_"):  # not in every phase of ranks.csv
        return "count" if _type.get(name) == "count" else "number"
    return _type.get(name) or _type.get(name + "_max", "number")


def _column(name, fields):
    """Text, counts, and numbers, which may be empty: then they are NaN."""
    kind = _kind(name)
    try:
        if kind == "count":
            return numpy.array([int(field) for field in fields],
                               dtype=numpy.int64)
    except (ValueError, OverflowError):  # of another version
        kind = "number"
    try:
        if kind == "number":
            return numpy.array([float(field) if field else numpy.nan
                                for field in fields], dtype=numpy.float64)
    except ValueError:
        pass
    return numpy.array(fields, dtype=str)


def _shown(value, digits=15):
    """A field for people: whole numbers without a point."""
    if not isinstance(value, float):
        return str(value)
    return str(int(value)) if value.is_integer() and abs(value) < 2 ** 53 \
        else f"{value:.{digits}g}"


def _many(count, what):
    return f"{count} {what}{'' if count == 1 else 's'}"


def _html(names, rows, most=20):
    """A table for notebooks: a column a field, or, of one row, a line a field."""
    cells = [[html.escape(_shown(x)) for x in row] for row in rows[:most]]
    if len(rows) == 1:
        lines = [f"<tr><th>{name}</th><td>{x}</td></tr>"
                 for name, x in zip(names, cells[0]) if x not in ("", "nan")]
    else:
        lines = ["<tr>" + "".join(f"<th>{x}</th>" for x in names) + "</tr>"]
        lines += ["<tr>" + "".join(f"<td>{x}</td>" for x in row) + "</tr>"
                  for row in cells]
        if len(rows) > most:
            lines += [f"<tr><td>... {len(rows)} rows</td></tr>"]
    return "<table>" + "".join(lines) + "</table>"


class Row(numpy.record):
    """One row: row["bh_words_max"], row.keys(), row.to_pandas()."""

    def keys(self) -> List[str]:
        """The names of its columns."""
        return list(self.dtype.names or ())

    def to_pandas(self) -> Any:
        """A pandas.Series."""
        import pandas  # type: ignore[import]
        return pandas.Series({name: self[name] for name in self.keys()})

    def __repr__(self):
        shown = {name: self[name] for name in _SHOWN if name in self.keys()}
        shown = shown or {name: self[name] for name in self.keys()[:6]}
        return "<aslant.Row " + ", ".join(f"{name}={_shown(value, 6)}" for name, value
                                          in shown.items()) + ">"

    __str__ = __repr__

    def _repr_html_(self):
        return _html(self.keys(), [[self[name] for name in self.keys()]])


_SHOWN = ("algorithm", "kernel", "grid", "q_apm_path", "bh_words_max", "wall_s",
          "verified")


class Table(numpy.ndarray):
    """Rows: table["bh_words_max"] is a column, table[0] a Row; keys, to_pandas."""

    def __array_finalize__(self, other):
        if self.dtype.names and self.dtype.type is not Row:
            self.dtype = numpy.dtype((Row, self.dtype))

    def __getitem__(self, what):
        found = super().__getitem__(what)
        if isinstance(found, Table) and not found.dtype.names:
            return found.view(numpy.ndarray)
        return found

    def keys(self) -> List[str]:
        """The names of its columns."""
        return list(self.dtype.names or ())

    def to_pandas(self) -> Any:
        """A pandas.DataFrame."""
        import pandas
        return pandas.DataFrame({name: self[name] for name in self.keys()})

    def __repr__(self):
        names = self.keys()
        return (f"<aslant.Table of {_many(len(self), 'row')}, "
                f"{_many(len(names), 'column')}: {', '.join(names[:5])}"
                f"{', ...' if len(names) > 5 else ''}>")

    __str__ = __repr__

    def _repr_html_(self):
        return _html(self.keys(), [[row[name] for name in self.keys()]
                                   for row in self])


def table(text: str) -> Table:
    """A Table with a field for each column; empty without rows.

    A column has the same type whatever is in its rows: text is str, counts are int64,
    and float64 are numbers and counts that a row may lack, as n of einsum: NaN.
    """
    heading, *rows = list(csv.reader(io.StringIO(text))) or [[]]
    columns = [_column(name, [row[i] for row in rows])
               for i, name in enumerate(heading)]
    out = numpy.empty(len(rows), dtype=[(name, column.dtype) for name, column
                                        in zip(heading, columns)])
    for name, column in zip(heading, columns):
        out[name] = column
    return out.view(Table)


def _text(path):
    try:
        return pathlib.Path(path).read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise NoFile(3, f"{path}: {error.strerror}") from None


def read_csv(path: Path) -> Table:
    """runs.csv, ranks.csv, or what plan and bounds wrote with --csv."""
    return table(_text(path))


class Results:
    """A result directory: `runs`, `ranks` (arrays) and `machine` (a dict)."""

    def __init__(self, path: Path) -> None:
        path = pathlib.Path(path)
        self.runs: Table = read_csv(path / "runs.csv")
        self.ranks: Table = read_csv(path / "ranks.csv")
        self.machine: Dict[str, Any] = json.loads(_text(path / "machine.json"))
        self.path = path

    def keys(self) -> List[str]:
        """The names of the columns of runs.csv."""
        return self.runs.keys()

    def to_pandas(self) -> Any:
        """runs.csv as a pandas.DataFrame."""
        return self.runs.to_pandas()

    def __repr__(self):
        return (f"<aslant.Results of {_many(len(self.runs), 'run')} on "
                f"{self.machine.get('host')}: {self.path}>")

    def _repr_html_(self):
        return self.runs._repr_html_()


def read(path: Path) -> Results:
    """The directory that --out DIR made."""
    return Results(path)
