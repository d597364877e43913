"""The texts of a request that the search in a capture finds, each with its place on the page."""

from collections.abc import Iterator, Mapping

from inspector.core.json import Json
from inspector.core.request.prompt.messages import placed_messages, read_message
from inspector.core.request.prompt.prompt import (
    PromptMember,
    PromptMessage,
    PromptPart,
    RequestState,
    walk_parts,
)
from inspector.core.request.prompt.reading import WINDOW, first_shown, prompt_of
from inspector.core.request.prompt.request_body import ReadRequest
from inspector.dashboard.capture.page.capture_view import CaptureView
from inspector.dashboard.capture.page.urls import page_url
from inspector.dashboard.capture.prompt.prompt_messages import message_anchor, message_title

MAX_MESSAGES = 2_000
"""Messages that are searched; what is behind them is found in the request as it was sent."""

Text = tuple[str, str, str]
"""Name, place on the page, text."""


def prompt_texts(view: CaptureView) -> Iterator[Text]:
    sent = view.request.body if view.request else None
    if not sent:
        return
    body = view.request_body
    if body is None:
        yield "request body", "#prompt", sent.decode(errors="replace")
        return
    yield from texts_of_messages(view, body)
    found = prompt_of(ReadRequest(RequestState.WHOLE, body), count=0)
    for tool in found.tools:
        described = (tool.description, tool.schema)
        texts = (tool.name, *(each.head for each in described if each))
        yield "tool offered", "#prompt-tools", " ".join(texts)
    for parameter in found.parameters:
        yield "parameter", "#prompt-parameters", member_words(parameter)


def texts_of_messages(view: CaptureView, body: Mapping[str, Json]) -> Iterator[Text]:
    placed = list(placed_messages(body))
    for number, each in enumerate(placed[:MAX_MESSAGES]):
        message = read_message(number, each, body)
        href = message_href(view, number, len(placed))
        name = f"prompt {number + 1} {message_title(message)}"
        yield from ((name, href, text) for text in texts_of_message(message))
    if len(placed) > MAX_MESSAGES:
        sent = (view.request.body if view.request else None) or b""
        yield "request body", "#prompt", sent.decode(errors="replace")


def texts_of_message(message: PromptMessage) -> Iterator[str]:
    for part in walk_parts(message.parts):
        yield from texts_of_part(part)
    yield from map(member_words, message.extras)


def texts_of_part(part: PromptPart) -> Iterator[str]:
    named = " ".join(filter(None, (part.name, part.id)))
    yield from filter(None, (named, part.text.head if part.text else ""))
    if part.media is not None and part.media.address:
        yield part.media.address
    yield from map(member_words, part.extras)


def member_words(member: PromptMember) -> str:
    return f"{member.name}: {member.value.head}"


def message_href(view: CaptureView, number: int, total: int) -> str:
    """Return the message on the page; of many the page shows those around it."""
    anchor = message_anchor(number)
    first = first_shown(view.number("prompt"), total)
    if first <= number < first + WINDOW or not view.is_stored:
        return f"#{anchor}"
    return page_url(view, anchor, prompt=number - number % WINDOW)
