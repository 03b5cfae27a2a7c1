"""The layout comes from the header, byte for byte as the compiler sees it."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from types import ModuleType

import pytest

from rankwise import _files, native_declarations
from rankwise.errors import RankwiseError
from rankwise.profile.collect import format_declarations, layout

ROOT = Path(__file__).parents[2]


def test_sizes_and_offsets_are_the_compilers(tmp_path: Path) -> None:
    lines = [
        f'printf("{name}.{member} %zu\\n", offsetof(struct rankwise_{name}, {member}));'
        for name, dtype in layout.STRUCTS.items()
        for member in dtype.names or ()
    ] + [f'printf("{name} %zu\\n", sizeof(struct rankwise_{name}));' for name in layout.STRUCTS]
    source = tmp_path / "layout.c"
    source.write_text(
        f'#include "{_files.installed("share/format.h")}"\n#include <stddef.h>\n#include <stdio.h>\n'
        f"int main(void) {{ {''.join(lines)} return 0; }}\n"
    )
    program = tmp_path / "layout"
    subprocess.run(["cc", "-o", program, source], check=True)
    printed = subprocess.run([program], check=True, capture_output=True, text=True).stdout
    theirs = {name: int(number) for name, number in (line.split() for line in printed.splitlines())}
    ours = {name: dtype.itemsize for name, dtype in layout.STRUCTS.items()}
    for name, dtype in layout.STRUCTS.items():
        assert dtype.fields is not None
        ours |= {f"{name}.{member}": offset for member, (_, offset, *_) in dtype.fields.items()}
    assert ours == theirs


PLACEMENT = ("placement", "machine", "reordering", "fabric")


@pytest.mark.parametrize(
    ("module", "headers"),
    [
        (format_declarations, ["src/runtime/format.h"]),
        (native_declarations, [f"include/rankwise/{name}.h" for name in PLACEMENT]),
    ],
    ids=["counters", "placement"],
)
def test_the_parsed_headers_are_the_headers_as_they_are(
    monkeypatch: pytest.MonkeyPatch, module: ModuleType, headers: list[str]
) -> None:
    monkeypatch.syspath_prepend(ROOT / "api")
    from c_declarations import parsed

    declarations = Path(module.__file__ or "").read_text()
    assert declarations == parsed([ROOT / name for name in headers]), "run `make generate`"


def test_all_structs_of_the_header_are_there() -> None:
    text = _files.installed("share/format.h").read_text()
    assert set(layout.STRUCTS) == set(re.findall(r"^struct rankwise_(\w+) \{", text, re.MULTILINE))


def test_members_have_the_types_of_the_header() -> None:
    assert layout.HEADER["magic"].str == "|S8"
    assert layout.HEADER["world_rank"].kind == "i"
    assert layout.HEADER["dropped"].shape == (16,)
    assert layout.HEADER["loaded"].names == ("ticks", "monotonic_ns", "realtime_ns")
    assert layout.COMMUNICATOR["letter"].str == "|S1"
    assert layout.COMMUNICATOR["procedure"].str[1:] == "u2"
    assert layout.COMMUNICATOR["dims"].shape == (8,)
    assert layout.CALLS.itemsize == 64


def test_constants_of_enums() -> None:
    assert layout.CONSTANTS["BYTE_ORDER"] == 0x01020304
    assert layout.CONSTANTS["NO_THREAD"] == -1
    assert layout.ENUMS["state"]["RANKWISE_STATE_ABORTED"] == 4
    kinds = {0: "point_to_point", 1: "in_collective", 2: "one_sided", 3: "one_sided_fetch"}
    assert layout.names_of("message_kind") == kinds
    assert layout.names_of("state")[5] == "switched_off"
    assert layout.names_of("dropped")[6] == "receives"


def test_a_missing_file_of_the_installation_is_told() -> None:
    with pytest.raises(RankwiseError, match=r"lib/nothing\.so is missing .*install Rankwise again") as caught:
        _files.installed("lib/nothing.so")
    assert caught.value.exit_status == 1
