"""Hydra, of MPICH and of Intel MPI."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rankwise.launchers.base import Option
from rankwise.placement.files import intel, mpich
from rankwise.placement.files.job import Job, Written
from rankwise.placement.relaunch.launcher import Launcher, is_off, names


class Mpich(Launcher):
    """mpiexec of MPICH, from version 4.1."""

    name = "MPICH"
    files = "mpich"
    label = "MPICH"
    placing = names(
        """f host hostfile hostlist hosts hosts-group machine machinefile machinelist machines map-by ppn
        perhost rr grr rankmap order-nodes nolocal skip-launch-node"""
    )
    binding = names("bind-to binding cpu-bind")

    def file(self, job: Job) -> Written:
        """Return its host file."""
        return mpich.hydra(job)

    def hosts_only(self, options: Sequence[Option], environment: Mapping[str, str]) -> bool:  # noqa: ARG002
        """By -bind-to none."""
        return any(o.name in self.binding and is_off(o.value) for o in options)


class OldMpich(Mpich):
    """Before -rankmap."""

    name = "this MPICH"
    needs_whole_hosts = True


class Intel(Mpich):
    """mpiexec of Intel MPI."""

    name = "Intel MPI"
    files = "intel"
    label = "Intel MPI"

    def file(self, job: Job) -> Written:
        """Return its machine file."""
        return intel.machinefile(job)

    def hosts_only(self, options: Sequence[Option], environment: Mapping[str, str]) -> bool:
        """By I_MPI_PIN, too."""
        told = [_setting(o)[1] for o in options if _setting(o)[0] == "I_MPI_PIN"]
        pin = told[-1] if told else environment.get("I_MPI_PIN", "")
        return is_off(pin) or super().hosts_only(options, environment)

    def replaces(self, option: Option, *, binds: bool) -> bool:
        """As for all; and the settings that bind."""
        return (binds and _setting(option)[0].startswith("I_MPI_PIN")) or super().replaces(
            option, binds=binds
        )


def _setting(option: Option) -> tuple[str, str]:
    """Return the variable that the option sets, and its value."""
    if option.name not in ("env", "genv"):
        return "", ""
    name, _, value = "=".join(option.words[1:]).partition("=")
    return name, value
