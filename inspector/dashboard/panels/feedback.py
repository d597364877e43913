"""Feedback tokens, with what the vendor states of each choice beside them."""

from __future__ import annotations

from dataclasses import dataclass

from msgspec import UNSET

from inspector.core.completion import Choice
from inspector.dashboard.capture_view import CaptureView
from inspector.dashboard.marks import Segment, exact
from inspector.dashboard.panel import Drawn, Panel
from inspector.dashboard.panels import unread
from inspector.dashboard.wire import wire_word


@dataclass(frozen=True, slots=True)
class Stated:
    """One choice; ``*_sent`` is False where the word stands for something that was not."""

    index: int
    token: tuple[Segment, ...]
    token_sent: bool
    cost_usd: str
    cost_sent: bool
    duration_seconds: str
    duration_sent: bool


def draw(view: CaptureView) -> Drawn:
    if view.analysis is None or unread(view):
        return Drawn(why_empty=unread(view))
    if not any(states(choice) for choice in view.analysis.choices):
        return Drawn(why_empty=why_empty(view))
    content = tuple(stated(choice) for choice in view.analysis.choices)
    tokens = sum(choice.token_sent for choice in content)
    return Drawn(str(tokens) if tokens else "no token", content)


def why_empty(view: CaptureView) -> str:
    dialect = view.analysis and view.analysis.dialect
    if dialect is None or dialect == "workflowai":
        return "No choice carries a feedback token, a stated cost or a stated duration."
    return f"No choice carries a feedback token; {dialect} does not define one."


def states(choice: Choice) -> bool:
    fields = (choice.feedback_token, choice.cost_usd, choice.duration_seconds)
    return any(field is not UNSET for field in fields)


def stated(choice: Choice) -> Stated:
    return Stated(
        index=choice.index,
        token=exact(wire_word(choice.feedback_token)),
        token_sent=is_sent(choice.feedback_token),
        cost_usd=wire_word(choice.cost_usd),
        cost_sent=is_sent(choice.cost_usd),
        duration_seconds=wire_word(choice.duration_seconds),
        duration_sent=is_sent(choice.duration_seconds),
    )


def is_sent(value: object) -> bool:
    return value is not UNSET and value is not None and value != ""


PANEL = Panel(position=80, slug="feedback", title="Feedback", draw=draw)
