"""Verdict and result as one label: words for lists, the start of a sentence, and the worse tone."""

import pytest

from inspector.core.analysis import Verdict
from inspector.core.completion import Result
from inspector.formatting.verdicts import VerdictTone, analysis_label, verdict_label
from tests.core.bodies import analysis


@pytest.mark.parametrize(
    ("verdict", "result", "words", "sentence", "tone"),
    [
        ("complete", "answered", "complete", "Complete.", "good"),
        ("complete", "called", "complete", "Complete.", "good"),
        ("complete", "empty", "complete, empty", "Complete, but empty:", "part"),
        ("complete", "truncated", "complete, truncated", "Complete, but truncated:", "part"),
        ("complete", "refused", "complete, refused", "Complete, but refused:", "part"),
        ("complete", "filtered", "complete, filtered", "Complete, but filtered:", "part"),
        (
            "complete",
            "to-be-continued",
            "complete, to-be-continued",
            "Complete, but to be continued:",
            "part",
        ),
        (
            "complete",
            "unusable-call",
            "complete, unusable-call",
            "Complete, but with an unusable call:",
            "bad",
        ),
        ("complete", "error", "complete, error", "Complete, but with an error:", "bad"),
        ("complete", "unknown", "complete", "Complete.", "none"),
        (
            "missing-terminator",
            "empty",
            "missing-terminator, empty",
            "Missing terminator, and empty:",
            "part",
        ),
        ("missing-finish", "answered", "missing-finish", "Missing finish.", "part"),
        ("cut-off", "truncated", "cut-off", "Cut off.", "bad"),
        ("cut-off", "refused", "cut-off, refused", "Cut off, and refused:", "bad"),
        ("client-cancelled", "truncated", "client-cancelled", "Client cancelled.", "part"),
        ("in-progress", "pending", "in-progress", "In progress.", "wait"),
        ("provider-error", "error", "provider-error", "Provider error.", "bad"),
        ("complete", None, "complete", "Complete.", "good"),
    ],
)
def test_a_label_says_both_where_the_result_adds_something(
    verdict: str, result: str | None, words: str, sentence: str, tone: str
) -> None:
    label = verdict_label("inspected", verdict, result)
    assert (label.words, label.sentence, label.tone) == (words, sentence, tone)


def test_only_a_complete_answer_that_says_something_is_green() -> None:
    green = {
        (verdict, result)
        for verdict in Verdict
        for result in Result
        if verdict_label("inspected", verdict, result).tone is VerdictTone.GOOD
    }
    assert green == {(Verdict.COMPLETE, Result.ANSWERED), (Verdict.COMPLETE, Result.CALLED)}


def test_what_python_prints_is_read_and_not_called_unreadable() -> None:
    printed = b"ChatCompletion(id='a', choices=[Choice(index=0, message=Message(content='Hi'))])"
    read, unread = analysis_label(analysis(printed)), analysis_label(analysis(b'{"choices": ]'))
    assert (read.sentence, read.tone) == ("Not JSON.", VerdictTone.PARTIAL)
    assert (unread.sentence, unread.tone) == ("Unreadable.", VerdictTone.BROKEN)
