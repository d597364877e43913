from inspector.core.analysis import Verdict
from inspector.core.completion import Choice, FunctionCall, ToolCall
from inspector.dashboard.marks import Segment
from inspector.dashboard.panels.choices import Choices, draw
from tests.dashboard.captured import TWO_CHOICES, analysis, streamed, view


def drawn(*choices: Choice) -> Choices:
    content = draw(view(analysis(*choices))).content
    assert isinstance(content, Choices)
    return content


def text(segments: tuple[Segment, ...]) -> str:
    return "".join(segment.text for segment in segments)


def test_absent_null_and_empty_content_are_three_things() -> None:
    content = drawn(Choice(index=0), Choice(index=1, content=None), Choice(index=2, content=""))
    assert [choice.answer.absent for choice in content.choices] == [
        "not sent", "null", "empty string",
    ]  # fmt: skip


def test_a_legacy_completion_shows_its_text() -> None:
    (choice,) = drawn(Choice(index=0, text="\n\nThis is a test.")).choices
    assert text(choice.answer.own) == "\n\nThis is a test."


def test_a_long_answer_is_folded_after_two_thousand_characters() -> None:
    (choice,) = drawn(Choice(index=0, content="x" * 4_001)).choices
    assert len(text(choice.answer.own)) == 2_000
    assert choice.answer.folded_length == len(text(choice.answer.folded)) == 2_001
    (whole,) = drawn(Choice(index=0, content="x" * 4_000)).choices
    assert whole.answer.folded_length == 0


def test_finishes_that_are_not_ordinary_are_told_apart() -> None:
    reasons = ("stop", "tool_calls", "length", "content_filter", None, "</b>", {"type": "x"})
    shown = drawn(*(Choice(index=n, finish_reason=r) for n, r in enumerate(reasons))).choices
    assert [choice.finish_ordinary for choice in shown] == [True, True] + [False] * 5
    assert [choice.finish for choice in shown][4:] == ["none", "</b>", '{"type": "x"}']


def test_choices_part_at_a_word_of_an_event() -> None:
    content = draw(streamed(*TWO_CHOICES)).content
    assert isinstance(content, Choices)
    assert [text(choice.answer.shared) for choice in content.choices] == ["Ship from "] * 2
    assert [text(choice.answer.own) for choice in content.choices] == ["Rotterdam.", "Leipzig."]
    assert content.fork is not None
    sides = [(side.choices, side.word, side.event) for side in content.fork.sides]
    assert sides == [("0", "Rotterdam.", 5), ("1", "Leipzig.", 6)]


def test_choices_that_say_the_same_word_are_told_together() -> None:
    texts = ("One two", "One three", "One two")
    content = drawn(*(Choice(index=n, content=text) for n, text in enumerate(texts)))
    assert content.fork is not None
    assert [side.choices for side in content.fork.sides] == ["0 and 2", "1"]


def test_facts_name_chunks_and_the_end() -> None:
    content = draw(streamed(*TWO_CHOICES)).content
    assert content.choices[0].facts == ("20 characters", "in 2 chunks", "ended at 0.900 s")


def test_a_role_is_shown_where_it_is_not_the_usual_one() -> None:
    roles = ("assistant", "user", None)
    shown = drawn(*(Choice(index=n, role=role) for n, role in enumerate(roles)), Choice(index=3))
    assert [choice.role for choice in shown.choices] == [None, "user", "null", None]


def test_reasoning_refusal_and_calls_have_their_places() -> None:
    (choice,) = drawn(
        Choice(
            index=0,
            content=None,
            reasoning="First I think.",
            refusal="I cannot.",
            tool_calls=(ToolCall(index=0, name="look", arguments_text="{}"),),
            function_call=FunctionCall(name="old"),
        )
    ).choices
    assert choice.reasoning is not None and choice.reasoning.peek == "First I think."
    assert choice.refusal is not None and text(choice.refusal.own) == "I cannot."
    assert [call.name for call in choice.calls] == ["look", "old"]


def test_a_body_without_choices_says_why() -> None:
    assert "no choices" in draw(view(analysis())).why_empty
    assert "error object" in draw(view(analysis(object="error"))).why_empty
    unknown = analysis(dialect=None, verdict=Verdict.NOT_A_RESPONSE)
    assert "No dialect" in draw(view(unknown)).why_empty
    assert "anthropic" in draw(view(analysis(dialect="anthropic", object="unknown"))).why_empty
    assert "Not inspected yet" in draw(view()).why_empty
