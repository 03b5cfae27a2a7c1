"""The accounting of a private Slurm: slurmdbd, and a MariaDB that only the first node sees."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

from nodes import UnavailableError
from own_slurm import Slurm

import patience

NEEDED = ("slurmdbd", "sacct", "sacctmgr", "mariadb-install-db", "mariadbd", "mariadb")
_PASSWORD = "secret-of-the-test"
_START_SECONDS = 60

_SLURMDBD = """
AuthType=auth/munge
AuthInfo=socket={directory}/munge.socket
DbdHost=node0
SlurmUser=root
StorageType=accounting_storage/mysql
StorageHost=127.0.0.1
StoragePort=3306
StorageUser=slurm
StoragePass={password}
StorageLoc=slurm
LogFile={directory}/slurmdbd.log
PidFile={directory}/slurmdbd.pid
"""
_RIGHTS = f"CREATE USER slurm@localhost IDENTIFIED BY '{_PASSWORD}'; GRANT ALL ON slurm.* TO slurm@localhost;"


def settings(directory: Path) -> dict[str, str]:
    """Return the lines of slurm.conf."""
    return {
        "AccountingStorageType": "accounting_storage/slurmdbd",
        "AccountingStorageHost": "node0",
        "AccountingStoragePass": f"{directory}/munge.socket",
    }


def start(slurm: Slurm, accounts: dict[str, Iterable[str]]) -> None:
    """Start the database and slurmdbd, and add users by their account.

    Raises:
        UnavailableError: they are not installed, or do not start.
    """
    missing = [tool for tool in NEEDED if not shutil.which(tool)]
    if missing:
        raise UnavailableError(f"{', '.join(missing)} missing: install slurmdbd and mariadb-server")
    place = slurm.cluster.directory
    data, socket = place / "database", place / "database.socket"
    made = ["mariadb-install-db", "--no-defaults", "--user=root", f"--datadir={data}", "--skip-test-db"]
    _run(slurm, *made, "--auth-root-authentication-method=normal")
    options = ["--user=root", f"--datadir={data}", f"--socket={socket}", "--bind-address=127.0.0.1"]
    options += ["--innodb-buffer-pool-size=32M", "--innodb-flush-log-at-trx-commit=0"]
    options += [f"--pid-file={place}/database.pid", f"--log-error={place}/database.log"]
    slurm.daemon(0, "sh", "-c", 'setsid "$@" &', "sh", "mariadbd", "--no-defaults", *options)
    client = ["mariadb", "--no-defaults", f"--socket={socket}"]
    _until(slurm, *client, "--execute=SELECT 1")
    _run(slurm, *client, f"--execute={_RIGHTS}")
    configuration = place / "slurmdbd.conf"
    configuration.write_text(_SLURMDBD.format(directory=place, password=_PASSWORD))
    configuration.chmod(0o600)
    slurm.daemon(0, "slurmdbd")
    _until(slurm, "sacctmgr", "--immediate", "add", "cluster", "rankwise")
    for account, users in accounts.items():
        _run(slurm, "sacctmgr", "--immediate", "add", "account", account, "Description=x", "Organization=x")
        _run(slurm, "sacctmgr", "--immediate", "add", "user", ",".join(users), f"Account={account}")


def _run(slurm: Slurm, *words: str | Path) -> None:
    done = slurm.run(*words)
    if done.returncode != 0:
        raise UnavailableError(f"{words[0]} failed: {_last(done)}")


def _until(slurm: Slurm, *words: str | Path) -> None:
    """Repeat a command until it succeeds."""
    tries: list[subprocess.CompletedProcess[str]] = []

    def succeeds() -> bool:
        tries.append(slurm.run(*words))
        return tries[-1].returncode == 0

    try:
        patience.wait_until(succeeds, _START_SECONDS)
    except TimeoutError:
        raise UnavailableError(f"{words[0]} failed for {_START_SECONDS} s: {_last(tries[-1])}") from None


def _last(done: subprocess.CompletedProcess[str]) -> str:
    lines = [*done.stdout.strip().splitlines(), *done.stderr.strip().splitlines()]
    return lines[-1] if lines else f"exit status {done.returncode}"
