"""Sample captures for an empty archive, all written for this project."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from inspector.archive.intake.submission import Submission
from inspector.core.wire.exchange import Exchange
from inspector.operations.samples import part_recordings, recordings
from inspector.operations.samples.composer import whole_response

DOCUMENTS = Path(__file__).parent / "documents"
TAG = "sample"


def samples() -> Iterator[Submission]:
    """Yields every sample; the most interesting one is last, so that it tops the list."""
    yield from documents()
    yield _sample("error in mid-stream", recordings.error_in_stream())
    yield _sample("cut off", recordings.cut_off())
    yield _sample("logprobs", recordings.logprobs())
    yield _sample("refusal", recordings.refusal())
    yield _sample("WorkflowAI with a feedback token", recordings.workflowai())
    yield _sample("Ollama, line by line", part_recordings.ollama())
    yield _sample("Gemini: thought, text, function call", part_recordings.gemini())
    yield _sample("Responses: web search with a citation", part_recordings.responses())
    yield _sample("reasoning, then the answer", recordings.reasoning())
    yield _sample("Anthropic: thinking, text, tool call", part_recordings.anthropic())
    yield _sample("parallel tool calls, one broken", recordings.broken_arguments())
    yield _sample("two choices, interleaved", recordings.two_choices())


def documents() -> Iterator[Submission]:
    """Examples of the reference documents, and responses composed from their field tables."""
    for path in sorted(DOCUMENTS.iterdir(), reverse=True):
        yield _sample(f"document {path.stem.partition('-')[0]}", document(path.name))


def document(name: str) -> Exchange:
    """Loads one file as a response without times."""
    return whole_response((DOCUMENTS / name).read_bytes(), request_fields=None)


def _sample(note: str, exchange: Exchange) -> Submission:
    return Submission(exchange=exchange, tags=(TAG,), note=note)
