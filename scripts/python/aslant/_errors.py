"""Errors: those of aslant, which are Python's own as well."""

from ._options import arguments


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


class BadType(Error, TypeError):
    """Arguments or entries of a type that does not fit."""


class NoMachine(Error, OSError):
    """The machine lacks something: capacity, a file."""


class NoFile(NoMachine, FileNotFoundError):
    """Results that are not there."""


kinds = {1: CheckFailed, 2: BadInput, 3: NoMachine}


def failure(code, why):
    """The error of an exit code; options are arguments here."""
    return kinds.get(code, Error)(code, arguments(why))
