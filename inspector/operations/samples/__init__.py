"""Responses to look at before the first own one arrives, all written for this project."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from inspector.archive.intake import Arrival
from inspector.core.exchange import Exchange
from inspector.operations.samples import recordings
from inspector.operations.samples.composer import whole

DOCUMENTS = Path(__file__).parent / "documents"
TAG = "sample"


def samples() -> Iterator[Arrival]:
    """Every sample, the one worth looking at first last, so that it stands on top of the list."""
    yield from documents()
    yield _sample("error in mid-stream", recordings.error_in_stream())
    yield _sample("cut off", recordings.cut_off())
    yield _sample("logprobs", recordings.logprobs())
    yield _sample("refusal", recordings.refusal())
    yield _sample("WorkflowAI with a feedback token", recordings.workflowai())
    yield _sample("reasoning, then the answer", recordings.reasoning())
    yield _sample("parallel tool calls, one broken", recordings.broken_arguments())
    yield _sample("two choices, interleaved", recordings.two_choices())


def documents() -> Iterator[Arrival]:
    """The examples of the reference documents, and answers written after their field tables."""
    for path in sorted(DOCUMENTS.iterdir(), reverse=True):
        yield _sample(f"document {path.stem.partition('-')[0]}", document(path.name))


def document(name: str) -> Exchange:
    """One file as a response; nobody timed it."""
    return whole((DOCUMENTS / name).read_bytes(), asked=None)


def _sample(note: str, exchange: Exchange) -> Arrival:
    return Arrival(exchange=exchange, tags=(TAG,), note=note)
