"""libaslant for ctypes: where it is, and the types of its functions."""

import ctypes
import ctypes.util
import os
import pathlib

_NAME = "libaslant.so.0"


def _places():
    """Candidates: the file named, in this wheel, in this tree's build, installed."""
    named = os.environ.get("ASLANT_LIBRARY")
    if named:
        yield named
        return
    here = pathlib.Path(__file__).resolve()
    for place in here.parent, here.parents[3] / "build", *here.parents[4].glob("lib*"), \
            *here.parents[4].glob("lib/*-linux-*"):
        if (place / _NAME).exists():
            yield str(place / _NAME)
    yield _NAME


def _load():
    said = []
    for place in _places():
        try:
            # MPI loads parts of itself that look for the rest of it.
            return place, ctypes.CDLL(place, mode=ctypes.RTLD_GLOBAL)
        except OSError as error:
            said.append(str(error))
    raise ImportError("; ".join(said) +
                      " (ASLANT_LIBRARY=PATH says where it is)")


_Task = ctypes.c_void_p
_Text = ctypes.c_char_p
_Sizes = ctypes.POINTER(ctypes.c_uint64)

_functions = {
    "asl_task_open": (ctypes.c_int, ctypes.POINTER(_Task), _Text),
    "asl_task_close": (None, _Task),
    "asl_task_set": (ctypes.c_int, _Task, _Text, _Text),
    "asl_task_operand": (ctypes.c_int, _Task, ctypes.c_int, ctypes.c_void_p,
                         ctypes.c_int, _Sizes, _Sizes),
    "asl_task_result": (ctypes.c_int, _Task, ctypes.c_void_p, ctypes.c_int,
                        _Sizes, _Sizes),
    "asl_task_communicator": (ctypes.c_int, _Task, ctypes.c_int),
    "asl_task_run": (ctypes.c_int, _Task),
    "asl_task_plan": (ctypes.c_int, _Task),
    "asl_task_bounds": (ctypes.c_int, _Task),
    "asl_task_csv": (_Text, _Task),
    "asl_task_ranks_csv": (_Text, _Task),
    "asl_why": (_Text,),
    "asl_interrupt": (None,),
    "asl_catalogue": (_Text, _Text),
    "asl_version": (_Text,),
}

path, library = _load()
for _name, (_result, *_arguments) in _functions.items():
    _function = getattr(library, _name)
    _function.restype = _result
    _function.argtypes = _arguments


def sizes(numbers):
    """An array of uint64_t."""
    return (ctypes.c_uint64 * len(numbers))(*numbers)
