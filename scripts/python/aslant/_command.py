"""The functions that need the command: ranks as processes, suites, reports."""

import json
import os
import pathlib
import shutil
import subprocess
import tempfile
from typing import Any, Dict, Union

from ._errors import failure
from ._library import path as _library_path
from ._options import takes, texts
from ._results import Path, Results, Table, read, read_csv, table


def _command():
    """The one named, of this wheel or build, installed beside the library, or found."""
    named = os.environ.get("ASLANT")
    library = pathlib.Path(_library_path).resolve()
    for place in ([named] if named else
                  [library.parent / "aslant", library.parents[1] / "bin/aslant"]):
        if os.access(place, os.X_OK) and os.path.isfile(place):
            return str(place)
    found = shutil.which("aslant")
    if not found:
        raise failure(3, "the command aslant is missing (ASLANT=PATH says where "
                         "it is)")
    return found


def _words(options):
    for name, value in options.items():
        option = "--" + name.replace("_", "-")
        for text in texts(name, value):
            yield from (option,) if text is None else (option, text)


def _call(*words, **options):
    """What the command prints; an error if it fails, and its notes on stderr."""
    done = subprocess.run([_command(), *map(str, words), *_words(options)],
                          stdin=subprocess.DEVNULL, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    lines = [line.removeprefix("aslant: ") for line in done.stderr.splitlines()]
    if done.returncode:
        why = [line for line in lines if not line.startswith("note: ")]
        raise failure(done.returncode if done.returncode > 0 else 4,
                      why[-1] if why else f"aslant {words[0]} failed")
    return done.stdout


def launch(algorithm: str, **options: Any) -> Table:
    """The rows of a run of the command, whose ranks may be processes."""
    return table(_call("run", algorithm, csv="-", **options))


@takes("suite", but="csv list part dry_run")
def suite(name: Path, out: Path, **options: Any) -> Results:
    """Run a suite (a name, or a file) into the directory `out`; its Results.

    The same call continues a suite that was interrupted.
    """
    _call("suite", name, out=out, **options)
    return read(out)


@takes("report")
def report(*results: Path, out: Union[Path, None] = None,
           **options: Any) -> pathlib.Path:
    """Write the page of one or more directories of results; its path."""
    if not out:
        out = pathlib.Path(results[0], "report.html") if len(results) == 1 \
            else "report.html"
    _call("report", *results, out=out, **options)
    return pathlib.Path(out)


@takes("compare", but="csv")
def compare(first: Path, *others: Path, **options: Any) -> Table:
    """Directories of results against the first: a row a case, as --csv writes."""
    with tempfile.TemporaryDirectory() as there:
        path = pathlib.Path(there, "compare.csv")
        _call("compare", first, *others, csv=path, **options)
        return read_csv(path)


@takes("calibrate")
def calibrate(file: Path, **options: Any) -> Dict[str, Any]:
    """Measure this machine into the profile `file` (half a minute with quick=True)."""
    _call("calibrate", file, **options)
    return json.loads(pathlib.Path(file).read_text(encoding="utf-8"))


def machine() -> Dict[str, Any]:
    """This machine, as machine.json has it."""
    with tempfile.TemporaryDirectory() as there:
        out = pathlib.Path(there, "out")
        _call("run", "vomm", n=1, store="null", out=out)
        return read(out).machine
