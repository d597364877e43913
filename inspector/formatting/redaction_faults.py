"""Why a redaction rule is none, in words."""

from collections.abc import Mapping

from inspector.core.redaction.json_paths import PathFault
from inspector.core.redaction.own_words import MAX_CHARACTERS, MIN_CHARACTERS, WordFault
from inspector.core.redaction.rule_fault import PresetFault, RuleFault

FAULT_SENTENCES: Mapping[RuleFault, str] = {
    PresetFault.UNKNOWN: "There is no such preset.",
    WordFault.EXPRESSION: (
        "This is written like a regular expression. A search with one can take longer than"
        " anybody waits, so words have three simple wildcards instead: * # ?. Between quotes it is"
        " taken as it is."
    ),
    WordFault.SHORT: f"A word has {MIN_CHARACTERS} letters or digits at least.",
    WordFault.LONG: f"A word has {MAX_CHARACTERS} characters at most.",
    WordFault.NEVER: "Nothing can match: * takes all letters and digits that follow.",
    PathFault.NO_PATH: "A path has names, positions, * and **: no filters, slices or escapes.",
    PathFault.MANY_STEPS: "The path has too many steps, or too many **.",
    PathFault.EVERYTHING: "Wildcards alone would overwrite everything.",
}
