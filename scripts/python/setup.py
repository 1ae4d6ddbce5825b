"""Takes the library, the command and the suites into the wheel, from build/."""

import pathlib
import re
import shutil

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py
from wheel.bdist_wheel import bdist_wheel

here = pathlib.Path(__file__).resolve().parent
root = here.parents[1]
build = root / "build"
version = re.search(r"project\(aslant[^)]*VERSION ([0-9.]+)",
                    (root / "CMakeLists.txt").read_text())[1]


class Build(build_py):
    def run(self):
        super().run()
        to = pathlib.Path(self.build_lib, "aslant")
        if not (build / "libaslant.so.0").exists():
            raise SystemExit(f"{build} has no libaslant.so.0: run scripts/build")
        for name in "libaslant.so.0", "aslant":
            shutil.copy(build / name, to / name)
        shutil.copytree(root / "bench/suites", to / "suites", dirs_exist_ok=True,
                        ignore=shutil.ignore_patterns("*.md", "*.csv"))


class Binary(Distribution):
    def has_ext_modules(self):  # of this machine's processor and C library
        return True


class Wheel(bdist_wheel):
    def get_tag(self):  # but of any Python: ctypes calls it
        return "py3", "none", super().get_tag()[2]


setup(version=version, cmdclass={"build_py": Build, "bdist_wheel": Wheel},
      distclass=Binary)
