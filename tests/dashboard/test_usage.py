from typing import Any

from inspector.core.analysis import Verdict
from inspector.core.completion import Choice, Usage
from inspector.dashboard.panels.usage import Row, ShownUsage, draw
from tests.dashboard.captured import analysis, view

FULL = Usage(
    reported=True,
    found_at=143,
    prompt_tokens=1846,
    completion_tokens=311,
    total_tokens=2157,
    cached_tokens=1536,
    prompt_audio_tokens=0,
    reasoning_tokens=142,
    completion_audio_tokens=None,
)


def drawn(usage: Usage) -> ShownUsage:
    content = draw(view(analysis(usage=usage))).content
    assert isinstance(content, ShownUsage)
    return content


def rows(usage: Usage) -> list[Row]:
    return [row for each in drawn(usage).counts for row in each]


def said(usage: Usage, **changes: Any) -> list[tuple[str, str]]:
    """The lines with their outcome."""
    content = draw(view(analysis(usage=usage, **changes))).content
    assert isinstance(content, ShownUsage)
    return [(line.sentence, str(line.outcome)) for line in content.lines]


def test_absent_null_and_zero_are_three_things() -> None:
    assert [(row.depth, row.name, row.said, row.tone) for row in rows(FULL)] == [
        (0, "total_tokens", "2,157", ""),
        (1, "prompt_tokens", "1,846", ""),
        (2, "cached_tokens", "1,536", ""),
        (2, "not cached", "310", "derived"),
        (2, "audio_tokens", "0", ""),
        (1, "completion_tokens", "311", ""),
        (2, "reasoning_tokens", "142", ""),
        (2, "not reasoning", "169", "derived"),
        (2, "audio_tokens", "null", ""),
        (2, "accepted_prediction_tokens", "not sent", "faint"),
        (2, "rejected_prediction_tokens", "not sent", "faint"),
    ]


def test_every_count_that_was_sent_says_where_it_stood() -> None:
    places = {row.name: row.pointer for row in rows(FULL)}
    assert places["cached_tokens"] == "/prompt_tokens_details/cached_tokens"
    assert places["not cached"] is places["rejected_prediction_tokens"] is None


def test_the_lines_are_shown_where_they_hold_and_where_they_do_not() -> None:
    assert said(FULL)[:3] == [
        ("1,846 prompt + 311 completion = 2,157 total", "held"),
        ("1,536 cached ≤ 1,846 prompt", "held"),
        ("142 reasoning ≤ 311 completion", "held"),
    ]
    wrong = Usage(reported=True, prompt_tokens=50, completion_tokens=20, total_tokens=80,
                  reasoning_tokens=30)  # fmt: skip
    assert said(wrong)[0] == ("50 prompt + 20 completion = 80 total", "broken")
    assert draw(view(analysis(usage=wrong))).tone == "error"
    assert draw(view(analysis(usage=FULL))).tone == ""


def test_completion_begins_the_second_table_of_counts() -> None:
    assert [each[0].name for each in drawn(FULL).counts] == ["total_tokens", "completion_tokens"]


def test_counts_that_were_not_sent_are_named_once_and_not_line_by_line() -> None:
    shown = drawn(Usage(reported=True, prompt_tokens=3, completion_tokens=2, total_tokens=5))
    assert [line.words for line in shown.lines] == ["prompt + completion = total"]
    assert shown.unchecked == (
        "Not sent, so not checked: cached, reasoning, prompt audio, completion audio, accepted and "
        "rejected prediction."
    )
    assert drawn(FULL).unchecked == "Not sent, so not checked: accepted and rejected prediction."


def test_a_line_shows_its_numbers_by_the_relation_that_is_true_of_them() -> None:
    shown = drawn(Usage(reported=True, prompt_tokens=50, completion_tokens=20, total_tokens=80,
                        reasoning_tokens=30, completion_audio_tokens=None))  # fmt: skip
    assert [line.numbers for line in shown.lines] == ["50 + 20 ≠ 80", "30 > 20", "– ≤ 20"]


def test_what_a_vendor_is_known_to_break_is_no_alarm() -> None:
    usage = Usage(reported=True, prompt_tokens=6, completion_tokens=2, total_tokens=10)
    assert said(usage, vendor="gemini")[0] == ("6 prompt + 2 completion = 10 total", "broken")
    assert draw(view(analysis(usage=usage, vendor="gemini"))).tone == ""


def test_a_missing_whole_says_so() -> None:
    shown = drawn(Usage(reported=True, prompt_tokens=None, total_tokens=5))
    assert [whole.said for whole in shown.wholes] == ["null", "not sent"]
    assert shown.lines[0].outcome == "undecidable"


def test_what_is_no_count_is_shown_as_it_came_and_only_once() -> None:
    shown = drawn(Usage(reported=True, extras={"/prompt_tokens": "12", "/queue_time": 0.5}))
    (row,) = (row for each in shown.counts for row in each if row.name == "prompt_tokens")
    assert (row.said, row.tone, row.pointer) == ('"12"', "error", "/prompt_tokens")
    assert shown.extras == (("/queue_time", "0.5"),)


def test_a_capture_without_usage_says_why() -> None:
    assert draw(view(analysis(verdict=Verdict.CUT_OFF))).why_empty.startswith("Cut off: ")
    assert "No event carries usage" in draw(view(analysis())).why_empty
    assert "no usage object" in draw(view(analysis(streamed=False))).why_empty


def test_reasoning_beside_the_completion_has_a_bar_of_its_own() -> None:
    usage = Usage(reported=True, prompt_tokens=50, completion_tokens=20, total_tokens=100,
                  reasoning_tokens=30)  # fmt: skip
    panel = draw(view(analysis(usage=usage, vendor="xai")))
    assert isinstance(panel.content, ShownUsage)
    assert [(whole.name, whole.number) for whole in panel.content.wholes] == [
        ("prompt", 50), ("completion", 20), ("reasoning", 30),
    ]  # fmt: skip
    assert panel.content.readings == ("xAI counts reasoning beside completion",)
    assert said(usage, vendor="xai")[0] == (
        "50 prompt + 20 completion + 30 reasoning = 100 total", "held",
    )  # fmt: skip
    assert panel.tone == ""
    assert draw(view(analysis(usage=usage, vendor="openai"))).tone == "error"


def test_costs_are_shown_as_they_were_sent_and_a_sum_says_that_it_is_derived() -> None:
    usage = Usage(reported=True, cost="0.00010", cost_details={"upstream": "1e-5"})
    choices = [Choice(index=n, cost_usd="0.1") for n in (0, 1)]
    content = draw(view(analysis(*choices, usage=usage))).content
    assert isinstance(content, ShownUsage)
    assert [(each.name, each.said, each.is_derived) for each in content.money] == [
        ("cost_usd of choice 0", "0.1", False),
        ("cost_usd of choice 1", "0.1", False),
        ("cost_usd of all choices", "0.2", True),
        ("cost", "0.00010", False),
        ("cost_details upstream", "1e-5", False),
    ]


def test_very_many_amounts_are_counted_and_not_all_drawn() -> None:
    usage = Usage(reported=True, cost_details={str(n): "1" for n in range(50)})
    assert (len(drawn(usage).money), drawn(usage).more_money) == (40, 10)


def test_counts_of_which_only_some_vendors_speak_are_shown_where_they_were_sent() -> None:
    names = [row.name for row in rows(Usage(reported=True, prompt_cache_hit_tokens=0))]
    assert "prompt_cache_hit_tokens" in names
    assert "prompt_cache_miss_tokens" not in names
