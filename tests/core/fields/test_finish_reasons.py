"""Finish reasons mean the same however a gateway spells them."""

import pytest

from inspector.core.fields.finish_reasons import meaning_of
from inspector.core.formats.finish_meaning import FinishMeaning


@pytest.mark.parametrize(
    ("reason", "meaning"),
    [
        ("MAX_TOKENS", FinishMeaning.LENGTH),
        ("max_length", FinishMeaning.LENGTH),
        ("maxOutputTokens", FinishMeaning.LENGTH),
        ("context-length-exceeded", FinishMeaning.CONTEXT),
        ("network-error", FinishMeaning.FAILED),
        ("sunset", None),
        (7, None),
    ],
)
def test_a_spelling_has_one_meaning(reason: object, meaning: FinishMeaning | None) -> None:
    assert meaning_of(reason) is meaning
