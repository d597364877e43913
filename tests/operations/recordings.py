"""Recordings beside the samples: in more formats, and those of the reference documents."""

from collections.abc import Iterator
from pathlib import Path

from inspector.archive.intake.submission import Submission
from inspector.core.wire.exchange import Exchange
from inspector.transfer import samples
from inspector.transfer.samples import sample

DOCUMENTS = Path(__file__).parent / "documents"
RECORDED = Path(__file__).parent / "recorded"


def recordings() -> Iterator[Submission]:
    """Yields the documents, what was recorded beside the samples, and every sample."""
    yield from documents()
    for path in sorted(RECORDED.iterdir()):
        yield sample(path.stem, recording(path.stem))
    yield from samples.samples()


def documents() -> Iterator[Submission]:
    """Examples of the reference documents, and responses composed from their field tables."""
    for path in sorted(DOCUMENTS.iterdir(), reverse=True):
        yield sample(f"document {path.stem.partition('-')[0]}", document(path.name))


def document(name: str) -> Exchange:
    """Loads one file as a response without times."""
    return Exchange.of_body((DOCUMENTS / name).read_bytes(), "application/json")


def recording(name: str) -> Exchange:
    return samples.recording(name, RECORDED)
