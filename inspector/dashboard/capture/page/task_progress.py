"""How far a task of a capture is, as its page shows it."""

from __future__ import annotations

from dataclasses import dataclass

from inspector.archive.inspection.capture_tasks import TooManyTasks

WAITING = "Waits for its turn."
CONFLICT = 409


@dataclass(frozen=True, slots=True)
class TaskProgress:
    """``total``: None before the task was begun. ``counted``: both numbers in words, ``label`` what
    they count.
    """

    words: str
    done: int = 0
    total: int | None = None
    label: str = ""
    counted: str = ""


def too_many_sentence(refused: TooManyTasks) -> str:
    return f"{refused.limit} tasks of the team are under way: try again when some of them are done."
