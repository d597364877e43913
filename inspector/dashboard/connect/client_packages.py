"""Packages that record calls where they are made, as files that pip, npm and browsers install.

They are packed from their sources, which every installation has: an installation hands out the
clients that belong to it, and needs no registry for that.
"""

import base64
import gzip
import hashlib
import io
import json
import re
import tarfile
import tomllib
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from inspector.installation import RESOURCES
from inspector.version import VERSION
from inspector.web.page_files import whole_script

CLIENTS = RESOURCES / "clients"
MODULE_FOLDERS = (CLIENTS / "browser", CLIENTS / "node" / "src")
"""Folders of the module for pages: a file of the first replaces its like in the second."""
OLDEST = (1980, 1, 1, 0, 0, 0)
"""The earliest time that a zip file can hold; what is packed twice is equal."""
READABLE = 0o644
"""Others than whoever unpacks it read it, too."""
# As in "recorder.js": no path leads out of the folder.
_MODULE = re.compile(r"[a-z_]{1,40}\.js")


@dataclass(frozen=True, slots=True)
class ClientPackage:
    file_name: str
    media_type: str
    content: bytes


@cache
def python_package() -> ClientPackage:
    """Return a wheel (PyPA's binary distribution format), so that nothing is built on
    installation.
    """
    folder = CLIENTS / "python"
    project = tomllib.loads((folder / "pyproject.toml").read_text("utf-8"))["project"]
    named = f"{project['name'].replace('-', '_')}-{project['version']}"
    readme = (folder / project["readme"]).read_text("utf-8")
    files = {
        **_files(folder, "response_inspector/**/*"),
        f"{named}.dist-info/METADATA": _metadata(project, readme).encode(),
        f"{named}.dist-info/WHEEL": b"Wheel-Version: 1.0\nGenerator: response-inspector\n"
        b"Root-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = f"{named}.dist-info/RECORD"
    files[record] = _record(files, record).encode()
    return ClientPackage(f"{named}-py3-none-any.whl", "application/zip", _zipped(files))


@cache
def node_package() -> ClientPackage:
    """Return the package as ``npm pack`` makes it: everything below ``package/``."""
    folder = CLIENTS / "node"
    project = json.loads((folder / "package.json").read_text("utf-8"))
    files = _files(folder, "package.json", "README.md", "index.d.ts", "src/**/*")
    packed = _tarred({f"package/{name}": content for name, content in files.items()})
    file_name = f"{project['name']}-{project['version']}.tgz"
    return ClientPackage(file_name, "application/gzip", packed)


@cache
def devtools_extension() -> ClientPackage:
    """Return the panel for DevTools, unpacked and loaded as it is (Chromium's Manifest V3)."""
    folder = CLIENTS / "devtools"
    manifest = json.loads((folder / "manifest.json").read_text("utf-8"))
    # Browsers know no candidates of releases, and read numbers alone.
    numbers = ".".join(re.findall(r"\d+", VERSION)[:3])
    manifest |= {"version": numbers, "version_name": VERSION}
    files = {
        **_files(folder, "*.js", "*.html", "panel.css"),
        "manifest.json": json.dumps(manifest, indent=2).encode(),
        "page.js": _page_script(folder).encode(),
        "tokens.css": (RESOURCES / "static/dashboard/styles/tokens.css").read_bytes(),
    }
    name = f"response-inspector-devtools-{VERSION}.zip"
    return ClientPackage(name, "application/zip", _zipped(files))


def _page_script(folder: Path) -> str:
    """Return the script of watched pages: the recorder of the module for pages, in one."""
    folders = (folder / "page", *MODULE_FOLDERS)

    def read(name: str) -> str:
        return next(each / name for each in folders if (each / name).is_file()).read_text("utf-8")

    return f'(() => {{\n"use strict";\n{whole_script("watch.js", read)}}})();\n'


def browser_module(file_name: str) -> bytes | None:
    """Return a file of the module for pages: one of its own, else one that the package for Node
    has.
    """
    if not _MODULE.fullmatch(file_name):
        return None
    found = (folder / file_name for folder in MODULE_FOLDERS)
    return next((file.read_bytes() for file in found if file.is_file()), None)


def package_named(file_name: str) -> ClientPackage | None:
    packages = (python_package(), node_package(), devtools_extension())
    return next((each for each in packages if each.file_name == file_name), None)


def _files(folder: Path, *patterns: str) -> dict[str, bytes]:
    found = sorted({file for pattern in patterns for file in folder.glob(pattern)})
    return {
        file.relative_to(folder).as_posix(): file.read_bytes()
        for file in found
        if file.is_file() and "__pycache__" not in file.parts
    }


def _metadata(project: Mapping[str, Any], readme: str) -> str:
    return "\n".join((*_metadata_lines(project), "", readme))


def _metadata_lines(project: Mapping[str, Any]) -> Iterator[str]:
    yield "Metadata-Version: 2.5"
    yield f"Name: {project['name']}"
    yield f"Version: {project['version']}"
    yield f"Summary: {project['description']}"
    yield f"License-Expression: {project['license']}"
    yield from (f"Classifier: {each}" for each in project["classifiers"])
    yield f"Requires-Python: {project['requires-python']}"
    yield from (f"Requires-Dist: {each}" for each in project["dependencies"])
    yield "Description-Content-Type: text/markdown"


def _record(files: Mapping[str, bytes], record: str) -> str:
    lines = [f"{name},sha256={_digest(content)},{len(content)}" for name, content in files.items()]
    return "\n".join((*lines, f"{record},,", ""))


def _digest(content: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip("=")


def _zipped(files: Mapping[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name, OLDEST)
            entry.external_attr = READABLE << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)
    return packed.getvalue()


def _tarred(files: Mapping[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with (
        gzip.GzipFile(fileobj=packed, mode="wb", mtime=0) as compressed,
        tarfile.open(fileobj=compressed, mode="w", format=tarfile.PAX_FORMAT) as archive,
    ):
        for name, content in files.items():
            entry = tarfile.TarInfo(name)
            entry.size, entry.mode = len(content), READABLE
            archive.addfile(entry, io.BytesIO(content))
    return packed.getvalue()
