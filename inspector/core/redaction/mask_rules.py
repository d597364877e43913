"""Rules made ready to search with."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from inspector.core.credentials.key_patterns import key_spans_in_text
from inspector.core.credentials.spans import TextSpan
from inspector.core.redaction.card_numbers import card_number_ranges
from inspector.core.redaction.emails import email_ranges
from inspector.core.redaction.ibans import iban_ranges
from inspector.core.redaction.json_paths import JsonPath, parse_json_path
from inspector.core.redaction.legible_text import legible
from inspector.core.redaction.own_words import WordFault, word_pattern
from inspector.core.redaction.rule_fault import PresetFault, RuleFault
from inspector.core.redaction_mark import MaskKind, MaskRule, Preset


class RuleHit(NamedTuple):
    """Characters that a rule names."""

    start: int
    end: int
    rule: int


def _phone_number_ranges(text: str) -> Iterator[TextSpan]:
    # Imported where a team looks for them: its expressions take as long as fifty modules.
    from inspector.core.redaction.phone_numbers import phone_number_ranges

    return phone_number_ranges(text)


PRESETS: Mapping[Preset, Callable[[str], Iterator[TextSpan]]] = {
    Preset.EMAIL: email_ranges,
    Preset.CARD: card_number_ranges,
    Preset.IBAN: iban_ranges,
    Preset.PHONE: _phone_number_ranges,
    Preset.KEY: key_spans_in_text,
}


class RuleSet:
    """Rules made ready to search with. One that this release does not know is among ``faults``."""

    def __init__(self, rules: Iterable[MaskRule]) -> None:
        self.rules = tuple(rules)
        self.faults: dict[int, RuleFault] = {}
        self.paths: list[tuple[int, JsonPath]] = []
        self._finders: list[tuple[int, Callable[[str], Iterator[TextSpan]], bool]] = []
        """Rule, search, and whether it is one for a word."""
        for rule in self.rules:
            self._add(rule)

    def __bool__(self) -> bool:
        return bool(self._finders or self.paths)

    def hits(self, text: str, *, words: bool = True) -> list[RuleHit]:
        """Hits of the presets, and with ``words`` of the words, in a text as it reads, in its
        order; overlapping hits as one, of the first rule.
        """
        read = legible(text)
        found = [
            RuleHit(*read.in_source(start, end), rule)
            for rule, finder, is_word in self._finders
            if words or not is_word
            for start, end in finder(read.text)
        ]
        return merged_hits(found) if found else found

    def _add(self, rule: MaskRule) -> None:
        made = parse_rule(rule.kind, rule.text)
        if isinstance(made, RuleFault):
            self.faults[rule.id] = made
        elif isinstance(made, JsonPath):
            self.paths.append((rule.id, made))
        else:
            self._finders.append((rule.id, made, rule.kind is MaskKind.WORD))


def parse_rule(
    kind: MaskKind, text: str
) -> Callable[[str], Iterator[TextSpan]] | JsonPath | RuleFault:
    """Return the search of a rule, or why it is none."""
    if kind is MaskKind.PATH:
        return parse_json_path(text)
    if kind is MaskKind.PRESET:
        known = text in Preset.__members__.values()
        return PRESETS[Preset(text)] if known else PresetFault.UNKNOWN
    pattern = word_pattern(text)
    if isinstance(pattern, WordFault):
        return pattern
    return lambda searched: (TextSpan(*found.span()) for found in pattern.finditer(searched))


def merged_hits(hits: Iterable[RuleHit]) -> list[RuleHit]:
    """Return the hits in their order, without overlaps."""
    found: list[RuleHit] = []
    for hit in sorted(hits, key=lambda hit: (hit.start, -hit.end)):
        if hit.start >= hit.end:
            continue
        if found and hit.start < found[-1].end:
            last = found[-1]
            found[-1] = RuleHit(last.start, max(last.end, hit.end), last.rule)
        else:
            found.append(hit)
    return found
