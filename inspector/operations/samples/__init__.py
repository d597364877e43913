"""Sample captures for an empty archive, all written for this project."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from inspector.archive.intake.exchange_envelope import exchange_of, read_envelope
from inspector.archive.intake.submission import Submission
from inspector.core.wire.exchange import Exchange

DOCUMENTS = Path(__file__).parent / "documents"
RECORDINGS = Path(__file__).parent / "recordings"
TAG = "sample"
NOTES = {
    "error-in-stream": "error in mid-stream",
    "cut-off": "cut off",
    "logprobs": "logprobs",
    "refusal": "refusal",
    "workflowai": "WorkflowAI with a feedback token",
    "ollama": "Ollama, line by line",
    "gemini": "Gemini: thought, text, function call",
    "responses": "Responses: web search with a citation",
    "reasoning": "reasoning, then the answer",
    "anthropic": "Anthropic: thinking, text, tool call",
    "broken-arguments": "parallel tool calls, one broken",
    "two-choices": "two choices, interleaved",
}
"""What each recording shows; the most interesting one is last, so that it tops the list."""


def samples() -> Iterator[Submission]:
    yield from documents()
    for name, note in NOTES.items():
        yield _sample(note, recording(name))


def documents() -> Iterator[Submission]:
    """Examples of the reference documents, and responses composed from their field tables."""
    for path in sorted(DOCUMENTS.iterdir(), reverse=True):
        yield _sample(f"document {path.stem.partition('-')[0]}", document(path.name))


def document(name: str) -> Exchange:
    """Loads one file as a response without times."""
    return Exchange.of_body((DOCUMENTS / name).read_bytes(), "application/json")


def recording(name: str) -> Exchange:
    """Loads a response with its times: an exchange envelope, as the API takes it."""
    return exchange_of(read_envelope((RECORDINGS / f"{name}.json").read_bytes()))


def _sample(note: str, exchange: Exchange) -> Submission:
    return Submission(exchange=exchange, tags=(TAG,), note=note)
