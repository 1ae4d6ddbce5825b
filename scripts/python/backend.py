"""backend.py -- a wheel of build/: module, library, command and suites

pip calls build_wheel, or with -e build_editable (PEP 517, PEP 660).  Without
build/libaslant.so.0 scripts/build makes it first.  A wheel is a zip file with a list
of its files, which takes no package to write.
"""

import base64
import hashlib
import pathlib
import re
import subprocess
import sysconfig
import zipfile

here = pathlib.Path(__file__).resolve().parent
root = here.parents[1]
build = root / "build"

_METADATA = """\
Metadata-Version: 2.1
Name: aslant
Version: {version}
Summary: Matrix and tensor kernels on asymmetric memories, counted exactly
License: BSD-3-Clause
Requires-Python: >=3.9
Requires-Dist: numpy
Provides-Extra: pandas
Requires-Dist: pandas; extra == 'pandas'
"""

# The library is for this machine's processor and C library; any Python calls it.
_WHEEL = """\
Wheel-Version: 1.0
Generator: aslant
Root-Is-Purelib: false
Tag: {tag}
"""


def _version():
    text = (root / "CMakeLists.txt").read_text(encoding="utf-8")
    return re.search(r"project\(aslant[^)]*VERSION ([0-9.]+)", text)[1]


def _contents():
    """Files of the package: their names in the wheel, and where they are."""
    for path in sorted([*here.glob("aslant/*.py"), here / "aslant/py.typed"]):
        yield "aslant/" + path.name, path
    if not (build / "libaslant.so.0").exists():
        subprocess.run([root / "scripts/build"], check=True)
    for name in "libaslant.so.0", "aslant":
        yield "aslant/" + name, build / name
    for path in sorted((root / "bench/suites").glob("*.json")):
        yield "aslant/suites/" + path.name, path


def _write(directory, contents):
    """The wheel; its name."""
    version = _version()
    tag = "py3-none-" + re.sub("[-.]", "_", sysconfig.get_platform())
    info = f"aslant-{version}.dist-info/"
    name = f"aslant-{version}-{tag}.whl"
    files = [(at, path.read_bytes(), path.stat().st_mode & 0o111)
             if isinstance(path, pathlib.Path) else (at, path, 0)
             for at, path in contents]
    files += [(info + "METADATA", _METADATA.format(version=version).encode(), 0),
              (info + "WHEEL", _WHEEL.format(tag=tag).encode(), 0),
              (info + "LICENSE", (root / "LICENSE").read_bytes(), 0)]
    record = "".join(
        f"{at},sha256={base64.urlsafe_b64encode(digest).rstrip(b'=').decode()},"
        f"{len(text)}\n" for at, text, _ in files
        for digest in [hashlib.sha256(text).digest()])
    files.append((info + "RECORD", (record + info + "RECORD,,\n").encode(), 0))
    with zipfile.ZipFile(pathlib.Path(directory, name), "w",
                         zipfile.ZIP_DEFLATED) as wheel:
        for at, text, can_run in files:
            entry = zipfile.ZipInfo(at)  # of 1980, whenever it is made
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100755 if can_run else 0o100644) << 16
            wheel.writestr(entry, text)
    return name


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    return _write(wheel_directory, _contents())


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    return _write(wheel_directory, [("aslant.pth", f"{here}\n".encode())])
