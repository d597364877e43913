"""Why a rule is none, whatever its kind."""

from enum import StrEnum

from inspector.core.redaction.json_paths import PathFault
from inspector.core.redaction.own_words import WordFault


class PresetFault(StrEnum):
    UNKNOWN = "unknown"
    """No preset has this name."""


RuleFault = PresetFault | WordFault | PathFault
