"""Every app of ours answers each event of a capture, or has a reason not to."""

from collections.abc import Mapping
from typing import Any

import pytest
from django.apps import apps
from django.db.models import Model

from inspector.archive import events
from inspector.archive.models import Capture
from tests.archive.telling import tell_only

EVENTS = ("inspected", "noted", "rewritten", "body_deleted", "deleted")
ANSWERS = True
"""Or the reason why an app does not."""
KEEPS_NOTHING = dict.fromkeys(EVENTS, "keeps nothing of captures")
BY_ITSELF = dict.fromkeys(EVENTS, "makes the change, and its own rows with it")
TABLE: Mapping[str, Mapping[str, bool | str]] = {
    "inspector.teams": KEEPS_NOTHING,
    "inspector.archive": BY_ITSELF,
    "inspector.usage": {
        "inspected": ANSWERS,
        "noted": "prices nothing that people write",
        "rewritten": "is told of the new reading by ``inspected``",
        "body_deleted": "sums and prices are metadata, which stay",
        "deleted": ANSWERS,
    },
    "inspector.feedback": {
        "inspected": ANSWERS,
        "noted": "votes do not depend on notes",
        "rewritten": "is told of the new reading by ``inspected``",
        "body_deleted": "votes are about the answer, whose metadata stay; tokens are kept as hashes",
        "deleted": ANSWERS,
    },
    "inspector.search": {
        "inspected": ANSWERS,
        "noted": ANSWERS,
        "rewritten": "is told of the new reading by ``inspected``",
        "body_deleted": ANSWERS,
        "deleted": ANSWERS,
    },
    "inspector.telemetry": {
        "inspected": ANSWERS,
        "noted": "notes do not go out",
        "rewritten": "what waits is an id: a span is made of what is there when it goes out",
        "body_deleted": "as for ``rewritten``",
        "deleted": ANSWERS,
    },
    "inspector.transfer": {
        "inspected": "an export holds what was read when it was written, and says so by its time",
        "noted": "as for ``inspected``",
        "rewritten": ANSWERS,
        "body_deleted": ANSWERS,
        "deleted": ANSWERS,
    },
    "inspector.sharing": {
        "inspected": "a link shows what is there",
        "noted": "as for ``inspected``",
        "rewritten": "as for ``inspected``",
        "body_deleted": "as for ``inspected``",
        "deleted": ANSWERS,
    },
    "inspector.sessions": {
        "inspected": ANSWERS,
        "noted": "sessions do not depend on notes",
        "rewritten": "is told of the new reading by ``inspected``",
        "body_deleted": ANSWERS,
        "deleted": ANSWERS,
    },
    "inspector.work": KEEPS_NOTHING,
    "inspector.dashboard": KEEPS_NOTHING,
    "inspector.operations": KEEPS_NOTHING,
    "api": KEEPS_NOTHING,
}


def answers_of(app: str) -> set[str]:
    told = {each.__name__.removesuffix(".subscriber"): each for each in events.subscribers()}
    return {event for event in EVENTS if hasattr(told.get(app), event)}


def test_every_app_of_ours_is_in_the_table() -> None:
    ours = [each.name for each in apps.get_app_configs() if each.name.startswith("inspector.")]
    assert {*ours, "api"} == TABLE.keys()


@pytest.mark.parametrize("app", TABLE)
def test_an_app_answers_or_has_a_reason(app: str) -> None:
    assert TABLE[app].keys() == {*EVENTS}
    wanted = {event for event, answer in TABLE[app].items() if answer is ANSWERS}
    assert answers_of(app) == wanted


def test_an_app_that_keeps_nothing_has_no_row_that_leads_to_a_capture() -> None:
    keeping = {
        model._meta.app_config.name for model in apps.get_models() if leads_to_captures(model)
    }
    silent = {app for app, answers in TABLE.items() if answers is KEEPS_NOTHING}
    assert not keeping & silent and "inspector.sharing" in keeping


def leads_to_captures(model: type[Model]) -> bool:
    return any(field.related_model is Capture for field in model._meta.get_fields())


def test_apps_are_told_in_the_order_in_which_they_lock() -> None:
    told = [each.__name__.split(".")[1] for each in events.subscribers()]
    assert told == ["usage", "feedback", "search", "telemetry", "transfer", "sharing", "sessions"]


@pytest.mark.parametrize("event", ["rewritten", "body_deleted", "deleted"])
def test_what_ended_is_added_up(monkeypatch: pytest.MonkeyPatch, event: str) -> None:
    first = events.Ended(feedback_votes=2, shares=1)
    one: Any = {event: lambda captures: first}
    tell_only(monkeypatch, **one)
    assert getattr(events, event)([]) == first
    tell_only(monkeypatch, **dict.fromkeys(one, lambda captures: None))
    assert getattr(events, event)([]) == events.Ended()
    tell_only(monkeypatch)
    assert getattr(events, event)([]) == events.Ended()
