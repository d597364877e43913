from inspector.core.completion import Choice
from inspector.dashboard.panels.feedback import draw
from tests.dashboard.captured import analysis, view


def test_money_and_seconds_stand_as_they_were_stated() -> None:
    choices = (
        Choice(index=0, feedback_token="fb0", cost_usd="0.0012340", duration_seconds="2.340"),
        Choice(index=1, feedback_token=None, cost_usd=None),
    )
    panel = draw(view(analysis(*choices, dialect="workflowai")))
    first, second = panel.content
    assert (first.cost_usd, first.duration_seconds) == ("0.0012340", "2.340")
    assert (second.cost_usd, second.duration_seconds) == ("null", "not sent")
    assert not second.token_sent
    assert panel.count == "1"


def test_a_capture_that_states_nothing_says_so() -> None:
    choice = Choice(index=0)
    assert "does not define one" in draw(view(analysis(choice))).why_empty
    assert "stated cost" in draw(view(analysis(choice, dialect="workflowai"))).why_empty
