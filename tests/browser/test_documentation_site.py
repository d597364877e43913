"""The documentation as files, opened without a server."""

from __future__ import annotations

import io
from pathlib import Path

from django.core.management import call_command
from playwright.sync_api import Page, expect


def test_it_is_searched_from_the_disk_and_a_hit_leads_to_its_section(
    page: Page, tmp_path: Path
) -> None:
    folder = tmp_path / "site"
    call_command("documentation_site", str(folder), stdout=io.StringIO())
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto((folder / "api.html").as_uri())
    page.get_by_role("searchbox").fill("nothing arrives")
    first = page.locator("#doc-hits a").first
    expect(first).to_have_text("Troubleshooting: Nothing arrives")
    expect(page.locator("#doc-article")).to_be_hidden()
    first.click()
    expect(page).to_have_url((folder / "troubleshooting.html").as_uri() + "#nothing-arrives")
    page.get_by_role("searchbox").fill("<img src=x> no such words")
    expect(page.locator("#doc-number")).to_contain_text("No section has all words")
    assert all(url.startswith("file:") for url in asked)
