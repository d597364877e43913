"""Sentences about what rules of a team overwrote in a capture."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from inspector.core.redaction.json_paths import PathFault
from inspector.core.redaction.mask_rule import MaskKind, Preset, PresetFault, RuleFault
from inspector.core.redaction.own_words import MAX_CHARACTERS, MIN_CHARACTERS, WordFault
from inspector.core.redaction.redaction import AppliedRule, Redaction
from inspector.formatting.humanize import plural
from inspector.formatting.invisible_characters import spell_out_invisible

PRESET_TITLES: Mapping[str, str] = {
    Preset.EMAIL: "e-mail addresses",
    Preset.CARD: "card numbers",
    Preset.IBAN: "IBANs",
    Preset.PHONE: "phone numbers",
    Preset.KEY: "keys of vendors",
}
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
"""Why a rule is none."""


def redaction_sentence(redaction: Redaction | None, *, tells_rules: bool = True) -> str:
    """Says what was overwritten, and where; empty where nothing was. ``tells_rules``: to the team,
    whose words and paths they are.
    """
    if redaction is None or not redaction.total:
        return ""
    return spell_out_invisible(" ".join(_sentences(redaction, tells_rules)))


def rule_title(kind: str, text: str | None) -> str:
    """What a rule is for, in words. Of a word only that it is one, where it is not told."""
    if kind == MaskKind.PRESET:
        return PRESET_TITLES.get(text or "", text or "")
    if text is None:
        return "own words"
    return f"{kind} {text}"


def _sentences(redaction: Redaction, tells_rules: bool) -> Iterator[str]:
    rules = f" ({', '.join(map(_rule, redaction.rules))})" if tells_rules else ""
    passages = plural(redaction.total, "passage")
    yield f"Redacted: {passages} overwritten by the team's rules{rules}."
    counts = (
        (redaction.response_body, "in the response"),
        (redaction.request_body, "in the request"),
        (redaction.elsewhere, "in headers, address or metadata"),
    )
    yield f"{', '.join(f'{count} {where}' for count, where in counts if count)}.".capitalize()
    if redaction.decoded_from:
        yield f"The response was {redaction.decoded_from}-compressed and is stored decompressed."
    if redaction.coding_fault:
        yield f"Not all of it could be decoded: {redaction.coding_fault}."


def _rule(rule: AppliedRule) -> str:
    return f"{rule_title(rule.kind, rule.name)}: {rule.places}"
