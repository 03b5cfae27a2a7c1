"""Keeps libraries for linear algebra from starting threads in our processes.

Nothing here needs them. OpenBLAS, which comes with NumPy, starts one for each processor as soon as it is
loaded, and each spins for a while: beside a job, on processors that ranks have.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from functools import partial
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType

_PACKAGES = frozenset({"numpy", "scipy"})
_VARIABLES = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS")


def keep_from_threads() -> None:
    """Have such libraries loaded without threads, from now on, by whatever imports them first.

    The variables that do it are set only meanwhile: programs that we start must not find them.
    """
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder())


class _Finder:
    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname.partition(".")[0] not in _PACKAGES:
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec and spec.loader and spec.submodule_search_locations:  # a package: it loads the others
            setattr(spec.loader, "exec_module", partial(_without_threads, spec.loader.exec_module))  # noqa: B010
        return spec


def _without_threads(execute: Callable[[ModuleType], None], module: ModuleType) -> None:
    before = {name: os.environ.get(name) for name in _VARIABLES}
    os.environ |= dict.fromkeys(_VARIABLES, "1")
    try:
        execute(module)
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
