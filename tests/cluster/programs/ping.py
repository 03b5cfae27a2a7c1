"""Round trips and a stream between two nodes, by TCP alone.

ping.py                        answers one caller, after it has said `ready`
ping.py ADDRESS TRIPS BYTES    says the shortest half of a round trip, and how long BYTES took; in seconds
"""

from __future__ import annotations

import socket
import sys
import time

_PORT = 7999
_MESSAGE = 64


def answer() -> None:
    with socket.create_server(("", _PORT)) as server:
        print("ready", flush=True)
        caller, _ = server.accept()
        with caller:
            caller.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            trips, volume = map(int, caller.recv(_MESSAGE).split())
            caller.sendall(b"!")
            for _ in range(trips):
                caller.sendall(caller.recv(_MESSAGE))
            while volume > 0:
                volume -= len(caller.recv(1 << 20))
            caller.sendall(b"!")


def call(address: str, trips: int, volume: int) -> None:
    with socket.create_connection((address, _PORT)) as peer:
        peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        peer.sendall(f"{trips} {volume}".encode())
        peer.recv(1)
        times = []
        for _ in range(trips):
            start = time.perf_counter()
            peer.sendall(bytes(_MESSAGE))
            peer.recv(_MESSAGE)
            times.append(time.perf_counter() - start)
        start = time.perf_counter()
        peer.sendall(bytes(volume))
        peer.recv(1)
        print(min(times) / 2, time.perf_counter() - start)


if __name__ == "__main__":
    if len(sys.argv) == 1:
        answer()
    else:
        call(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
