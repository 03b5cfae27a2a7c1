"""A stream of bytes between two nodes, by TCP alone, that is limited in bytes and in time.

stream.py take ADDRESS SECONDS          says `ready`, takes one stream, and says how many bytes came
stream.py send ADDRESS SECONDS BYTES    says `sending` after the first bytes, and ends when its input does

It goes to port 7998 of ADDRESS.
"""

from __future__ import annotations

import select
import socket
import sys
import time

_PORT = 7998
_CHUNK = 1 << 16


def take(address: str, seconds: float) -> None:
    end = time.monotonic() + seconds
    with socket.create_server((address, _PORT)) as server:
        server.settimeout(seconds)
        print("ready", flush=True)
        sender, _ = server.accept()
    with sender:
        received = 0
        sender.settimeout(seconds)
        while time.monotonic() < end and (some := sender.recv(_CHUNK)):
            received += len(some)
    print(received)


def send(address: str, seconds: float, most: int) -> None:
    end = time.monotonic() + seconds
    with socket.create_connection((address, _PORT), timeout=seconds) as receiver:
        # The buffer is small: when the stream is to end, its contents still go over the links.
        receiver.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4 * _CHUNK)
        left = most - receiver.send(bytes(min(_CHUNK, most)))
        print("sending", flush=True)
        while left > 0 and time.monotonic() < end and not select.select([sys.stdin], [], [], 0)[0]:
            left -= receiver.send(bytes(min(_CHUNK, left)))


if __name__ == "__main__":
    if sys.argv[1] == "take":
        take(sys.argv[2], float(sys.argv[3]))
    else:
        send(sys.argv[2], float(sys.argv[3]), int(sys.argv[4]))
