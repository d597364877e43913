from django.template.loader import render_to_string

from inspector.archive.readouts import TruncatedValue
from inspector.core.analysis import Verdict
from inspector.core.completion import Choice, FunctionCall, InlineReasoning, ToolCall
from inspector.dashboard.capture.choices.panel import (
    MAX_CHOICES,
    ChoiceDisplay,
    ChoicesDisplay,
    ForkSide,
    draw,
)
from inspector.dashboard.capture.choices.passages import (
    MAX_FOLDED_CHARACTERS,
    PassageRun,
    TextPassage,
)
from inspector.dashboard.capture.page.capture_view import CaptureView
from tests.core import bodies
from tests.dashboard.capture.samples import TWO_CHOICES, analysis, streamed, view, whole


def drawn(*choices: Choice) -> ChoicesDisplay:
    content = draw(view(analysis(*choices))).content
    assert isinstance(content, ChoicesDisplay)
    return content


def text(runs: tuple[PassageRun, ...]) -> str:
    return "".join(segment.text for run in runs for segment in run.text)


def kinds(passage: TextPassage) -> list[tuple[str, str]]:
    return [(run.kind, text((run,))) for run in passage.visible_runs]


def asked(*choices: Choice, **query: str) -> ChoicesDisplay:
    content = draw(view(analysis(*choices), query_params=query)).content
    assert isinstance(content, ChoicesDisplay)
    return content


def saying(*texts: str) -> list[Choice]:
    return [Choice(index=number, content=text) for number, text in enumerate(texts)]


def test_absent_null_and_empty_content_are_three_things() -> None:
    content = drawn(Choice(index=0), Choice(index=1, content=None), Choice(index=2, content=""))
    assert [choice.answer.absent for choice in content.choices] == [
        "not sent", "null", "empty string",
    ]  # fmt: skip


def test_a_legacy_completion_shows_its_text() -> None:
    (choice,) = drawn(Choice(index=0, text="\n\nThis is a test.")).choices
    assert text(choice.answer.visible_runs) == "\n\nThis is a test."


def test_a_long_answer_is_folded_after_two_thousand_characters() -> None:
    (choice,) = drawn(Choice(index=0, content="x" * 4_001)).choices
    assert len(text(choice.answer.visible_runs)) == 2_000
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
    assert isinstance(content, ChoicesDisplay)
    assert [kinds(choice.answer) for choice in content.choices] == [
        [("same", "Ship from "), ("fork", ""), ("", "Rotterdam.")],
        [("same", "Ship from "), ("fork", ""), ("", "Leipzig.")],
    ]
    assert content.fork is not None
    assert content.fork.sides == (ForkSide(0, "Rotterdam.", 5), ForkSide(1, "Leipzig.", 6))


def test_each_choice_is_held_against_the_first_and_the_first_against_one_of_them() -> None:
    choices = saying("One two three", "One two four", "One five", "One two three")
    content = asked(*choices)
    assert [choice.divergence and choice.divergence.shared for choice in content.choices] == [
        None,
        8,
        4,
        13,
    ]
    assert kinds(content.choices[0].answer)[0] == ("same", "One two ")
    chosen = asked(*choices, choices_fork="2")
    assert kinds(chosen.choices[0].answer)[0] == ("same", "One ")
    assert chosen.fork is not None and chosen.fork.pair == "0-2"
    assert [choice.is_chosen for choice in chosen.choices] == [False, False, True, False]
    same = asked(*choices, choices_fork="3")
    assert same.fork is not None and same.fork.same
    assert asked(*choices, choices_fork="nine").fork == content.fork


def test_a_thought_inside_content_is_folded_apart_from_the_answer() -> None:
    content = "<think>\nIt rains.\n</think>\n\nTake a coat."
    (choice,) = whole_choices(content)
    assert choice.reasoning is not None and choice.reasoning.kind == "content"
    assert text(choice.reasoning.visible_runs) == "<think>\nIt rains.\n</think>"
    assert text(choice.answer.visible_runs) == "Take a coat."
    (unclosed,) = whole_choices("<think>\nIt rains")
    assert unclosed.answer.absent == "empty string"


def whole_choices(*contents: str) -> tuple[ChoiceDisplay, ...]:
    choices = [
        {"index": number, "finish_reason": "stop", "message": {"content": content}}
        for number, content in enumerate(contents)
    ]
    content = draw(whole({"object": "chat.completion", "choices": choices})).content
    assert isinstance(content, ChoicesDisplay)
    return content.choices


def test_choices_beyond_the_page_are_a_link_away() -> None:
    many = saying(*("x" for _ in range(MAX_CHOICES + 1)))
    content = asked(*many)
    assert (len(content.choices), content.total, content.following) == (200, 201, 200)
    rest = asked(*many, choices_from="200")
    assert [choice.index for choice in rest.choices] == [200]
    assert rest.following is None and rest.last == 200
    for odd in ("999999999999999", "123456789x", "9" * 5_000, "-1", "²", ""):
        assert asked(*many, choices_from=odd).choices


def test_what_is_too_long_for_the_page_stays_in_its_file() -> None:
    (choice,) = drawn(Choice(index=0, content="x" * 70_000)).choices
    assert choice.answer.folded_length == MAX_FOLDED_CHARACTERS
    assert choice.answer.rest_length == 70_000 - MAX_FOLDED_CHARACTERS - 2_000
    assert not choice.can_copy
    many = drawn(*saying(*("x" * 9_000 for _ in range(200)))).choices
    assert {choice.answer.folded_length for choice in many} == {5_000}


def test_markdown_is_read_where_it_is_asked_for() -> None:
    content = asked(*saying("**bold**", "x" * 20_001), choices="markdown")
    bold, long = content.choices
    assert bold.rendered == "<p><strong>bold</strong></p>\n" and not bold.can_copy
    assert long.rendered is None and "20,001 characters" in long.unrendered
    assert drawn(*saying("**bold**")).choices[0].rendered is None


def test_less_of_each_choice_is_read_as_markdown_where_there_are_many() -> None:
    content = asked(*saying(*("y" * 9_000 for _ in range(20))), choices="markdown")
    assert {choice.unrendered for choice in content.choices} == {
        "Shown as text: 9,000 characters are more than the limit of 5,000."
    }
    few = asked(*saying(*("y" * 4_000 for _ in range(20))), choices="markdown")
    assert all(choice.rendered for choice in few.choices)


def test_two_choices_are_compared_where_there_are_two() -> None:
    content = asked(*saying("a b", "a c", "a d"), choices="diff", diff="2-0")
    assert content.comparison is not None
    assert (content.comparison.before, content.comparison.after) == (2, 0)
    assert content.choices == ()
    assert asked(*saying("a"), choices="diff").mode == "text"
    assert asked(*saying("a"), choices="<b>").mode == "text"


def test_what_a_vendor_states_is_told_as_it_was_stated() -> None:
    (stated,) = drawn(Choice(index=0, cost_usd="0.00120", duration_seconds="2.340")).choices
    assert stated.facts == ("$0.00120 stated", "2.340 s stated")
    (null,) = drawn(Choice(index=0, cost_usd=None, duration_seconds=None)).choices
    assert null.facts == ("cost null", "duration null")
    (unsent,) = drawn(Choice(index=0)).choices
    assert unsent.facts == ()


def test_a_refusal_is_one_that_says_something() -> None:
    refusals = ("I cannot.", "", None)
    shown = drawn(*(Choice(index=n, refusal=text) for n, text in enumerate(refusals))).choices
    assert [choice.is_refused for choice in shown] == [True, False, False]
    assert shown[0].can_copy


def test_footnotes_mark_the_answer_behind_its_thought() -> None:
    content = "<think>a</think>\n\nIt is 4.0 now."
    note = {"type": "url_citation", "start_index": 24, "end_index": 27, "url": "https://x.example"}
    inside = InlineReasoning(0, 16)
    (choice,) = drawn(
        Choice(index=0, content=content, annotations=[note], inline_reasoning=inside)
    ).choices
    assert kinds(choice.answer) == [("", "It is "), ("", "4.0"), ("note", "1"), ("", " now.")]


def test_speech_that_is_shown_in_part_has_its_whole_size() -> None:
    choice = Choice(index=3, extras={"/message/audio": {"data": "UklGRiQAAABXQVZF" * 4}})
    cut = TruncatedValue("/choices/0/extras/~1message~1audio/data", 400_000)
    (shown,) = draw(view(analysis(choice), cuts=(cut,))).content.choices
    assert shown.speech.byte_length == 300_000


def test_facts_name_chunks_and_the_end() -> None:
    content = draw(streamed(*TWO_CHOICES)).content
    assert content.choices[0].facts == ("20 characters", "in 2 chunks", "ended at 0.900 s")


def test_a_role_is_shown_where_it_is_not_the_usual_one() -> None:
    roles = ("assistant", "user", None)
    odd = Choice(index=4, extras={"/message/role": 5})
    sent = (Choice(index=n, role=role) for n, role in enumerate(roles))
    shown = drawn(*sent, Choice(index=3), odd)
    assert [choice.role for choice in shown.choices] == [None, "user", "null", "not sent", "5"]


def test_what_a_print_leaves_out_is_not_said_to_be_not_sent() -> None:
    text = b"{ object: 'chat.completion', choices: [ { index: 0, message: [Object], finish_reason: 'stop' } ] }"
    (choice,) = draw(view(bodies.analysis(text))).content.choices
    assert (choice.role, choice.answer.absent) == (None, "unknown")


def test_a_legacy_completion_has_no_role_that_could_lack() -> None:
    read = analysis(Choice(index=0, text="4"), dialect="openai-text")
    (choice,) = draw(view(read)).content.choices
    assert choice.role is None


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
    assert choice.refusal is not None and text(choice.refusal.visible_runs) == "I cannot."
    assert [call.name for call in choice.calls] == ["look", "old"]


def test_a_body_without_choices_says_why() -> None:
    assert "no choices" in draw(view(analysis())).why_empty
    assert "error object" in draw(view(analysis(object="error"))).why_empty
    unknown = analysis(dialect=None, verdict=Verdict.NOT_A_RESPONSE)
    assert "no known response format" in draw(view(unknown)).why_empty
    assert "anthropic" in draw(view(analysis(dialect="anthropic", object="unknown"))).why_empty
    assert "Not analysed yet" in draw(view()).why_empty


# -- formats whose messages are lists of parts -----------------------------------------------------

CALLED = {"functionCall": {"name": "rain", "args": {}}}


def candidates(*parts: object, **changes: object) -> CaptureView:
    content = {"role": "model", "parts": list(parts)}
    return whole({"candidates": [{"content": content, "finishReason": "STOP", **changes}]})


def only_choice(shown: CaptureView) -> ChoiceDisplay:
    (choice,) = draw(shown).content.choices
    return choice  # type: ignore[no-any-return]


def test_the_role_of_a_format_is_no_unusual_one() -> None:
    assert only_choice(candidates({"text": "Wet."})).role is None
    assert only_choice(candidates(content={"role": "user", "parts": []})).role == "user"
    assert only_choice(candidates(content={"parts": [{"text": "Wet."}]})).role is None


def test_an_answer_of_calls_alone_has_no_content_that_was_not_sent() -> None:
    calls, none = only_choice(candidates(CALLED)), only_choice(candidates(finishReason="SAFETY"))
    assert (calls.is_field, len(calls.calls)) == (False, 1)
    assert (none.is_field, none.answer.absent) == (True, "not sent")
    page = render_to_string(
        "dashboard/capture/panels/choices.html",
        {"view": candidates(CALLED), "content": draw(candidates(CALLED)).content},
    )
    assert "not sent" not in page


def test_a_finish_reason_that_is_a_number_is_told_by_its_name() -> None:
    choice = only_choice(candidates({"text": "Wet."}, finishReason=1))
    assert (choice.finish, choice.finish_ordinary) == ("STOP, sent as 1", True)
    assert only_choice(candidates({"text": "Wet."}, finishReason=77)).finish == "77"
    assert only_choice(candidates({"text": "Wet."})).finish == "STOP"


def test_reasoning_that_is_only_signed_says_that_it_has_no_text() -> None:
    thought = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "Zm9v"}
    said = {"type": "message", "content": [{"type": "output_text", "text": "Wet."}]}
    choice = only_choice(whole({"object": "response", "output": [thought, said]}))
    assert [part.passage.absent for part in choice.blocks if part.passage] == [
        "sent without text",
        "",
    ]
