"""The packages of a lock as a bill of materials: CycloneDX 1.6, in JSON."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from uuid import NAMESPACE_URL, uuid5

from cyclonedx.model import HashAlgorithm, HashType, Property
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.output.json import JsonV1Dot6
from packageurl import PackageURL

NAME = "response-inspector"
PIN = re.compile(r"^([a-z0-9][\w.-]*)(?:\[[^\]]*\])?==(\S+?)(?: ; (.+?))? \\$")
HASH = re.compile(r"--hash=sha256:([0-9a-f]{64})")


@dataclass(frozen=True, slots=True)
class LockedPackage:
    """A pin of a lock. ``marker`` says on which machines it is installed; empty: on all."""

    name: str
    version: str
    marker: str
    sha256s: tuple[str, ...]
    """Hash of each file that may be installed."""


def locked_packages(lock: str) -> Iterator[LockedPackage]:
    for block in re.split(r"^(?=[a-z0-9])", lock, flags=re.MULTILINE):
        first, _, rest = block.partition("\n")
        if found := PIN.match(first):
            yield LockedPackage(found[1], found[2], found[3] or "", tuple(HASH.findall(rest)))


def bill_of_materials(lock: str, version: str, released: date) -> str:
    """Equal for equal arguments: it has no number by chance and no time but the release's day."""
    product = Component(
        type=ComponentType.APPLICATION, name=NAME, version=version, bom_ref=f"{NAME}@{version}"
    )
    bom = Bom(serial_number=uuid5(NAMESPACE_URL, f"{NAME} {version}\n{lock}"))
    bom.metadata.timestamp = datetime.combine(released, time(), UTC)
    bom.metadata.component = product
    parts = [_component(package) for package in locked_packages(lock)]
    for part in parts:
        bom.components.add(part)
    bom.register_dependency(product, parts)
    return JsonV1Dot6(bom).output_as_string(indent=2) + "\n"


def _component(package: LockedPackage) -> Component:
    purl = PackageURL("pypi", name=package.name, version=package.version)
    # CycloneDX has one hash of an algorithm for a component; a package has many files.
    files = [Property(name="sha256 of a file", value=each) for each in package.sha256s]
    marker = [Property(name="marker", value=package.marker)] if package.marker else []
    only = package.sha256s if len(package.sha256s) == 1 else ()
    return Component(
        type=ComponentType.LIBRARY,
        name=package.name,
        version=package.version,
        purl=purl,
        bom_ref=str(purl),
        hashes=[HashType(alg=HashAlgorithm.SHA_256, content=each) for each in only],
        properties=[*marker, *files],
    )
