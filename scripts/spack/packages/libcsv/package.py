# package.py -- libcsv for Spack, which does not come with it

from spack.package import *


class Libcsv(AutotoolsPackage):
    """Reads and writes CSV."""

    homepage = "https://sourceforge.net/projects/libcsv/"
    url = "https://downloads.sourceforge.net/project/libcsv/libcsv/libcsv-3.0.3/libcsv-3.0.3.tar.gz"

    license("LGPL-2.1-or-later")

    version(
        "3.0.3",
        sha256="d9c0431cb803ceb9896ce74f683e6e5a0954e96ae1d9e4028d6e0f967bebd7e4",
    )

    depends_on("c", type="build")
