"""Reads every recording that a manifest names with ``manage.py inspect``; none may be missing."""

import json
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def main(folder: Path) -> None:
    lines = (folder / "manifest.jsonl").read_text().splitlines()
    paths = [str(folder / json.loads(line)["file"]) for line in lines]
    started = time.monotonic()
    verdicts = Counter(inspected(paths).values())
    seconds = time.monotonic() - started
    told = ", ".join(f"{verdict} {count}" for verdict, count in verdicts.most_common())
    print(f"{len(paths)} recordings read in {seconds:.1f} s: {told}")


def inspected(paths: list[str]) -> dict[str, str]:
    """The verdict of each path."""
    command = [sys.executable, str(ROOT / "manage.py"), "inspect", "--json", *paths]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    results = [json.loads(line) for line in done.stdout.splitlines()]
    verdicts = {result["path"]: result["analysis"]["verdict"] for result in results}
    if missing := set(paths) - set(verdicts):
        sys.exit(f"{len(missing)} recordings without an analysis, {min(missing)} among them")
    return verdicts


if __name__ == "__main__":
    main(Path(sys.argv[1]))
