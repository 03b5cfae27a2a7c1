"""MVAPICH's mpirun_rsh: `mpirun_rsh -np 2 HOST HOST NAME=VALUE ./app`.

Hosts and variables stand between its options and the program; hosts only where no file names them. It hands
nothing of its environment to the ranks unless -export or -export-all is given, and the last setting counts.

Source: the table of options, and the loops behind it, in mpirun_params.c; the user guide of MVAPICH2 2.3.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from rankwise.launchers.base import Delivery, Launcher, Preload, Program, names
from rankwise.launchers.option import Option

_WITH_VALUE = """
    np n ppn hostfile f machinefile launcher spawnfile config dpmspawn sg sparehosts paramfile env
    xlauncher_width
"""
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=.*", re.DOTALL)
_HOSTFILES = names("hostfile f machinefile")


class Mvapich(Launcher):
    """mpirun_rsh."""

    name = "mvapich"
    order = 25
    commands = ("mpirun_rsh",)
    values = dict.fromkeys(_WITH_VALUE.split(), 1)
    flags = names(
        """debug gdb xterm show rsh ssh help v tv legacy startedByTv dpm fastssh export export-all
        use_xlauncher"""
    )
    from_file = names("config")
    separator = ""
    rank = ("MV2_COMM_WORLD_RANK",)
    size = ("MV2_COMM_WORLD_SIZE",)
    local_rank = ("MV2_COMM_WORLD_LOCAL_RANK",)
    on_node = ("MV2_COMM_WORLD_LOCAL_SIZE",)

    def before_program(self, options: Sequence[Option], words: Sequence[str]) -> int:
        """Hosts, one a rank, and variables."""
        has_file = any(option.name in _HOSTFILES for option in options)
        end = 0 if has_file else min(self.ranks(options) or 1, max(len(words) - 1, 0))
        while end < len(words) and _ASSIGNMENT.fullmatch(words[end]):
            end += 1
        return end

    def setting(self, variable: str, value: str) -> tuple[str, ...]:
        """As a separate word, behind the hosts."""
        return (f"{variable}={value}",)

    def deliver(
        self,
        programs: Sequence[Sequence[Option]],
        preload: Preload,
        environment: Mapping[str, str],  # noqa: ARG002 - the ranks have nothing of it
        theirs: str,
    ) -> Delivery:
        """By words behind the user's."""
        delivered = []
        for options in programs:
            preloads = [
                option.words[0].partition("=")[2] for option in options if _sets(option, "LD_PRELOAD")
            ]
            own = preloads[-1] if preloads else theirs
            ours = [Option(self.setting(*variable)) for variable in preload.variables(own).items()]
            delivered.append(Program((*options, *ours), own))
        return Delivery(tuple(delivered), preload.variables(theirs), "NAME=VALUE before the program")


def _sets(option: Option, variable: str) -> bool:
    return len(option.words) == 1 and option.words[0].startswith(f"{variable}=")


LAUNCHER = Mvapich()
