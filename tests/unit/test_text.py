"""Text from outside is made harmless before it is stored."""

from __future__ import annotations

import pytest

from rankwise.profile.collect.text import harmless, text_of


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain text, größer", "plain text, größer"),
        ("MPICH Version:\t4.0.2", "MPICH Version: 4.0.2"),
        ("\x1b[31mred\r\n", "\N{REPLACEMENT CHARACTER}[31mred" + 2 * "\N{REPLACEMENT CHARACTER}"),
        ("right\N{RIGHT-TO-LEFT OVERRIDE}left", "right\N{REPLACEMENT CHARACTER}left"),
    ],
)
def test_nothing_steers_a_terminal(text: str, expected: str) -> None:
    assert harmless(text) == expected


def test_a_field_ends_at_its_first_nul() -> None:
    assert text_of(b"name\0rest\xff") == "name"
    assert text_of(b"no end \xff") == "no end \N{REPLACEMENT CHARACTER}"
