"""Options as arguments: what help() and completion know of them.

The table of options in the library says which there are, and what they mean.
"""

import csv
import inspect
import io
import os
import re
import textwrap
from typing import Any, Callable, Dict, Iterator, List, Tuple, TypeVar, Union

from ._library import library

_Function = TypeVar("_Function", bound=Callable[..., Any])


def _list(what):
    return list(csv.DictReader(io.StringIO(
        library.asl_catalogue(what.encode()).decode())))


def arguments(text: str) -> str:
    """Options of aslant in a text, as arguments: --write-cost is write_cost."""
    unknown = re.match(r"there is no option '[^']*'(: did you mean [a-z-]+\?)?$", text)
    if unknown:
        return text.replace("-", "_").replace("option", "argument")
    text = re.sub(r"^option '([^']*)'(?=: expected)", lambda x: x[1].replace("-", "_"), text)
    text = text.replace(": expected no value", ": expected True or False")
    text = re.sub(r"\baslant ([a-z]+) --help", r"help(aslant.\1)", text)
    return re.sub(r"(?<![\w-])--([a-z][a-z-]*)(?![a-z=-])",
                  lambda x: x[1].replace("-", "_"), text)


def texts(name: str, value: Any) -> Iterator[Union[str, None]]:
    """A value as the command has it, None for a flag; of a list, one after the other."""
    if isinstance(value, (list, tuple)) and name != "grid":
        for one in value:
            yield from texts(name, one)
    elif isinstance(value, (list, tuple)):  # (2, 2, 1)
        yield "x".join(map(str, value))
    elif isinstance(value, dict):  # {"i": 64, "j": 32}
        yield ",".join(f"{key}={one}" for key, one in value.items())
    elif value is True:
        yield None
    elif value is not None and value is not False:
        yield str(value)


_in_tasks = {row["name"]: row["only"] for row in _list("options")}
_commands = _list("commands")
_family = {row["name"]: row["family"] for row in _list("algorithms")}


def by_command(name: str) -> bool:
    """Does `aslant run` have this option, but no task in this process?"""
    return any(row["name"] == name.replace("_", "-") and row["command"] == "run"
               for row in _commands) and name.replace("_", "-") not in _in_tasks


def _rows(command, algorithms):
    """Options of a command, or of its tasks by these algorithms."""
    names = {name for x in algorithms for name in (x, _family[x])}
    for row in _commands:
        only = _in_tasks.get(row["name"])
        if row["command"] == command and row["name"] != "help" and (
                not algorithms or only == "" or
                only and names & set(only.split(", "))):
            yield row["name"].replace("-", "_"), row


# The type of a value, by the word that stands for it in --help.
_Words = Union[int, str]  # 16MiB
_Cost = Union[float, str]  # 4r: four words read
_TYPES = {
    "": bool, "AxBxC": Union[str, Tuple[int, int, int]], "SIZES": Union[str, Dict[str, int]],
    **dict.fromkeys(("N", "K", "R", "SECONDS"), int),
    **dict.fromkeys(("M", "W", "S", "B", "T", "D"), _Words),
    **dict.fromkeys(("r", "w", "beta", "alpha", "gamma", "X"), _Cost),
    **dict.fromkeys(("FILE", "DIR"), Union[str, os.PathLike]),
    "Y": float,
    **dict.fromkeys(("LABEL", "A=TEXT", "LIST"), Union[str, List[str]]),
}


def _line(name, row):
    return textwrap.fill(
        f"{name}={row['argument'] or 'True'}: {arguments(row['help'])}", 78,
        initial_indent="    ", subsequent_indent="        ")


def takes(command: str, *algorithms: str, but: str = "",
          text: str = "Options, as of the command:") -> \
        Callable[[_Function], _Function]:
    """Decorate: say in docstring and signature what `options` are, `but` for those.

    Where operands are arrays, words are in DRAM, unless something else is asked for.
    """
    def decorate(function):
        own = inspect.signature(function)
        fixed = [x for x in own.parameters.values()
                 if x.kind is not inspect.Parameter.VAR_KEYWORD]
        rows = [(name, row) for name, row in _rows(command, algorithms)
                if name not in own.parameters and name not in but.split()]
        if any(x.annotation == "ArrayLike" for x in fixed) or "arrays" in own.parameters:
            rows = [(name, {**row, "help": row["help"].replace("(pmem)", "(dram)")}
                     if name == "store" else row) for name, row in rows]
        function.__signature__ = own.replace(parameters=fixed + [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None,
                              annotation=_TYPES.get(row["argument"], str))
            for name, row in rows])
        function.__doc__ = "\n".join(
            [function.__doc__.rstrip(), "", textwrap.indent(text, "    "), "",
             *(_line(name, row) for name, row in rows), ""])
        return function
    return decorate
