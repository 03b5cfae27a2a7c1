from __future__ import annotations

import pytest

from rankwise.text.safe import safe


@pytest.mark.parametrize("text", ["", "W_a1", 'with "quotes" and \\'])
def test_ascii_stays(text: str) -> None:
    assert safe(text) == text


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("\x1b[2J", "\\x1b[2J"),
        ("a\r\nb\t", "a\\r\\nb\\t"),
        ("\x9b31m", "\\x9b31m"),
        ("\x7f", "\\x7f"),
        ("\u202eevil", "\\u202eevil"),
        ("\u2028", "\\u2028"),
        ("\udc80", "\\udc80"),
    ],
)
@pytest.mark.parametrize("encoding", ["ascii", "utf-8"])
def test_control_characters_are_escaped_in_every_encoding(text: str, escaped: str, encoding: str) -> None:
    assert safe(text, encoding) == escaped


def test_other_characters_stay_where_the_encoding_has_them() -> None:
    assert safe("Höhe 高", "utf-8") == "Höhe 高"
    assert safe("Höhe 高", "latin-1") == "Höhe \\u9ad8"
    assert safe("Höhe 高", "ascii") == "H\\xf6he \\u9ad8"
