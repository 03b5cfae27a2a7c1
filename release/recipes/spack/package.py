from spack.package import *


class Rankwise(PythonPackage):
    """Shows where the communication of an MPI program goes, explains why ranks wait, and makes it faster."""

    pypi = "rankwise/rankwise-@VERSION@.tar.gz"

    license("BSD-3-Clause")

    version("@VERSION@", sha256="@SHA256@")

    variant("notebook", default=False, description="DataFrames, drawings, levels of latencies")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("python@3.10:", type=("build", "run"))
    depends_on("py-scikit-build-core@0.10:", type="build")
    depends_on("cmake@3.18:", type="build")
    depends_on("ninja", type="build")
    depends_on("py-clustershell@1.9:", type=("build", "run"))
    depends_on("py-cffi@1.15:", type=("build", "run"))
    depends_on("py-numpy@1.24:", type=("build", "run"))
    depends_on("py-pyelftools@0.31:", type=("build", "run"))
    depends_on("py-pyyaml@6:", type=("build", "run"))
    depends_on("py-rich@13.7:", type=("build", "run"))
    with when("+notebook"):
        depends_on("py-pandas@2:", type=("build", "run"))
        depends_on("py-matplotlib@3.8:", type=("build", "run"))
        depends_on("py-scipy@1.10:", type=("build", "run"))

    # The MPI of the program counts, so the recipe requires none.

    @run_after("install")
    @on_package_attributes(run_tests=True)
    def check_installation(self):
        Executable(self.prefix.bin.rankwise)("doctor")
