"""The plan of one replay: what is sent, when, and how it ends. The same for the same answer,
options and number of the request.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import StrEnum
from functools import partial

import msgspec

from inspector.core.wire.exchange import Clock, Headers, TransportOutcome
from inspector.replay import read_edits
from inspector.replay.answer_headers import answer_headers, error_headers
from inspector.replay.body_faults import FaultyBody, OptionRefused, faulty_body
from inspector.replay.body_layout import BodyLayout, layout_of
from inspector.replay.error_bodies import error_answer
from inspector.replay.options import LONGEST_STALL_SECONDS, InvalidOption, ReplayOptions
from inspector.replay.recorded_answer import RecordedAnswer
from inspector.replay.schedule import SECOND_US, Schedule, schedule_of


class PlanEnding(StrEnum):
    WHOLE = "whole"
    CUT = "cut"
    """The connection breaks: no end of the body is sent."""
    STALL = "stall"
    """Nothing more comes until the caller leaves, or the end's time; then the connection breaks."""


class Step(msgspec.Struct, frozen=True):
    """One send. ``at_us`` counts from the moment the whole request had come."""

    at_us: int
    data: bytes


class PlanHead(msgspec.Struct, frozen=True):
    """All but the bytes: what a process needs that plays the steps of another."""

    status: int
    headers: Headers
    """Names in lower case. Without ``content-length`` the server finds its own way."""
    at_us: int
    """When status and headers go: with the first read, since nothing tells when they came."""
    ending: PlanEnding
    end_at_us: int
    """When the body ends, breaks, or a stall is given up."""
    is_from_first: bool = False
    """Only arrivals were recorded: times count from the first read, whenever that goes."""


class Plan(msgspec.Struct, frozen=True):
    head: PlanHead
    steps: tuple[Step, ...]


def plan(
    answer: RecordedAnswer,
    options: ReplayOptions,
    request_number: int,
    layout: Callable[[], BodyLayout] | None = None,
) -> Plan | InvalidOption:
    """Plans the answer to a request. ``request_number`` counts from 0 the requests for this answer
    with these options. ``layout`` tells the events of the answer, where that is known already;
    it is asked for only if a fault needs it.
    """
    layout = layout or partial(layout_of, answer)
    if options.status and request_number < (options.status_times or request_number + 1):
        return _error(answer, options, options.status, layout)
    try:
        body = faulty_body(answer, options, request_number, layout)
        schedule = schedule_of(answer, options, request_number, body.reads)
    except OptionRefused as refusal:
        return refusal.option
    return _planned(answer, options, body, schedule)


def _error(
    answer: RecordedAnswer,
    options: ReplayOptions,
    status: int,
    layout: Callable[[], BodyLayout],
) -> Plan:
    """An error goes at once and whole: the faults of the body are for the answer behind it."""
    error = error_answer(answer.dialect or layout().dialect, status)
    headers = error_headers(answer, options, error)
    return Plan(PlanHead(status, headers, 0, PlanEnding.WHOLE, 0), (Step(0, error.body),))


def _planned(
    answer: RecordedAnswer, options: ReplayOptions, body: FaultyBody, schedule: Schedule
) -> Plan:
    steps = tuple(_steps(schedule, body, options))
    at_us = schedule.times_us[0] if schedule.times_us else schedule.end_us
    last_us = steps[-1].at_us if steps else at_us
    ending, end_at_us = _ending(answer, options, body, schedule, last_us)
    headers = answer_headers(answer, options, body)
    is_from_first = answer.clock is Clock.PARTIAL
    end_at_us = max(end_at_us, last_us)
    head = PlanHead(answer.status, headers, at_us, ending, end_at_us, is_from_first)
    return Plan(head, steps)


def _steps(schedule: Schedule, body: FaultyBody, options: ReplayOptions) -> Iterator[Step]:
    stop = _stop(schedule, body, options)
    breaks = {*body.splits, *(at for at in (stop, body.stall) if at is not None)}
    at = 0
    for number, data in read_edits.cut_at(schedule.reads, sorted(breaks)):
        if stop is not None and at >= stop:
            return
        if data:
            is_behind_stall = body.stall is not None and at >= body.stall
            delay_us = _stall_us(options) if is_behind_stall else 0
            yield Step(schedule.times_us[number] + delay_us, data)
        at += len(data)


def _stop(schedule: Schedule, body: FaultyBody, options: ReplayOptions) -> int | None:
    """The byte from which on nothing comes any more."""
    if body.stall is not None and options.stall_seconds is None:
        return body.stall
    return schedule.cut if schedule.cut is not None else body.cut


def _stall_us(options: ReplayOptions) -> int:
    return round((options.stall_seconds or 0) * SECOND_US)


def _ending(
    answer: RecordedAnswer,
    options: ReplayOptions,
    body: FaultyBody,
    schedule: Schedule,
    last_us: int,
) -> tuple[PlanEnding, int]:
    """Returns how the answer ends, and the time of it in microseconds."""
    stop = _stop(schedule, body, options)
    if body.stall is not None and options.stall_seconds is None:
        return PlanEnding.STALL, last_us + LONGEST_STALL_SECONDS * SECOND_US
    is_stalled = body.stall is not None and (stop is None or body.stall <= stop)
    delay_us = _stall_us(options) if is_stalled else 0
    if schedule.cut is not None:
        return PlanEnding.CUT, schedule.cut_us + delay_us
    if stop is not None:
        # What was sent behind the stall came late already.
        return PlanEnding.CUT, last_us + (delay_us if stop == body.stall else 0)
    is_broken = answer.outcome is not TransportOutcome.ENDED
    return PlanEnding.CUT if is_broken else PlanEnding.WHOLE, schedule.end_us + delay_us
