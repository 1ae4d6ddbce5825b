# package.py -- aslant for Spack, from the checkout that this file is in
#
#	spack repo add scripts/spack
#	spack install aslant

from pathlib import Path

from spack.package import *


class Aslant(CMakePackage):
    """Measures what the multiplication of matrices and of symmetric tensors,
    and contractions, cost on memory that is cheaper to read than to write."""

    git = "file://" + str(Path(__file__).resolve().parents[4])

    license("BSD-3-Clause")

    version("main", branch="main")

    variant("likwid", default=False, description="Count with likwid, too")

    depends_on("c", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("pkgconfig", type="build")

    depends_on("pmdk")
    depends_on("libfabric")
    depends_on("mpich")
    depends_on("hwloc@2:")
    depends_on("openblas threads=none")
    depends_on("random123")
    depends_on("jansson")
    depends_on("libcsv")
    depends_on("likwid", when="+likwid")
    depends_on("cmocka", type=("build", "test"))

    def cmake_args(self):
        return [self.define_from_variant("ASLANT_LIKWID", "likwid")]

    def setup_run_environment(self, env):
        # --launch starts mpiexec.mpich, which is Debian's name for it.
        mpiexec = join_path(self.spec["mpich"].prefix.bin, "mpiexec")
        env.set("ASLANT_LAUNCH", f"{mpiexec} -n")
