"""What several unit tests share."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import browsers
import pytest


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """One for all tests: it takes longer to start than a page to look at."""
    with browsers.browser() as running:
        yield running
