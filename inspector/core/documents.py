"""The reference documents of the formats: comments give their numbers, rules their names."""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec


class Document(msgspec.Struct, frozen=True):
    """``name`` as the texts of rules have it; ``address`` None where none is known."""

    name: str
    about: str
    address: str | None = None


DOCUMENTS = {
    "000": Document(
        "WorkflowAI's reference",
        "chat completions with cost, duration and feedback tokens",
        "https://docs2.workflowai.com/reference/api-responses",
    ),
    "001": Document(
        "OpenAI's chat-completions reference",
        "chat completions and their chunks",
        "https://platform.openai.com/docs/api-reference/chat/object",
    ),
    "002": Document("the reasoning reference", "chat completions with reasoning and tools"),
    "003": Document(
        "FlowAPI's reference",
        "one envelope for the chat completions of many providers",
        "https://docs.flowapi.net/docs/api-reference/responses",
    ),
    "004": Document(
        "OpenAI's completions reference",
        "legacy text completions",
        "https://platform.openai.com/docs/api-reference/completions/object",
    ),
}

_ADDRESSES = {document.name: document.address for document in DOCUMENTS.values()}
_NAME = re.compile("|".join(map(re.escape, _ADDRESSES)))


def linked(text: str) -> Iterator[tuple[str, str | None]]:
    """The text in parts, each name of a document with its address."""
    end = 0
    for found in _NAME.finditer(text):
        if found.start() > end:
            yield text[end : found.start()], None
        yield found[0], _ADDRESSES[found[0]]
        end = found.end()
    if text[end:]:
        yield text[end:], None
