"""Runs the test suite.

Tests without a browser, and beside them, one or two at a time, the fault tests, pages in Chromium,
the marked tests on PostgreSQL and Redis, scripts in Node: each waits at times, which leaves a
processor to the other.

The browser tests get a pytest process of their own: Playwright's synchronous API keeps an event
loop running in the main thread, and Django refuses database calls beside one.
"""

import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import IO

from development import chromium, costs, node, scripts, servers
from development.runs import (
    TEST_DATABASE_URL,
    TEST_REDIS_URL,
    USAGE_ERROR,
    Counts,
    Run,
    exit_code_of,
    pytest,
    pytest_twice,
)
from development.selection import Parts, Request, requested, split

Ask = Callable[..., Run]
"""Runs pytest, once or twice."""
Outcome = Run | str
"""A run that has ended, or what could not be tested and why."""
Output = IO[bytes] | None
"""Where a run prints; None is the terminal."""
Part = Callable[[Ask, Output], Iterator[Outcome]]
BESIDE, BESIDE_OF_ALL = 2, 1
"""Parts that run beside the first. In the second tier one: among more, what fault tests wait for
comes too late.
"""
NOT_HERE = f", for they are not here: {servers.HOW_TO_GET_THEM}"


class Refusal(Exception):
    """An error the person at the terminal can fix, in one line."""


def run(arguments: Sequence[str]) -> int:
    """Run what ``arguments`` select (by default the first tier); returns the exit code."""
    try:
        return run_requested(requested(arguments))
    except Refusal as refusal:
        print(f"manage.py test: {refusal}", file=sys.stderr)
        return USAGE_ERROR


def run_requested(request: Request) -> int:
    started = time.monotonic()
    outcomes = [*all_outcomes(request)]
    runs = [each for each in outcomes if isinstance(each, Run)]
    if not request.paths:
        costs.tell(runs, costs.aims() if request == Request() else {})
    untested = [each for each in outcomes if isinstance(each, str)]
    tell(runs, time.monotonic() - started, untested)
    return exit_code_of(runs)


def all_outcomes(request: Request) -> Iterator[Outcome]:
    """Run the parts; the first to the terminal, others beside it, to be shown afterwards."""
    ask = pytest_twice if request.is_twice else pytest
    first, *others = wanted(split(request))
    if request.is_watched:
        for part in (first, *others):
            yield from part(ask, None)
        return
    with ThreadPoolExecutor(BESIDE_OF_ALL if request.is_all else BESIDE) as threads:
        beside = [threads.submit(kept_back, part, ask) for part in others]
        yield from first(ask, None)
        for each in beside:
            outcomes, output = each.result()
            print(output, end="")
            yield from outcomes


def kept_back(part: Part, ask: Ask) -> tuple[list[Outcome], str]:
    with tempfile.TemporaryFile() as output:
        outcomes = [*part(ask, output)]
        output.seek(0)
        return outcomes, output.read().decode(errors="replace")


def wanted(parts: Parts) -> list[Part]:
    every = (
        (on_sqlite, parts.sqlite),
        (struck, parts.faults),
        (in_chromium, parts.pages),
        (on_servers, parts.production),
        (in_node, parts.scripts),
    )
    return [partial(part, arguments) for part, arguments in every if arguments is not None]


def on_sqlite(arguments: list[str], ask: Ask, output: Output) -> Iterator[Outcome]:
    yield accepted(ask("SQLite", arguments, output=output))


def in_chromium(arguments: list[str], ask: Ask, output: Output) -> Iterator[Outcome]:
    if chromium.find_or_install() is None:
        yield f"the pages, for there is no Chromium: {chromium.HOW_TO_GET_IT}"
    else:
        yield accepted(ask("pages", arguments, output=output))


def on_servers(arguments: list[str], ask: Ask, output: Output) -> Iterator[Outcome]:
    with production() as addresses:
        if addresses is None:
            yield f"PostgreSQL and Redis{NOT_HERE}"
        else:
            yield accepted(ask("PostgreSQL and Redis", arguments, addresses, output=output))


def struck(arguments: list[str], ask: Ask, output: Output) -> Iterator[Outcome]:
    """Run the fault tests, which start servers of their own, whatever servers were chosen."""
    if servers.find_or_install() is None:
        yield f"what breaks servers{NOT_HERE}"
    else:
        yield accepted(ask("faults", arguments, output=output))


def in_node(arguments: list[str], ask: Ask, output: Output) -> Iterator[Outcome]:
    yield scripts.run(arguments, output) or f"the scripts that need no page, for {node.MISSING}"


def accepted(run: Run) -> Run:
    if run.complaint:
        raise Refusal(run.complaint.partition("error: ")[2] or run.complaint)
    return run


@contextmanager
def production() -> Iterator[Mapping[str, str] | None]:
    """Yield the chosen test servers, else private ones, or None if there are none.

    Never servers that merely run here, because they hold somebody's data.
    """
    given = {name: os.environ.get(name, "") for name in (TEST_DATABASE_URL, TEST_REDIS_URL)}
    for name, url in given.items():
        if url and (trouble := servers.trouble_at(url)):
            raise Refusal(f"{name}: {trouble}")
    programs = None if all(given.values()) else servers.find_or_install()
    if programs is None:
        yield given if all(given.values()) else None
        return
    with ExitStack() as ending:
        if not given[TEST_DATABASE_URL]:
            given[TEST_DATABASE_URL] = ending.enter_context(servers.postgresql(programs))
        if not given[TEST_REDIS_URL]:
            given[TEST_REDIS_URL] = ending.enter_context(servers.redis_server(programs))
        yield given


def tell(runs: list[Run], seconds: float, untested: list[str]) -> None:
    """Print a line per run and a total in pytest's format; what was left out is listed last."""
    total = sum((run.counts for run in runs), Counts())
    for run in runs:
        print(run)
    print(f"{f' all tests: {total} in {seconds:.2f}s ':=^80}", flush=True)
    for run in runs:
        for test in run.flaky:
            print(f"FLAKY: {test} failed, and passed when it was asked once more", flush=True)
    for reason, count in sorted(total.skipped.items()):
        untested.append(f"{count} tests: {reason}")
    for what in untested:
        print(f"NOT TESTED: {what}", flush=True)
