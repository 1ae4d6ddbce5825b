"""Errors: those of aslant, which are Python's own as well."""

import re


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


kinds = {1: CheckFailed, 2: BadInput, 3: NoMachine}


def failure(code, why):
    """The error of an exit code; options are arguments here."""
    why = re.sub("--([a-z][a-z-]*)", lambda x: x[1].replace("-", "_"), why)
    return kinds.get(code, Error)(code, why)
