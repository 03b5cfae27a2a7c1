"""A cluster on one machine: nodes with a network, hostname, shared memory and /tmp of their own.

All of it is one process tree in a PID namespace. Its first process waits for the end of its input, which
comes when the tests let go of it or die; with it the kernel ends everything inside, and links and mounts go
with that. No namespace has a name that another one could have, too.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import time
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from fabric import Fabric, Links, address, joined

import patience

ROOT = Path(__file__).parents[2]
_NEEDED = ("ip", "bridge", "nsenter", "unshare", "mount", "hostname", "sysctl")
_LIMIT_SECONDS = 15

# The first process: $1 = directory, $2 = number of nodes, then directories that all see. The bridge is in its
# network namespace, which has no other way out than to the nodes.
_CLUSTER = """
directory=$1; count=$2; shift 2
sysctl -qw net.ipv6.conf.all.disable_ipv6=1 net.ipv6.conf.default.disable_ipv6=1
ip link add fabric type bridge forward_delay 0
ip link set fabric up
k=0
while [ $k -lt "$count" ]; do
  unshare --net --uts --ipc --mount sh -euc "$NODE" sh "$directory" $k "$@" </dev/null &
  k=$((k + 1))
done
trap '' CHLD  # orphans come to this process: the kernel is to bury them
exec cat
"""

# A node: $1 = directory, $2 = its number, then directories that all see.
_NODE = """
directory=$1; number=$2; name=node$2; shift 2
hostname "$name"
tmp=$directory/$name.tmp
mkdir "$tmp"
mount -t tmpfs -o mode=1777 tmpfs "$tmp"
for shared; do
  case $shared in /tmp/*)
    mkdir -p "$tmp/${shared#/tmp/}"
    mount --bind "$shared" "$tmp/${shared#/tmp/}"
  esac
done
mount --rbind "$tmp" /tmp
mount -t tmpfs -o mode=1777 tmpfs /dev/shm
mount --bind "$directory/hosts" /etc/hosts
mount --bind "$directory/$name.boot" /proc/sys/kernel/random/boot_id
sysctl -qw net.ipv6.conf.all.disable_ipv6=1 net.ipv6.conf.default.disable_ipv6=1
ip link set lo up
ip link add eth0 type veth peer name "$name" netns 1
nsenter --target 1 --net ip link set "$name" master fabric up
ip address add "10.99.0.$((number + 1))/24" dev eth0
ip link set eth0 up
echo $$ >"$directory/$name.new"
mv "$directory/$name.new" "$directory/$name.pid"
exec sleep infinity
"""

# As from ssh, the command finds the environment of a new login and nothing of the caller's.
_REMOTE_SHELL = """#!/bin/sh
while [ "${1#-}" != "$1" ]; do shift; done
pid=$(cat "%s/$1.pid") || exit 255
shift
exec nsenter --target "$pid" --net --uts --ipc --mount \\
  env -i -C / HOME=/root USER=root LOGNAME=root SHELL=/bin/sh PATH=/usr/local/bin:/usr/bin:/bin sh -c "$*"
"""


class UnavailableError(Exception):
    """Nodes can't be had on this machine; the text says why."""


@dataclass(frozen=True)
class Cluster:
    """Running nodes.

    Attributes:
        names: the nodes' hostnames.
        directory: the same one on every node.
        remote_shell: takes the place of ssh: remote_shell HOST COMMAND...
        links: between the nodes, if they were made with a fabric.
    """

    names: tuple[str, ...]
    directory: Path
    remote_shell: Path
    keeper: int
    links: Links | None = None

    def on(self, number: int, *command: str | Path, cwd: Path | None = None) -> list[str]:
        """The words that run a command on a node, with the environment of the caller."""
        node = ["nsenter", f"--target={self.pid(number)}", "--net", "--uts", "--ipc", "--mount"]
        return self.inside(*node, "env", "-C", str(cwd or self.directory), *command)

    def inside(self, *command: str | Path) -> list[str]:
        """The words that run a command in the network namespace between the nodes; it ends with them."""
        words = ["nsenter", f"--target={self.keeper}", "--mount", "--net"]
        words += [f"--pid=/proc/{self.keeper}/ns/pid_for_children"]
        return [*words, *map(str, command)]

    def pid(self, number: int) -> str:
        """Number of a node's first process, as it is inside."""
        return (self.directory / f"{self.names[number]}.pid").read_text().strip()


@contextlib.contextmanager
def cluster(count: int, directory: Path, fabric: Fabric | None = None) -> Iterator[Cluster]:
    """Make nodes, and remove them with all that runs on them.

    Args:
        count: of nodes.
        directory: empty; shared by the nodes.
        fabric: switches and links between them; else one bridge as fast as it gets.

    Raises:
        UnavailableError: not root, or something is missing or not allowed.
    """
    missing = [tool for tool in _NEEDED if not shutil.which(tool)]
    if os.geteuid() != 0 or missing:
        raise UnavailableError(f"{', '.join(missing)} missing" if missing else "nodes need root")
    names = tuple(f"node{k}" for k in range(count))
    hosts = ["127.0.0.1 localhost", *(f"{address(k)} {name}" for k, name in enumerate(names))]
    (directory / "hosts").write_text("\n".join(hosts) + "\n")
    for name in names:
        (directory / f"{name}.boot").write_text(f"{uuid.uuid4()}\n")
    remote_shell = directory / "remote-shell"
    remote_shell.write_text(_REMOTE_SHELL % directory)
    remote_shell.chmod(0o755)
    log = directory / "cluster.log"
    words = ["unshare", "--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"]
    words += ["sh", "-euc", _CLUSTER, "sh", str(directory), str(count), str(ROOT), str(directory)]
    with log.open("w") as stderr:
        keeper = subprocess.Popen(
            words,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=stderr,
            env={**os.environ, "NODE": _NODE},
            start_new_session=True,  # Ctrl-C is for the tests, which then clean up
        )
    try:
        _wait(keeper, [directory / f"{name}.pid" for name in names], log)
        made = Cluster(names, directory, remote_shell, keeper.pid)
        with _joined(made, fabric) as links:
            yield replace(made, links=links)
    finally:
        _end(keeper)


@contextlib.contextmanager
def _joined(made: Cluster, fabric: Fabric | None) -> Iterator[Links | None]:
    """Join the nodes by a fabric, if there is one."""
    with contextlib.ExitStack() as stack:
        try:
            links = stack.enter_context(joined(made, fabric)) if fabric else None
        except OSError as reason:
            raise UnavailableError(f"no links here: {reason}") from reason
        yield links


def _wait(keeper: subprocess.Popen[bytes], files: list[Path], log: Path) -> None:
    """Wait until every node has left its file."""
    end = patience.end(_LIMIT_SECONDS)
    while not all(file.exists() for file in files):
        if keeper.poll() is not None or time.monotonic() > end:
            said = log.read_text().strip().splitlines() or ["nothing was said"]
            raise UnavailableError(f"no nodes here: {said[-1]}")
        time.sleep(0.02)


def _end(keeper: subprocess.Popen[bytes]) -> None:
    """Let go of the first process; if that does not end it within some seconds, kill it."""
    assert keeper.stdin
    keeper.stdin.close()
    try:
        keeper.wait(timeout=10)
    except subprocess.TimeoutExpired:
        keeper.kill()
        keeper.wait()
