"""Presets find what they are for, in texts that were written for them."""

from collections import Counter
from itertools import product

import pytest

from inspector.core.redaction.mask_rules import RuleSet
from inspector.core.redaction_mark import MaskKind, MaskRule, Preset
from tests.core.redaction.cases import WRITTEN
from tests.tiers import mostly_thorough

FALSE_HITS = frozenset({"xoxo-love-and-kisses"})
"""Known: shaped like a token of Slack."""


def found_by(preset: str, text: str) -> tuple[str, ...]:
    rules = RuleSet([MaskRule(1, MaskKind.PRESET, preset)])
    return tuple(text[hit.start : hit.end] for hit in rules.hits(text))


def test_there_are_sixty_cases_for_each_preset() -> None:
    assert Counter(case.preset for case in WRITTEN) == dict.fromkeys(Preset, 60)


def test_a_preset_finds_exactly_what_was_written_for_it(subtests: pytest.Subtests) -> None:
    for case in WRITTEN:
        with subtests.test(preset=case.preset, text=case.text):
            wanted = (case.text,) if case.text in FALSE_HITS else case.found
            found = found_by(case.preset, case.text)
            assert found == wanted or (case.text in FALSE_HITS and found)


NEAR = ("0 ", "a@", "4111 ", "DE89 ", "+1 202 ", "sk-aB3", "(0)", "a.b-c@d.", "1.", "eyJa.")


@pytest.mark.parametrize(
    ("near", "preset"), mostly_thorough(product(NEAR, Preset), by_default=len(Preset))
)
def test_text_that_nearly_fits_is_searched_in_linear_time(preset: Preset, near: str) -> None:
    # Backtracking over 200 kB of it would never end.
    found_by(preset, near * (200_000 // len(near)))
