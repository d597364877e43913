import json
import shlex
from base64 import b64encode
from typing import Any

import pytest
from msgspec import UNSET

from inspector.core.analysis import Verdict
from inspector.core.completion import Choice
from inspector.dashboard.capture.feedback.panel import (
    MAX_CHOICES,
    FeedbackDisplay,
    FeedbackTokenDisplay,
    draw,
)
from tests.dashboard.capture.samples import analysis, view

SAID = b64encode(b'{"t":7,"u":"summarise","r":"run-1"}').decode()
SIGNED = f"{SAID}.{b64encode(bytes(32)).decode()}"


def drawn(*choices: Choice, **changes: Any) -> FeedbackDisplay:
    content = draw(view(analysis(*choices, **{"dialect": "workflowai", **changes}))).content
    assert isinstance(content, FeedbackDisplay)
    return content


def token(text: str, **changes: Any) -> FeedbackTokenDisplay:
    (stated,) = drawn(Choice(index=0, feedback_token=text), **changes).choices
    assert stated.token is not None
    return stated.token


def test_money_and_seconds_stand_as_they_were_stated() -> None:
    choices = (
        Choice(index=0, feedback_token="fb0", cost_usd="0.0012340", duration_seconds="2.340"),
        Choice(index=1, feedback_token=None, cost_usd=None),
    )
    panel = draw(view(analysis(*choices, dialect="workflowai")))
    first, second = panel.content.choices
    assert (first.cost_usd, first.duration_seconds) == ("0.0012340", "2.340")
    assert (second.cost_usd, second.duration_seconds) == ("null", "not sent")
    assert first.token and second.token is None
    assert panel.count == "1"


def test_what_stands_in_place_of_a_cost_is_shown_and_called_no_amount() -> None:
    for sent, said in (("0.0075", '"0.0075": not an amount'), (True, "true: not an amount")):
        choice = Choice(index=0, extras={"/cost_usd": sent})
        panel = draw(view(analysis(choice, dialect="workflowai")))
        [stated] = panel.content.choices
        assert (stated.cost_usd, stated.cost_sent) == (said, True)


def test_a_token_says_what_nobody_verified() -> None:
    found = token(SIGNED)
    assert "only the server that signed it" in found.issuer
    told = [(part.name, part.meaning, part.value[0].text) for part in found.parts]
    assert told == [("t", "tenant", "7"), ("u", "task", '"summarise"'), ("r", "run", '"run-1"')]


@pytest.mark.parametrize(
    "text, said",
    [(SAID, "without a key"), ("fb_8YMn_0", "documentation"), ("whatever", "Unknown format.")],
)
def test_who_could_have_issued_it_is_told_by_its_form(text: str, said: str) -> None:
    assert said in token(text).issuer


def test_an_unknown_token_names_the_vendor_that_the_body_is_like() -> None:
    assert "like WorkflowAI's" in token("whatever", vendor="workflowai").issuer


@pytest.mark.parametrize("text", [SIGNED, 'it\'s "$(quoted)" \\ \n `x`', "a\u202eb\x00", "\ud800"])
def test_the_command_carries_the_token_unharmed(text: str) -> None:
    words = shlex.split(token(text).command.replace("\\\n", ""))
    assert words[:4] == ["curl", "-X", "POST", "$ISSUER/v1/feedback"]
    assert json.loads(words[-1]) == {"feedback_token": text, "outcome": "positive"}


def test_a_text_without_end_is_no_token_to_copy() -> None:
    found = token("x" * 5_000)
    assert (found.more, found.command) == (4_000, "")


@pytest.mark.parametrize(
    "sent, changes, why",
    [
        (None, {}, "none: null was sent"),
        ("", {}, "none: empty string was sent"),
        (7, {}, "none: 7 is not a text"),
        (UNSET, {}, "not sent"),
        (UNSET, {"dialect": "openai-chat"}, "not sent: openai-chat does not define one"),
        (UNSET, {"verdict": Verdict.CUT_OFF},
         "not sent: it comes with the last chunk, and the stream is cut-off"),
    ],
)  # fmt: skip
def test_a_choice_without_a_token_says_why(sent: Any, changes: dict[str, Any], why: str) -> None:
    (stated,) = drawn(Choice(index=0, feedback_token=sent, cost_usd="1"), **changes).choices
    assert stated.token is None and stated.why_none == why


def test_choices_beyond_the_page_are_a_link_away() -> None:
    choices = [Choice(index=n, feedback_token=f"fb_a_{n}") for n in range(MAX_CHOICES + 2)]
    content = drawn(*choices)
    assert (len(content.choices), content.more, content.tokens) == (50, 2, 52)
    read = analysis(*choices, dialect="workflowai")
    rest = draw(view(read, query_params={"feedback_from": str(content.following)})).content
    assert [each.index for each in rest.choices] == [50, 51] and not rest.more


def test_a_capture_that_states_nothing_says_so() -> None:
    choice = Choice(index=0)
    assert "does not define feedback tokens" in draw(view(analysis(choice))).why_empty
    assert "stated cost" in draw(view(analysis(choice, dialect="workflowai"))).why_empty
