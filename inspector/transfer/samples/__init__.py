"""Sample captures for an empty archive, all written for this project."""

from collections.abc import Iterator
from pathlib import Path

from inspector.archive.intake.exchange_envelope import exchange_of, read_envelope
from inspector.archive.intake.submission import Submission
from inspector.core.wire.exchange import Exchange

RECORDINGS = Path(__file__).parent / "recordings"
TAG = "sample"
NOTES = {
    "error-in-stream": "error in mid-stream",
    "cut-off": "cut off",
    "workflowai": "WorkflowAI with a feedback token",
    "responses": "web search with a citation",
    "reasoning": "reasoning, then the answer",
    "anthropic": "thinking, text, tool call",
    "broken-arguments": "parallel tool calls, one broken",
    "two-choices": "two choices, interleaved",
}
"""Notes on what each recording shows; the most interesting is last, so that it tops the list."""


def samples() -> Iterator[Submission]:
    for name, note in NOTES.items():
        yield sample(note, recording(name))


def recording(name: str, folder: Path = RECORDINGS) -> Exchange:
    """Load a response with its times: an exchange envelope, as the API takes it."""
    return exchange_of(read_envelope((folder / f"{name}.json").read_bytes()))


def sample(note: str, exchange: Exchange) -> Submission:
    """Its metadata keep it out of the sums."""
    return Submission(exchange=exchange, tags=(TAG,), note=note, metadata={TAG: True})
