"""Texts written for the presets, in ``cases.json``: what each has of its preset, or that it has none
although it looks like it; then paths, and names of members that they lead to or pass over.

Written are values as they mostly come; spelt are those of people and programs: other scripts'
digits, signs that look alike, signs that nobody sees, ends of lines between groups. Names of hosts
are those for examples, numbers those that are given out for tests.
"""

import json
from pathlib import Path
from typing import NamedTuple


class WrittenCase(NamedTuple):
    preset: str
    text: str
    found: tuple[str, ...]


_CASES = json.loads(Path(__file__).with_suffix(".json").read_text("utf-8"))
WRITTEN, SPELT = (
    [WrittenCase(preset, text, tuple(found)) for preset, text, *found in _CASES[name]]
    for name in ("written", "spelt")
)
LED_TO, PASSED_OVER = _CASES["led to"], _CASES["passed over"]
"""A path, and the name of a member as a body spells it."""
