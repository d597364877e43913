"""The reference documents: comments cite them by number, messages by name."""

import re
from collections.abc import Iterator

import msgspec


class ReferenceDocument(msgspec.Struct, frozen=True):
    """A reference document. ``name`` is used in messages; ``address`` is its URL or None."""

    name: str
    about: str
    address: str | None = None


REFERENCE_DOCUMENTS = {
    "000": ReferenceDocument(
        "WorkflowAI's reference",
        "chat completions with cost, duration and feedback tokens",
        "https://docs2.workflowai.com/reference/api-responses",
    ),
    "001": ReferenceDocument(
        "OpenAI's chat-completions reference",
        "chat completions and their chunks",
        "https://platform.openai.com/docs/api-reference/chat/object",
    ),
    "002": ReferenceDocument(
        "the reasoning reference", "chat completions with reasoning and tools"
    ),
    "003": ReferenceDocument(
        "FlowAPI's reference",
        "one envelope for the chat completions of many providers",
        "https://docs.flowapi.net/docs/api-reference/responses",
    ),
    "004": ReferenceDocument(
        "OpenAI's completions reference",
        "legacy text completions",
        "https://platform.openai.com/docs/api-reference/completions/object",
    ),
}

_ADDRESSES = {document.name: document.address for document in REFERENCE_DOCUMENTS.values()}
# As in "WorkflowAI's reference", in the message of a finding.
_NAME = re.compile("|".join(map(re.escape, _ADDRESSES)))


def linked(text: str) -> Iterator[tuple[str, str | None]]:
    """Split a text at the names of documents; each part comes with its URL, or None."""
    end = 0
    for found in _NAME.finditer(text):
        if found.start() > end:
            yield text[end : found.start()], None
        yield found[0], _ADDRESSES[found[0]]
        end = found.end()
    if text[end:]:
        yield text[end:], None
