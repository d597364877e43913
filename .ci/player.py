"""Plays fifty of the recordings that lie beside the checkout in Chromium; says what differs.

    .venv/bin/python .ci/player.py ../shared

At five moments of each stream the state that the pages' player tells must be what reading says of
the bytes that had come by then. Which fifty and which moments is always the same.
"""

import json
import os
import random
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from playwright.sync_api import sync_playwright  # noqa: E402

from development import chromium  # noqa: E402
from inspector.operations.reports import input_files  # noqa: E402
from tests.browser.moments import case_of, open_player, unlike  # noqa: E402

RECORDINGS = 50
CHANCE = 20_261_122
MAX_TOLD = 20


def main(shared: Path) -> None:
    corpus = shared / "corpus"
    lines = (corpus / "manifest.jsonl").read_text().splitlines()
    streams = sorted(name for line in lines if (name := json.loads(line)["file"])[-5:] != ".json")
    chance = random.Random(CHANCE)
    chosen = chance.sample(streams, RECORDINGS)
    exchanges = {name: input_files.load_input_file(str(corpus / name)).exchange for name in chosen}
    cases = [case_of(name, exchange, chance) for name, exchange in exchanges.items()]
    drawn = [case for case in cases if case is not None]
    path = chromium.find_shell()
    if path is None:
        sys.exit(f"there is no Chromium: {chromium.HOW_TO_GET_IT}")
    sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=sandbox)
        page = browser.new_page()
        open_player(page)
        found = list(unlike(page, drawn))
        browser.close()
    moments = sum(len(case.moments) for case in drawn)
    print(f"{len(drawn)} of {len(chosen)} recordings are streams; played to {moments} moments")
    for line in found[:MAX_TOLD]:
        print("  " + line)
    if found:
        sys.exit(f"{len(found)} states are not what was read by then")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
