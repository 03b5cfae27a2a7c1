"""The bill of materials of a release, in SPDX 2.3: contents of its files, requirements, and licences."""

from __future__ import annotations

import hashlib
import json
import re
import sys
from collections.abc import Iterator, Sequence
from datetime import datetime, timezone
from pathlib import Path

from license_expression import get_spdx_licensing
from spdx_tools.spdx.model import (
    Actor,
    ActorType,
    Checksum,
    ChecksumAlgorithm,
    CreationInfo,
    Document,
    ExternalPackageRef,
    ExternalPackageRefCategory,
    Package,
    PackagePurpose,
    Relationship,
    RelationshipType,
    SpdxNoAssertion,
)
from spdx_tools.spdx.writer.write_anything import write_file

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parents[1]
GCC_LICENCE = "GPL-3.0-or-later WITH GCC-exception-3.1"
_PURPOSE = {".gz": PackagePurpose.SOURCE, ".whl": PackagePurpose.LIBRARY}


def document(files: Sequence[Path], seconds: int) -> Document:
    """Describe the files of a release.

    Args:
        files: the sources first, then the wheels.
        seconds: since 1970: when it is said to be made.
    """
    name = files[0].name.removesuffix(".tar.gz")
    about = CreationInfo(
        spdx_version="SPDX-2.3",
        spdx_id="SPDXRef-DOCUMENT",
        name=name,
        document_namespace=f"https://spdx.org/spdxdocs/{name}-{_sha256(files[0])}",
        creators=[Actor(ActorType.TOOL, "rankwise-make-dist")],
        created=datetime.fromtimestamp(seconds, timezone.utc).replace(tzinfo=None),
    )
    version = name.rpartition("-")[2]
    ours = [_of_file(file, version) for file in files]
    sources, *wheels = ours
    linked, shown, needed = [_cjson()], list(_of_pages()), list(_needed())
    relations = [
        *(_relation(about.spdx_id, RelationshipType.DESCRIBES, package) for package in ours),
        *(_relation(package.spdx_id, RelationshipType.GENERATED_FROM, sources) for package in wheels),
        *(
            _relation(package.spdx_id, RelationshipType.CONTAINS, part)
            for package in ours
            for part in linked + shown
        ),
        *(_relation(package.spdx_id, RelationshipType.STATIC_LINK, _runtime()) for package in wheels),
        *(
            _relation(package.spdx_id, RelationshipType.DEPENDS_ON, other)
            for package in wheels
            for other in needed
        ),
    ]
    return Document(about, packages=[*ours, *linked, *shown, _runtime(), *needed], relationships=relations)


def write(made: Document, path: Path) -> None:
    """Write it as JSON; the library that does it refuses what breaks the rules of SPDX."""
    write_file(made, str(path))


def _relation(element: str, kind: RelationshipType, other: Package) -> Relationship:
    return Relationship(element, kind, other.spdx_id)


def _sha256(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def _id(*parts: str) -> str:
    return "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", "-".join(parts))


def _of_file(file: Path, version: str) -> Package:
    return Package(
        spdx_id=_id(file.name),
        name="rankwise",
        version=version,
        file_name=file.name,
        checksums=[Checksum(ChecksumAlgorithm.SHA256, _sha256(file))],
        download_location=SpdxNoAssertion(),
        license_concluded=get_spdx_licensing().parse("BSD-3-Clause"),
        license_declared=get_spdx_licensing().parse("BSD-3-Clause"),
        primary_package_purpose=_PURPOSE[file.suffix],
        files_analyzed=False,
    )


def _other(kind: str, name: str, version: str, licence: str) -> Package:
    """Describe what others made; without a version that which is installed with it counts."""
    reference = f"pkg:{kind}/{name.lower()}" + (f"@{version}" if version else "")
    return Package(
        spdx_id=_id(kind, name),
        name=name,
        version=version or None,
        download_location=SpdxNoAssertion(),
        license_concluded=get_spdx_licensing().parse(licence) if licence else SpdxNoAssertion(),
        files_analyzed=False,
        external_references=[
            ExternalPackageRef(ExternalPackageRefCategory.PACKAGE_MANAGER, "purl", reference)
        ],
    )


def _cjson() -> Package:
    readme = (ROOT / "src" / "third_party" / "README.md").read_text()
    matched = re.search(r"\[cJSON\].*?\| (\d+\.\d+\.\d+)", readme)
    assert matched
    return _other("github", "DaveGamble/cJSON", matched[1], "MIT")


def _of_pages() -> Iterator[Package]:
    """Find what the pages for browsers have in them."""
    lock = json.loads((ROOT / "web" / "package-lock.json").read_text())
    for place, package in sorted(lock["packages"].items()):
        if place and not package.get("dev"):
            yield _other("npm", place.removeprefix("node_modules/"), package["version"], package["license"])


def _runtime() -> Package:
    """Describe the C++ runtime in librankwise_placement.so."""
    return _other("generic", "libstdc++", "", GCC_LICENCE)


def _needed() -> Iterator[Package]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    for requirement in project["dependencies"]:
        yield _other("pypi", re.split(r"[^\w-]", requirement)[0], "", "")
