"""AArch64 on this machine: a compiler, an emulator, and Debian's arm64 libraries."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
from pathlib import Path

BUILD = Path(__file__).parents[2] / "build" / "aarch64"
ROOT = BUILD / "root"
LIBRARIES = ROOT / "usr" / "lib" / "aarch64-linux-gnu"
EMULATOR = "qemu-aarch64-static"
COMPILERS = {
    ".c": ["aarch64-linux-gnu-gcc", "-std=gnu11"],
    ".cpp": ["aarch64-linux-gnu-g++", "-std=c++20"],
    ".F90": ["aarch64-linux-gnu-gfortran"],
}


def is_set_up() -> bool:
    """Whether everything is there."""
    return ROOT.is_dir() and all(shutil.which(words[0]) for words in [*COMPILERS.values(), [EMULATOR]])


def compile_there(target: Path, source: Path, *options: str | Path) -> Path:
    """Compile a program or a library for AArch64."""
    words = [*COMPILERS[source.suffix], f"--sysroot={ROOT}", "-o", target, source, *options]
    subprocess.run(words, check=True, timeout=300)
    return target


def emulated(program: Path) -> list[str]:
    """The words that run a program, which finds libraries in ROOT first."""
    return [EMULATOR, "-L", str(ROOT), str(program)]


def build_runtime(place: Path) -> None:
    """Build the preloaded library for AArch64; emulated programs find it under the path `place`.

    Every process that runs tests asks for it. They build one after the other, and all but the first have
    nothing to do.
    """
    repository, build = BUILD.parents[1], BUILD / "runtime"
    tools = repository / "build" / "tools" / "bin"
    configure = [tools / "cmake", "-S", repository, "-B", build, "-G", "Ninja"]
    values = {
        "CMAKE_MAKE_PROGRAM": tools / "ninja",
        "CMAKE_BUILD_TYPE": "Release",
        "CMAKE_SYSTEM_NAME": "Linux",
        "CMAKE_SYSTEM_PROCESSOR": "aarch64",
        "CMAKE_C_COMPILER": COMPILERS[".c"][0],
        "CMAKE_CXX_COMPILER": COMPILERS[".cpp"][0],
    }
    configure += [f"-D{name}={value}" for name, value in values.items()]
    environment = {key: value for key, value in os.environ.items() if key not in ("CC", "CXX")}
    inside = ROOT / place.relative_to("/")
    inside.parent.mkdir(parents=True, exist_ok=True)
    with (BUILD / "runtime.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for words in (configure, [tools / "cmake", "--build", build, "--target", "librankwise.so"]):
            subprocess.run(words, check=True, timeout=1800, stdout=subprocess.DEVNULL, env=environment)
        new = inside.with_suffix(".new")
        shutil.copy(build / "src" / "runtime" / "librankwise.so", new)
        new.replace(inside)  # programs of other tests may run with the old one
