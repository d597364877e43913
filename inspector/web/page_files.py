"""Scripts and the stylesheet of pages: each is collected as one file, with all that it imports."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator
from typing import Any

from django.contrib.staticfiles.storage import ManifestStaticFilesStorage
from django.core.files.base import ContentFile

# What lies in folders below are parts of them.
PAGE_FILE = re.compile(r"dashboard/\w+\.(?:js|css)")
# As in '@import "base.css";'.
STYLE_IMPORT = re.compile(r'^@import "([^"]+)";\n', re.MULTILINE)
# As in 'import { drawTape as draw } from "./tape.js";'.
IMPORT = re.compile(
    r'^import (?:(?P<names>\{[^}]*\}|\* as \w+) from )?"(?P<path>\.[^"]+)";\n', re.MULTILINE
)
# As "export function drawTape(": the word goes, for the file is no module, and the name is kept.
EXPORT = re.compile(r"^export (?=(?:async )?(?:function|class|const) (\w+))", re.MULTILINE)


def whole_script(name: str, read: Callable[[str], str]) -> str:
    """Return the module at ``name`` after all that it imports, each once, as a browser evaluates
    them.

    Each is a function that returns what it exports. Only our own way of writing is understood: no
    default, no name that is exported as another, no circle.
    """
    written: dict[str, str] = {}

    def write(path: str) -> int:
        """Write a module that is not yet, after those that it imports; returns its number."""
        if path in written:
            return list(written).index(path)
        source = read(path)
        below = posixpath.dirname(path)

        def declaration(found: re.Match[str]) -> str:
            number = write(posixpath.normpath(posixpath.join(below, found["path"])))
            names = (found["names"] or "").removeprefix("* as ").replace(" as ", ": ")
            return f"const {names} = module{number};\n" if names else ""

        body = EXPORT.sub("", IMPORT.sub(declaration, source))
        exported = ", ".join(EXPORT.findall(source))
        written[path] = (
            f"const module{len(written)} = (() => {{\n{body}return {{ {exported} }};\n}})();\n"
        )
        return len(written) - 1

    write(name)
    return "".join(written.values())


def whole_style(name: str, read: Callable[[str], str]) -> str:
    """Return the stylesheet at ``name`` with the text of those that it imports in their place."""
    below = posixpath.dirname(name)
    return STYLE_IMPORT.sub(lambda found: read(posixpath.join(below, found[1])), read(name))


def whole(name: str, read: Callable[[str], str]) -> str:
    return (whole_style if name.endswith(".css") else whole_script)(name, read)


class PageFileStorage(ManifestStaticFilesStorage):
    """Names say the content; what ``collectstatic`` copied of a page's file is the whole one."""

    def post_process(
        self, paths: dict[str, tuple[Any, str]], dry_run: bool = False, **options: Any
    ) -> Iterator[Any]:
        if not dry_run:
            read = reader_of(paths)
            paths = dict(paths)
            for name in filter(PAGE_FILE.fullmatch, tuple(paths)):
                self.delete(name)
                self.save(name, ContentFile(whole(name, read)))
                paths[name] = (self, name)
        yield from super().post_process(paths, dry_run, **options)


def reader_of(paths: dict[str, tuple[Any, str]]) -> Callable[[str], str]:
    def read(name: str) -> str:
        storage, path = paths[name]
        with storage.open(path) as file:
            return str(file.read(), "utf-8")

    return read
