"""Makes a release: ``python -m development.release VERSION FOLDER``.

Writes the version wherever it stands and cuts the changelog; then builds every package twice,
refuses where two builds differ, and puts packages, bill of materials and hashes into the folder. It
commits nothing: what it changed is there to be looked at.
"""

import argparse
import hashlib
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime
from pathlib import Path

from packaging.version import InvalidVersion, Version

from development.bill_of_materials import bill_of_materials
from development.runs import ROOT

VERSION_PLACES = (
    ("inspector/version.py", r'(?<=^VERSION = ")[^"]+'),
    ("pyproject.toml", r'(?<=^version = ")[^"]+'),
    ("slim/pyproject.toml", r'(?<=^version = ")[^"]+'),
    ("clients/python/pyproject.toml", r'(?<=^version = ")[^"]+'),
    ("clients/python/response_inspector/__init__.py", r'(?<=^__version__ = ")[^"]+'),
    ("clients/node/package.json", r'(?<=^  "version": ")[^"]+'),
    ("clients/devtools/version.js", r'(?<=^export const VERSION = ")[^"]+'),
)
CHANGELOG, UNRELEASED = "CHANGELOG.md", "## Unreleased\n"
WHEELS = (".", "slim", "clients/python")
BILL, HASHES = "bill-of-materials.cdx.json", "SHA256SUMS"
PACKED = (
    "import sys; from inspector.dashboard.connect import client_packages as c;"
    "[open(f'{sys.argv[1]}/{p.file_name}', 'wb').write(p.content)"
    " for p in (c.node_package(), c.devtools_extension())]"
)


LICENSE_ID = "Apache-2.0"
LICENSED = (
    ("pyproject.toml", f'license = "{LICENSE_ID}"'),
    ("slim/pyproject.toml", f'license = "{LICENSE_ID}"'),
    ("clients/python/pyproject.toml", f'license = "{LICENSE_ID}"'),
    ("clients/node/package.json", f'"license": "{LICENSE_ID}"'),
    ("LICENSE", f"SPDX-License-Identifier: {LICENSE_ID}"),
    ("SECURITY.md", "## Reporting"),
)
"""Files, and what stands in each of them."""


class ReleaseRefusal(Exception):
    """Raised where no release can be made; the message is a sentence for people."""


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser("python -m development.release")
    parser.add_argument("version")
    parser.add_argument("folder", type=Path, help="for what is released; must not exist yet")
    options = parser.parse_args(arguments)
    today = datetime.now(UTC).date()
    try:
        require_clean(ROOT)
        require_licensed(ROOT)
        prepare(ROOT, options.version, today)
        publishable(ROOT, options.folder, options.version, today)
    except ReleaseRefusal as refusal:
        print(refusal, file=sys.stderr)
        return 1
    print((options.folder / HASHES).read_text(), end="")
    print(f"Look at the changes, then: git commit -am 'Release {options.version}'", end="")
    print(f" && git tag v{options.version}")
    return 0


def require_clean(root: Path) -> None:
    command = ["git", "status", "--porcelain"]
    changed = subprocess.run(command, cwd=root, check=True, capture_output=True, text=True).stdout
    if changed:
        raise ReleaseRefusal(f"There are changes that are not committed:\n{changed.rstrip()}")


def require_licensed(root: Path) -> None:
    for name, words in LICENSED:
        if not (root / name).exists() or words not in (root / name).read_text():
            raise ReleaseRefusal(f"{name} does not say {words!r}.")


def prepare(root: Path, version: str, today: date) -> None:
    """Write version and changelog, or nothing. Raises ``ReleaseRefusal``."""
    require_later(version, current_version(root))
    files = {root / CHANGELOG: cut_changelog((root / CHANGELOG).read_text(), version, today)}
    for name, place in VERSION_PLACES:
        files[root / name] = with_version((root / name).read_text(), name, place, version)
    for path, text in files.items():
        path.write_text(text)


def current_version(root: Path) -> str:
    name, place = VERSION_PLACES[0]
    found = re.search(place, (root / name).read_text(), re.MULTILINE)
    assert found is not None, name
    return found[0]


def require_later(version: str, current: str) -> None:
    try:
        wanted = Version(version)
    except InvalidVersion:
        raise ReleaseRefusal(f"{version} is no version, such as 1.2.0 or 1.2.0rc1.") from None
    # npm and PyPA write the same version alike only without these.
    if str(wanted) != version or wanted.local or wanted.epoch or len(wanted.release) != 3:
        raise ReleaseRefusal(f"Write the version with three numbers: {version} is not.")
    if wanted <= Version(current):
        raise ReleaseRefusal(f"{version} is not later than {current}.")


def cut_changelog(text: str, version: str, today: date) -> str:
    """Return the lines below "Unreleased" stand below the version; new lines begin above it
    again.
    """
    before, heading, rest = text.partition(UNRELEASED)
    if not heading:
        raise ReleaseRefusal(f"{CHANGELOG} has no part {UNRELEASED.strip()!r}.")
    if not rest.partition("\n## ")[0].strip():
        raise ReleaseRefusal(f"{CHANGELOG} tells of no change.")
    return f"{before}{UNRELEASED}\n## {version} ({today.isoformat()})\n{rest}"


def with_version(text: str, name: str, place: str, version: str) -> str:
    changed, number = re.subn(place, version, text, flags=re.MULTILINE)
    if number != 1:
        raise ReleaseRefusal(f"{name} has {number} places for the version, not one.")
    return changed


def publishable(root: Path, folder: Path, version: str, today: date) -> None:
    """Raise ``ReleaseRefusal`` where two builds of a package differ."""
    try:
        folder.mkdir(parents=True)
    except FileExistsError:
        raise ReleaseRefusal(f"{folder} is there already.") from None
    build(root, folder)
    with tempfile.TemporaryDirectory() as again:
        build(root, Path(again))
        for file in sorted(folder.iterdir()):
            if file.read_bytes() != (Path(again) / file.name).read_bytes():
                raise ReleaseRefusal(f"{file.name} differs when it is built again.")
    lock = (root / "requirements.lock").read_text()
    (folder / BILL).write_text(bill_of_materials(lock, version, today))
    (folder / HASHES).write_text("".join(hash_lines(folder)))


def build(root: Path, folder: Path) -> None:
    target = str(folder.resolve())
    for project in WHEELS:
        command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", target]
        subprocess.run(command, cwd=root / project, check=True, capture_output=True)
    packed = [sys.executable, "-c", PACKED, target]
    subprocess.run(packed, cwd=root, check=True, capture_output=True)


def hash_lines(folder: Path) -> Iterator[str]:
    """As ``sha256sum --check`` reads them."""
    for file in sorted(folder.iterdir()):
        yield f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
