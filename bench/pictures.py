"""Takes the pictures of the README: the archive, a search by words, and a capture.

    python3 bench/pictures.py [--folder docs/images]

Starts an installation of its own in a temporary folder, with the samples that every new one has,
and photographs their pages in Chromium. The times in the pictures are those of this run. Needs the
project's environment and Chromium.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from browsing import Browsing, browsing  # noqa: E402
from playwright.sync_api import Page  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent
WIDTH = 1440
ANALYSED_WITHIN_SECONDS = 300
SEARCHED = "Basel"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--folder", type=Path, default=ROOT / "docs" / "images")
    asked = parser.parse_args()
    with browsing() as session:
        archive = f"http://127.0.0.1:{session.port}/t/default/captures/"
        page = opened(session, 780)
        wait_for_samples(page, archive)
        take(page, archive, asked.folder / "archive.png")
        take(page, f"{archive}?q={SEARCHED}", asked.folder / "search.png")
        page.goto(archive)
        # The newest sample is a stream of two choices.
        link = page.locator("#rows a.row-link").first.get_attribute("href")
        address = f"http://127.0.0.1:{session.port}{link}"
        take(opened(session, 1040), address, asked.folder / "capture.png")


def opened(session: Browsing, height: int) -> Page:
    size = {"width": WIDTH, "height": height}
    context = session.browser.new_context(storage_state=session.state, viewport=size)
    return context.new_page()


def wait_for_samples(page: Page, archive: str) -> None:
    end = time.monotonic() + ANALYSED_WITHIN_SECONDS
    while time.monotonic() < end:
        page.goto(archive)
        if re.search(r"captures, all analysed", page.locator("#status").inner_text()):
            return
        time.sleep(1)
    raise SystemExit("the samples are not analysed")


def take(page: Page, address: str, place: Path) -> None:
    page.goto(address)
    page.wait_for_load_state("networkidle")
    page.screenshot(path=place)
    print(place)


if __name__ == "__main__":
    main()
