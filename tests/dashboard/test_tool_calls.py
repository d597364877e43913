from inspector.core.completion import Choice, FunctionCall
from inspector.dashboard.panels.tool_calls import draw
from tests.dashboard.captured import DONE, analysis, call, chunk, delta, streamed, view

CUT = (
    (100, chunk(delta(0, role="assistant"))),
    (200, chunk(delta(0, **call('{"order":', name="book")))),
    (300, chunk(delta(0, **call('"48213","collect_')))),
    (400, chunk(delta(0, "length")) + DONE),
)


def test_a_cut_call_names_the_event_that_brought_its_end() -> None:
    panel = draw(streamed(*CUT))
    (shown,) = panel.content
    assert panel.tone == "error"
    assert shown.text.name == "book"
    assert shown.breaking_event == 2
    assert shown.sentence.startswith("The text ends after 26 characters")
    assert shown.span is not None and (shown.span.start_us, shown.span.end_us) == (200, 300)


def test_a_broken_call_names_the_character() -> None:
    broken = (chunk(delta(0, **call("{oops}", name="f"))) + chunk(delta(0, "tool_calls")) + DONE,)
    (shown,) = draw(streamed(*((100 + n, text) for n, text in enumerate(broken)))).content
    assert shown.sentence == "The text stops being JSON at character 1 of 6"


def test_calls_stand_in_the_order_of_their_choices_and_indexes() -> None:
    reads = [
        chunk(delta(0, **call("{}", index=1, name="b"))),
        chunk(delta(0, **call("{}", index=0, name="a"))),
        chunk(delta(0, "tool_calls")) + DONE,
    ]
    shown = draw(streamed(*((100 * n + 100, text) for n, text in enumerate(reads)))).content
    assert [each.text.name for each in shown] == ["a", "b"]


def test_the_deprecated_call_is_a_call_without_index() -> None:
    choice = Choice(index=0, function_call=FunctionCall(name="old", arguments_text="{}"))
    (shown,) = draw(view(analysis(choice))).content
    assert (shown.position, shown.type, shown.text.index) == (None, "function_call", None)


def test_a_capture_without_calls_says_why() -> None:
    assert draw(view(analysis(Choice(index=0)))).why_empty == "No choice carries tool calls."
    legacy = analysis(Choice(index=0), object="text_completion")
    assert "cannot call tools" in draw(view(legacy)).why_empty
    assert "no choices" in draw(view(analysis())).why_empty
    assert "Not inspected yet" in draw(view()).why_empty
