import pytest

from inspector.core.completion import Choice
from inspector.dashboard.capture.page.locations import element_id_of, panel_of_pointer
from tests.dashboard.capture.samples import analysis

READ = analysis(
    Choice(index=3), Choice(index=7), completion={"choices": [{"index": 7}, {"index": 3}]}
)


def test_pointers_lead_to_the_panel_that_shows_their_value() -> None:
    assert panel_of_pointer("/usage/total_tokens") == "usage"
    assert panel_of_pointer("/choices/0/usage") == "usage"
    assert panel_of_pointer("/choices/0/finish_reason") == "choices"
    assert panel_of_pointer("/choices/0/feedback_token") == "feedback"
    assert panel_of_pointer("/created") == panel_of_pointer(None) == "raw"


@pytest.mark.parametrize(
    "pointer, target",
    [
        ("/choices/0", "choice-7"),
        ("/choices/1/finish_reason", "choice-3"),
        ("/choices/1/message/content", "choice-3"),
        ("/choices/0/message/tool_calls/2/function/arguments", "call-7-2"),
        ("/choices/0/message/tool_calls/12", "call-7-12"),
        ("/choices/0/message/tool_calls", "tool_calls"),
        ("/choices/1/message/function_call/name", "call-3-f"),
        ("/choices/0/logprobs/content/4", "logprobs"),
        ("/choices/9", "choices"),
        ("/choices/x", "choices"),
        ("/choices", "choices"),
        ("/usage", "usage"),
    ],
)
def test_a_pointer_leads_to_the_choice_or_call_that_it_stands_in(pointer: str, target: str) -> None:
    assert element_id_of(READ, pointer) == target


def test_without_an_analysis_a_pointer_leads_to_a_panel() -> None:
    assert element_id_of(None, "/choices/0") == "choices"
