"""Sentences about what rules of a team overwrote in a capture."""

from collections.abc import Iterator, Mapping

from inspector.core.redaction_mark import AppliedRule, MaskKind, Preset, Redaction
from inspector.formatting.humanize import plural
from inspector.formatting.invisible_characters import spell_out_invisible

PRESET_TITLES: Mapping[str, str] = {
    Preset.EMAIL: "e-mail addresses",
    Preset.CARD: "card numbers",
    Preset.IBAN: "IBANs",
    Preset.PHONE: "phone numbers",
    Preset.KEY: "keys of vendors",
}


def redaction_sentence(redaction: Redaction | None, *, tells_rules: bool = True) -> str:
    """Return the mark in words; "" where nothing was overwritten. ``tells_rules``: to the team."""
    if redaction is None or not redaction.total:
        return ""
    return spell_out_invisible(" ".join(_sentences(redaction, tells_rules)))


def rule_title(kind: str, text: str | None) -> str:
    """Return a rule's purpose in words; of a word only that it is one, where it is not told."""
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
