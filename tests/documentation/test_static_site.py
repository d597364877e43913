"""The documentation as files: every page, every link, and nothing that needs a server."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path
from posixpath import join, normpath

import pytest
from django.core.management import CommandError, call_command

from inspector.documentation.library import CONTENTS, pages


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made") / "site"
    call_command("documentation_site", str(folder), stdout=io.StringIO())
    return folder


def test_every_page_of_the_product_is_a_file(site: Path) -> None:
    made = {path.relative_to(site).as_posix() for path in site.rglob("*.html")}
    assert made == {"index.html", *(f"{name}.html" for name in pages())}
    assert {name for _, names in CONTENTS for name in names} <= pages().keys()


def test_every_link_leads_to_a_file_and_a_place_in_it(site: Path) -> None:
    names = {
        path: set(re.findall(r' id="([^"]*)"', path.read_text())) for path in site.rglob("*.html")
    }
    broken = []
    for path in names:
        here = path.relative_to(site).as_posix()
        for link in re.findall(r'(?:href|src)="([^"]*)"', path.read_text()):
            if "://" in link:
                continue
            file, _, fragment = link.partition("#")
            target = site / normpath(join(here, "..", file)) if file else path
            if not target.is_file() or (fragment and fragment not in names[target]):
                broken.append((here, link))
    assert not broken


def test_nothing_is_fetched_from_elsewhere_and_no_script_is_inline(site: Path) -> None:
    for path in site.rglob("*.html"):
        text = path.read_text()
        assert not re.findall(r'<(?:script|link|img)[^>]*(?:src|href)="[a-z]+:', text)
        assert re.findall(r"<script[^>]*>", text) == re.findall(r"<script defer src=[^>]*>", text)


def test_the_search_knows_every_section(site: Path) -> None:
    script = (site / "sections.js").read_text()
    rows = json.loads(script.removeprefix("window.documentationSections = ").rstrip(";\n"))
    assert len(rows) == sum(len(page.sections) for page in pages().values())
    for _, address, _, _ in rows:
        assert (site / address.partition("#")[0]).is_file()


def test_a_folder_that_is_there_is_left_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("kept")
    with pytest.raises(CommandError):
        call_command("documentation_site", str(tmp_path))
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]
