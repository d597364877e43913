from typing import Any

from inspector.core.completion import Usage
from inspector.core.tokens.ledger import UsageLedger
from inspector.dashboard.charts.token_bars import TokenBar, TokenBarPart, build_token_bars


def drawn(**counts: Any) -> tuple[TokenBar, ...]:
    found = UsageLedger(Usage(reported=True, **counts), (), None).total
    assert found is not None
    return build_token_bars(found.parts)


def named(whole: TokenBar) -> list[tuple[str, int | None]]:
    return [(part.name, part.number) for part in whole.parts]


def placed(part: TokenBarPart) -> tuple[float, float, float]:
    return round(part.x, 1), round(part.width, 1), round(part.over, 1)


def test_parts_fill_their_whole_on_one_scale() -> None:
    prompt, completion = drawn(
        prompt_tokens=1846, cached_tokens=1536, completion_tokens=311, reasoning_tokens=142
    )
    assert named(prompt) == [("cached", 1536), ("not cached", 310)]
    assert named(completion) == [("reasoning", 142), ("not reasoning", 169)]
    assert (prompt.width, round(completion.width, 2)) == (100, 16.85)
    assert round(sum(part.width for part in prompt.parts), 6) == 100


def test_every_part_of_a_whole_has_its_place_behind_the_one_before() -> None:
    prompt, completion = drawn(
        prompt_tokens=100, cached_tokens=50, prompt_audio_tokens=10, completion_tokens=100,
        reasoning_tokens=40, completion_audio_tokens=5, accepted_prediction_tokens=20,
        rejected_prediction_tokens=25,
    )  # fmt: skip
    assert named(prompt) == [("cached", 50), ("audio", 10), ("the rest", 40)]
    assert [(part.name, part.fill, *placed(part)[:2]) for part in completion.parts] == [
        ("reasoning", "reasoning", 0, 40),
        ("audio", "speech", 40, 5),
        ("accepted prediction", "accepted", 45, 20),
        ("rejected prediction", "rejected", 65, 25),
        ("the rest", "answer", 90, 10),
    ]
    assert not prompt.overlaps and not completion.overlaps


def test_a_part_larger_than_its_whole_reaches_beyond_it() -> None:
    prompt, _ = drawn(prompt_tokens=20, completion_tokens=0, cached_tokens=30)
    (part,) = prompt.parts
    assert placed(part) == (0, 66.7, 33.3)
    assert (part.y, part.height) == (1, 22)


def test_parts_that_are_more_than_the_whole_together_have_a_band_each() -> None:
    prompt, _ = drawn(prompt_tokens=100, completion_tokens=0, cached_tokens=90,
                      prompt_audio_tokens=30)  # fmt: skip
    assert prompt.overlaps
    assert [(part.name, *placed(part), part.y, part.height) for part in prompt.parts] == [
        ("cached", 0, 90, 0, 1, 11),
        ("audio", 0, 30, 0, 12, 11),
    ]


def test_predictions_that_exceed_the_completion_together_reach_beyond_it() -> None:
    _, completion = drawn(prompt_tokens=0, completion_tokens=10, accepted_prediction_tokens=8,
                          rejected_prediction_tokens=12)  # fmt: skip
    assert [placed(part) for part in completion.parts] == [(0, 40, 0), (40, 10, 50)]


def test_a_whole_without_details_has_no_legend() -> None:
    prompt, completion = drawn(prompt_tokens=10, completion_tokens=0)
    assert named(prompt) == [("", None)]
    assert completion.number == 0


def test_a_whole_that_was_not_sent_is_not_drawn() -> None:
    prompt, completion = drawn(prompt_tokens=None, cached_tokens=5)
    assert (prompt.value_text, prompt.parts, prompt.overlaps) == ("null", (), False)
    assert (completion.value_text, completion.number, completion.width) == ("not sent", None, 0)


def test_what_has_no_width_is_said_in_words() -> None:
    prompt, completion = drawn(
        prompt_tokens=1, completion_tokens=1, cached_tokens=1, prompt_audio_tokens=0,
        reasoning_tokens=1, completion_audio_tokens=None,
    )  # fmt: skip
    assert prompt.undrawn == ("audio 0",)
    assert completion.undrawn == ("audio null",), "what was not sent is told with each count"


def test_what_was_sent_and_is_no_count_is_not_called_unsent() -> None:
    prompt, _ = drawn(prompt_tokens=1, extras={"/prompt_tokens_details/cached_tokens": "all"})
    assert prompt.undrawn == ("cached sent as no count",)


def test_nothing_is_divided_by_zero() -> None:
    assert [whole.width for whole in drawn()] == [0, 0]
