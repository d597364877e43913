"""Rules: what is overwritten. A rule is a preset, a word of the team's own, or a path into JSON."""

from __future__ import annotations

from enum import StrEnum

import msgspec

from inspector.core.redaction.json_paths import PathFault
from inspector.core.redaction.own_words import WordFault
from inspector.core.redaction_mark import MaskKind


class MaskRule(msgspec.Struct, frozen=True):
    """``text``: the name of a preset, a word, or a path. ``id`` tells rules of one team apart."""

    id: int
    kind: MaskKind
    text: str


class PresetFault(StrEnum):
    UNKNOWN = "unknown"
    """No preset has this name."""


RuleFault = PresetFault | WordFault | PathFault
