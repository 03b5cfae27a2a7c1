"""Marks of tests that need what a machine may lack."""

from __future__ import annotations

import pytest
from libraries import HAS_SHARED_MEMORY

NEEDS_SHARED_MEMORY = pytest.mark.skipif(
    not HAS_SHARED_MEMORY, reason="told to do without shared memory, MPICH takes each process for a node"
)
