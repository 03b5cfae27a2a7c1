"""Starts Rankwise from a standalone folder, with few files opened: `make standalone` puts this into it.

The code of all modules is in one file, modules.bin; a thousand nodes that start at once look up one file each
on the shared file system, not hundreds. Modules keep the names of their files, which are there too, for data
next to them and for sources in tracebacks.
"""

import _thread
import marshal
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:  # (each module is a file more)
    from importlib.machinery import ModuleSpec
    from types import CodeType, ModuleType
else:
    ModuleSpec = type(sys.__spec__)

_HERE = __file__.rpartition("/")[0]


class Archive:
    """Finds and loads the modules of modules.bin (release/standalone.py writes it)."""

    def __init__(self, path: str) -> None:
        """Open it."""
        self._file = open(path, "rb")  # noqa: PTH123, SIM115 - pathlib is in it, and it stays open
        self._lock = _thread.allocate_lock()
        length = int.from_bytes(self._file.read(8), "little")
        self._index: dict[str, tuple[str, bool, int, int]] = marshal.loads(self._file.read(length))

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:  # noqa: ARG002
        """Find a module by its name."""
        entry = self._index.get(name)
        if entry is None:
            return None
        file, is_package = f"{_HERE}/{entry[0]}", entry[1]
        spec = ModuleSpec(name, self, origin=file, is_package=is_package)  # type: ignore[arg-type]
        spec.has_location = True
        if is_package:
            spec.submodule_search_locations = [file.rpartition("/")[0]]
        return spec

    def create_module(self, spec: ModuleSpec) -> None:
        """Let Python make it."""

    def exec_module(self, module: "ModuleType") -> None:
        """Run its code."""
        exec(self.get_code(module.__name__), module.__dict__)

    def get_code(self, name: str) -> "CodeType":
        """Return its code, for runpy as well."""
        begin, end = self._index[name][2:]
        with self._lock:  # threads import, too
            self._file.seek(begin)
            code: CodeType = marshal.loads(self._file.read(end - begin))
        return code

    def is_package(self, name: str) -> bool:
        """Return whether it has modules below it."""
        return self._index[name][1]


def main() -> None:
    """Run the command line."""
    sys.path.append(f"{_HERE}/python/lib/python{sys.version_info[0]}.{sys.version_info[1]}/site-packages")
    sys.meta_path.insert(0, Archive(f"{_HERE}/modules.bin"))
    from rankwise.__main__ import command

    command()


main()
