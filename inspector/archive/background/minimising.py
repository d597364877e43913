"""The task that minimises a capture for one of its findings: the smallest form that still has it
becomes a capture of its own.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated
from uuid import UUID

import msgspec

from inspector.archive.background.task_steps import (
    STEP_SECONDS,
    StepFinished,
    StepGoesOn,
    StepOutcome,
    TaskStep,
    read_in_process,
)
from inspector.archive.intake.minimised import store_minimised
from inspector.archive.member_types import Count, codes
from inspector.archive.readers.operations import (
    MinimisationStart,
    MinimisationStep,
    minimisation_step,
)
from inspector.core.minimisation.minimiser import Minimisation
from inspector.core.minimisation.parts import PASSES

MAX_STEPS = 300
"""About five minutes, however long a single try takes."""


class MinimisationEnding(StrEnum):
    """How a minimisation ended."""

    MINIMAL = "minimal"
    """Nothing more can be removed."""
    LIMIT = "limit"
    """It ended at a limit: something smaller may exist."""
    NOTHING_REMOVED = "nothing-removed"
    """The body is as small as it gets already; nothing was stored."""
    NOT_FOUND = "not-found"
    """By the current rules the capture has no such finding."""


class MinimisationResult(msgspec.Struct, frozen=True, kw_only=True):
    """What a minimisation found. Lengths are in bytes, content codings undone."""

    ending: Annotated[str, codes(MinimisationEnding)]
    capture: UUID | None = None
    """The smaller form, stored as a capture; null if there is none, or it was deleted."""
    bytes_before: Count = 0
    bytes_now: Count = 0
    request_bytes_before: Count = 0
    request_bytes_now: Count = 0
    tries: Count = 0


class MinimisingPosition(msgspec.Struct, frozen=True):
    """How far a task is, and how many steps that took."""

    state: Minimisation
    steps: int


def minimise_capture(given: TaskStep) -> StepOutcome:
    """One step of the task (``task_steps.StepFunction``)."""
    before = given.position
    so_far = msgspec.msgpack.decode(before, type=MinimisingPosition) if before else None
    state = _advanced(given, so_far)
    if state is None:
        return StepFinished(MinimisationResult(ending=MinimisationEnding.NOT_FOUND), 0)
    steps = so_far.steps + 1 if so_far else 1
    progress = progress_of(state)
    if not state.is_done and steps < MAX_STEPS:
        position = msgspec.msgpack.encode(MinimisingPosition(state, steps))
        return StepGoesOn(position, state.tries, None, progress)
    result = _result(given, state)
    if result.ending == MinimisationEnding.NOTHING_REMOVED:
        return StepFinished(result, state.tries, progress)
    return StepFinished(result, state.tries, progress, lambda: _stored(given, state, result))


def progress_of(state: Minimisation) -> dict[str, int | str]:
    return {
        "stage": PASSES[state.place.pass_number],
        "bytes_before": state.bytes_before,
        "bytes_now": state.bytes_now,
    }


def _advanced(given: TaskStep, so_far: MinimisingPosition | None) -> Minimisation | None:
    start = MinimisationStart(given.exchange, given.task.code, given.task.pointer)
    step = MinimisationStep(so_far.state if so_far else start, STEP_SECONDS)
    found: Minimisation | None = read_in_process(minimisation_step, step)
    return found


def _result(given: TaskStep, state: Minimisation) -> MinimisationResult:
    return MinimisationResult(
        ending=_ending(given, state),
        bytes_before=state.bytes_before,
        bytes_now=state.bytes_now,
        request_bytes_before=state.request_bytes_before,
        request_bytes_now=state.request_bytes_now,
        tries=state.tries,
    )


def _ending(given: TaskStep, state: Minimisation) -> MinimisationEnding:
    is_complete = state.is_done and not state.is_exhausted
    if _is_smaller(given, state):
        return MinimisationEnding.MINIMAL if is_complete else MinimisationEnding.LIMIT
    return MinimisationEnding.NOTHING_REMOVED


def _is_smaller(given: TaskStep, state: Minimisation) -> bool:
    # Of a compressed body the length alone tells nothing: undoing its coding makes it longer.
    is_changed = state.exchange.body != given.exchange.body
    is_shorter = is_changed and state.bytes_now < state.bytes_before
    return is_shorter or state.request_bytes_now < state.request_bytes_before


def _stored(given: TaskStep, state: Minimisation, result: MinimisationResult) -> MinimisationResult:
    """Stores the capture in the transaction that ends the task."""
    capture_id = store_minimised(given.capture, given.task.code, state.exchange)
    return msgspec.structs.replace(result, capture=capture_id)
