"""What all tests need of their surroundings."""

from __future__ import annotations

import signal

# A shell that starts a background job makes it ignore SIGINT, and programs inherit that: tests that send
# one would wait for nothing.
signal.signal(signal.SIGINT, signal.default_int_handler)
