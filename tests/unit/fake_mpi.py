"""Launchers and compilers of MPI libraries that are shell scripts, and only say whose they are."""

from __future__ import annotations

from pathlib import Path

OPENMPI = "--showme:version) echo 'mpicc: Open MPI 5.0.1 (Language: C)';;"
MPICH = "-v) echo 'mpicc for MPICH version 4.0';;"


def script(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    path.chmod(0o755)
    return path


def launcher(path: Path, says: str) -> Path:
    return script(path, f"[ \"$1\" = --version ] && echo '{says}' && exit")


def compiler(path: Path, answers: str, shown: str = "cc -lmpi") -> Path:
    """A compiler that answers as one of an MPI library, and makes an empty program of anything."""
    compiles = f"-O2) echo >>{path}.calls; touch $4; chmod +x $4;;"
    return script(path, f"case $1 in {answers} -show) echo '{shown}';; {compiles} esac")


def environment(place: Path) -> dict[str, str]:
    """In which commands are found in `bin` of a place, and the cache is there, too."""
    return {"PATH": f"{place / 'bin'}:/usr/bin:/bin", "XDG_CACHE_HOME": str(place / "cache")}
