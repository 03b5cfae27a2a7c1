"""Hydra, the launcher of MPICH, Intel MPI, MVAPICH: `-env NAME value` before each program.

Seen with MPICH 4.0.2 and 5.0.2 and Intel MPI 2021.18: of several settings of one name the last `-env` of the
program counts, before any `-genv`; it also holds under -envnone, -genvnone and -envlist. (Intel drops `-genv`
under -envlist and -envnone, which is why `-genv` would not do.) Spawned processes get what `-genv` sets, and
nothing of `-env`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from rankwise.launchers.base import Answer, Delivery, Launcher, Option, Preload, Program, names

_WITH_VALUE = """
    arch bind-to binding bootstrap bootstrap-exec configfile cpu-bind demux dir env-file envexcl envlist
    errfile errfile-pattern f g genvexcl genvlist gpu-subdevs-per-proc gpus-per-proc grr gtool gtoolfile
    gwdir host hostfile hostlist hosts hosts-group iface launcher launcher-exec localhost machine
    machinefile machinelist machines map-by membind n nameserver np order-nodes outfile outfile-pattern
    output-from path perhost ppn prepend-pattern rankmap rmk rr s soft topolib tune umask usize wdir
"""
_FLAGS = """
    aps check_mpi dac debug disable-auto-cleanup disable-hostname-propagation disable-x
    enable-auto-cleanup enable-hostname-propagation enable-x envall envnone gdb genvall genvnone h help
    hybrid-hosts ilp64 info l mps nolocal pmi-port prepend-rank prepend-timestamp print-all-exitcodes
    print-rank-map profile prot silent-abort skip-launch-node trace v V verbose version
"""


class Hydra(Launcher):
    """mpiexec, mpirun and mpiexec.hydra of MPICH and its kin."""

    name = "hydra"
    order = 20
    commands = ("mpirun.mpich", "mpiexec.mpich", "mpiexec.hydra", "mpirun.hydra")
    answers = (
        Answer("Intel MPI", re.compile(r"Intel\(R\) MPI Library.*?Version (\S+)", re.DOTALL), "mpich"),
        Answer("MPICH", re.compile(r"HYDRA build details:\s+Version:\s+(\S+)"), "mpich"),
    )
    values = dict.fromkeys(_WITH_VALUE.split(), 1)
    flags = names(_FLAGS)
    from_file = names("configfile")

    def arity(self, word: str, following: Sequence[str]) -> int:
        """As for all, but `-env` and `-genv` take `NAME value` or `NAME=value`."""
        if word.lstrip("-") in ("env", "genv"):
            return 1 if following and "=" in following[0] else 2
        return super().arity(word, following)

    def setting(self, variable: str, value: str) -> tuple[str, ...]:
        """By `-genv`."""
        return "-genv", variable, value

    def deliver(
        self,
        programs: Sequence[Sequence[Option]],
        preload: Preload,
        environment: Mapping[str, str],  # noqa: ARG002 - hydra has no variable that would stand in the way
        theirs: str,
    ) -> Delivery:
        """By `-env` as the last options of each program, and `-genv` for what these may spawn."""
        for_all = _setting("genv", (option for options in programs for option in options), theirs)
        delivered: list[Program] = []
        for options in programs:
            own = _setting("env", options, for_all)
            ours = _options("-env", preload.variables(own))
            if not delivered:
                ours = _options("-genv", preload.variables(for_all)) + ours
            delivered.append(Program((*options, *ours), own))
        return Delivery(tuple(delivered), how="-env NAME value before each program")


def _options(name: str, variables: Mapping[str, str]) -> list[Option]:
    return [Option((name, variable, value)) for variable, value in variables.items()]


def _setting(name: str, options: Iterable[Option], default: str) -> str:
    """Return the user's LD_PRELOAD, as the last `-env` or `-genv` sets it."""
    for option in options:
        if option.name == name:
            variable, _, value = "=".join(option.words[1:]).partition("=")
            default = value if variable == "LD_PRELOAD" else default
    return default


LAUNCHER = Hydra()
