"""Results of aslant as NumPy arrays: CSV with a heading, and machine.json."""

import csv
import html
import io
import json
import pathlib

import numpy

from ._library import library


def _types():
    """What runs.csv has in its columns, whatever is in its rows."""
    rows = csv.DictReader(io.StringIO(library.asl_catalogue(b"columns").decode()))
    return {row["name"]: row["type"] for row in rows}


_type = _types()


def _column(name, fields):
    """Text, counts and numbers as documented ('' is NaN); else as they look."""
    kind = _type.get(name)
    if kind == "text":
        return numpy.array(fields, dtype=str)
    try:
        if kind != "number":
            return numpy.array([int(field) for field in fields],
                               dtype=numpy.int64)
    except (ValueError, OverflowError):
        pass
    try:
        return numpy.array([float(field) if field else numpy.nan
                            for field in fields])
    except ValueError:
        return numpy.array(fields, dtype=str)


def _html(names, rows, most=20):
    """A table for notebooks: a column a field, or, of one row, a line a field."""
    cells = [[html.escape(str(x)) for x in row] for row in rows[:most]]
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

    def keys(self):
        return list(self.dtype.names)

    def to_pandas(self):
        """A pandas.Series."""
        import pandas
        return pandas.Series({name: self[name] for name in self.keys()})

    def __repr__(self):
        shown = {name: self[name] for name in _SHOWN if name in self.keys()}
        shown = shown or {name: self[name] for name in self.keys()[:6]}
        return "<aslant.Row " + ", ".join(f"{name}={value}" for name, value
                                          in shown.items()) + ">"

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

    def keys(self):
        return list(self.dtype.names)

    def to_pandas(self):
        """A pandas.DataFrame."""
        import pandas
        return pandas.DataFrame({name: self[name] for name in self.keys()})

    def __repr__(self):
        return (f"<aslant.Table of {len(self)} rows, {len(self.keys())} columns: "
                f"{', '.join(self.keys()[:5])}, ...>")

    def _repr_html_(self):
        return _html(self.keys(), [[row[name] for name in self.keys()]
                                   for row in self])


def table(text):
    """A Table with a field for each column; empty without rows.

    Text is str and numbers are float64, whatever the rows have; counts are int64, but
    float64 with NaN where they are empty in some rows.
    """
    heading, *rows = list(csv.reader(io.StringIO(text))) or [[]]
    columns = [_column(name, [row[i] for row in rows])
               for i, name in enumerate(heading)]
    out = numpy.empty(len(rows), dtype=[(name, column.dtype) for name, column
                                        in zip(heading, columns)])
    for name, column in zip(heading, columns):
        out[name] = column
    return out.view(Table)


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
        self.path = path

    def keys(self):
        return self.runs.keys()

    def to_pandas(self):
        """runs.csv as a pandas.DataFrame."""
        return self.runs.to_pandas()

    def __repr__(self):
        return (f"<aslant.Results of {len(self.runs)} runs on "
                f"{self.machine.get('host')}: {self.path}>")

    def _repr_html_(self):
        return self.runs._repr_html_()


def read(path):
    """The directory that --out DIR made."""
    return Results(path)
