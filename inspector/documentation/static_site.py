"""The documentation as files that any web server, or none, shows: every page of /docs/, its style,
and a search that asks nobody.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from posixpath import dirname, relpath

from django.conf import settings
from django.template.loader import render_to_string

from inspector.documentation.doc_page import DocPage
from inspector.documentation.library import contents, read_pages
from inspector.installation import RESOURCES

INDEX, STYLE, SEARCH, SECTIONS = "index.html", "style.css", "search.js", "sections.js"
COPIED = {STYLE: "dashboard/style.css", SEARCH: "documentation/search.js"}
"""Files of ``static/``, by their names in the site."""
TEMPLATE = "documentation_site.html"


def site_files() -> Iterator[tuple[str, bytes]]:
    """Path and content of each. All links are relative, so that the site may stand anywhere."""
    pages = {page.name: page for page in read_pages(Path(settings.DOCS_DIR), _relative)}
    yield INDEX, _rendered(pages, None)
    for page in pages.values():
        yield _file_of(page.name), _rendered(pages, page)
    yield SECTIONS, _sections(pages).encode()
    for name, source in COPIED.items():
        yield name, (RESOURCES / "static" / source).read_bytes()


def _file_of(name: str) -> str:
    return f"{name}.html"


def _relative(page: str, target: str) -> str:
    return relpath(_file_of(target), dirname(page) or ".")


def _rendered(pages: Mapping[str, DocPage], page: DocPage | None) -> bytes:
    depth = page.name.count("/") if page else 0
    context = {"groups": contents(pages), "doc": page, "base": "../" * depth}
    return render_to_string(TEMPLATE, context).encode()


def _sections(pages: Mapping[str, DocPage]) -> str:
    """A script and no JSON: a page that was opened as a file may load the one, not the other."""
    rows = [
        [page.title, f"{_file_of(page.name)}#{section.anchor}", section.title, section.text]
        for page in pages.values()
        for section in page.sections
    ]
    return f"window.documentationSections = {json.dumps(rows, ensure_ascii=True)};\n"
