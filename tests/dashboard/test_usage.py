from inspector.core.analysis import Verdict
from inspector.core.completion import Usage
from inspector.dashboard.panels.usage import ShownUsage, draw
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


def test_parts_fill_their_whole_on_one_scale() -> None:
    prompt, completion = drawn(FULL).wholes
    assert [(part.name, part.number) for part in prompt.parts] == [
        ("cached", 1536), ("not cached", 310),
    ]  # fmt: skip
    assert [(part.name, part.number) for part in completion.parts] == [
        ("reasoning", 142), ("the rest", 169),
    ]  # fmt: skip
    assert prompt.width == 100
    assert round(completion.width, 2) == 16.85
    assert round(sum(part.width for part in prompt.parts), 6) == 100


def test_absent_null_and_zero_are_three_things() -> None:
    prompt, completion = drawn(FULL).wholes
    assert prompt.asides == ("audio 0, sent as 0",)
    assert completion.asides == (
        "audio null", "accepted prediction and rejected prediction not sent",
    )  # fmt: skip


def test_the_arithmetic_is_shown_where_it_holds_and_where_it_does_not() -> None:
    assert [(each.holds, each.math) for each in drawn(FULL).sums] == [
        (True, "1,846 + 311 = 2,157"), (True, "1,536 ≤ 1,846"), (True, "142 ≤ 311"),
    ]  # fmt: skip
    wrong = Usage(reported=True, prompt_tokens=50, completion_tokens=20, total_tokens=80,
                  reasoning_tokens=30)  # fmt: skip
    assert [(each.holds, each.math) for each in drawn(wrong).sums] == [
        (False, "50 + 20 ≠ 80"), (False, "30 > 20"),
    ]  # fmt: skip
    assert draw(view(analysis(usage=wrong))).tone == "error"


def test_a_part_larger_than_its_whole_reaches_beyond_it() -> None:
    usage = Usage(reported=True, prompt_tokens=10, completion_tokens=20, reasoning_tokens=30)
    (part,) = drawn(usage).wholes[1].parts
    assert (round(part.width, 1), round(part.over, 1)) == (66.7, 33.3)


def test_a_whole_without_details_is_not_broken_down() -> None:
    usage = Usage(reported=True, prompt_tokens=10, completion_tokens=0)
    prompt, completion = drawn(usage).wholes
    assert [part.name for part in prompt.parts] == ["not broken down"]
    assert completion.number == 0


def test_a_missing_whole_says_so_and_nothing_is_computed() -> None:
    shown = drawn(Usage(reported=True, prompt_tokens=None, total_tokens=5))
    assert [whole.absent for whole in shown.wholes] == ["null", "not sent"]
    assert [each.holds for each in shown.sums] == [None]


def test_counts_that_are_none_stand_beside_the_sums() -> None:
    shown = drawn(Usage(reported=True, prompt_tokens=1, extras={"/cost": 0.002133}))
    assert shown.extras == (("/cost", "0.002133"),)


def test_a_capture_without_usage_says_why() -> None:
    assert "cut off" in draw(view(analysis(verdict=Verdict.CUT_OFF))).why_empty
    assert "asks for it" in draw(view(analysis())).why_empty
    assert "no usage object" in draw(view(analysis(streamed=False))).why_empty


def test_reasoning_beside_the_completion_adds_up_for_a_vendor_that_counts_so() -> None:
    usage = Usage(reported=True, prompt_tokens=50, completion_tokens=20, total_tokens=100,
                  reasoning_tokens=30)  # fmt: skip
    panel = draw(view(analysis(usage=usage, vendor="xai")))
    assert isinstance(panel.content, ShownUsage)
    assert [(each.holds, each.math) for each in panel.content.sums] == [
        (True, "50 + 20 + 30 = 100"),
    ]  # fmt: skip
    assert panel.content.wholes[1].asides[0] == "reasoning beside it 30"
    assert panel.tone == ""
    assert draw(view(analysis(usage=usage))).tone == "error"


def test_a_vendor_that_counts_apart_at_times_is_shown_by_its_numbers() -> None:
    panel = draw(view(analysis(usage=FULL, vendor="azure")))
    assert isinstance(panel.content, ShownUsage)
    assert not panel.content.reasoning_is_apart


def test_cost_is_shown_as_it_was_sent() -> None:
    usage = Usage(reported=True, cost="0.00010", cost_details={"upstream": "1e-5"})
    assert drawn(usage).money == (("cost", "0.00010"), ("cost_details", '{"upstream": "1e-5"}'))


def test_counts_of_which_only_some_vendors_speak_are_shown_where_they_were_sent() -> None:
    usage = Usage(reported=True, prompt_tokens=3, prompt_cache_hit_tokens=0, prompt_audio_tokens=1)
    prompt, _ = drawn(usage).wholes
    assert "cache hits 0, sent as 0" in prompt.asides
    assert not any("cache misses" in aside for aside in prompt.asides)
