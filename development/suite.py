"""Runs the test suite.

In order: tests without a browser, pages in Chromium, the marked tests on PostgreSQL and Redis,
scripts in Node; the fault tests run beside these, because they mostly wait.

The browser tests get a pytest process of their own: Playwright's synchronous API keeps an event
loop running in the main thread, and Django refuses database calls beside one.
"""

import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager

from development import chromium, node, scripts, servers
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
DEAREST = 10
MOST_SECONDS = 600
"""Seconds of a processor that the default tier may take, servers aside: five minutes on two."""
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
    untested: list[str] = []
    runs = all_runs(request, untested)
    if not request.paths:
        tell_costs(runs)
    if request == Request():
        took = sum(run.processor_seconds for run in runs)
        print(f"{took:7.0f} s of a processor in all; the default tier may take {MOST_SECONDS} s")
    tell(runs, time.monotonic() - started, untested)
    return exit_code_of(runs)


def all_runs(request: Request, untested: list[str]) -> list[Run]:
    parts = split(request)
    is_alone = request.is_watched or not (parts.sqlite or parts.pages or parts.production)
    ask = pytest_twice if request.is_twice else pytest
    with faults(parts, is_alone, untested, ask) as struck:
        runs = [*others(parts, untested, ask)]
    return runs + struck


def others(parts: Parts, untested: list[str], ask: Ask) -> Iterator[Run]:
    if parts.sqlite is not None:
        yield accepted(ask("SQLite", parts.sqlite))
    if parts.pages is not None:
        path = chromium.find_or_install()
        if path is None:
            untested.append(f"the pages, for there is no Chromium: {chromium.HOW_TO_GET_IT}")
        else:
            yield accepted(ask("pages", parts.pages, {"CHROMIUM_PATH": path}))
    if parts.production is not None:
        with production() as addresses:
            if addresses is None:
                untested.append(f"PostgreSQL and Redis{NOT_HERE}")
            else:
                yield accepted(ask("PostgreSQL and Redis", parts.production, addresses))
    if parts.scripts is not None:
        run = scripts.run(parts.scripts)
        if run is None:
            untested.append(f"the scripts that need no page, for {node.MISSING}")
        else:
            yield run


def accepted(run: Run) -> Run:
    if run.complaint:
        raise Refusal(run.complaint.partition("error: ")[2] or run.complaint)
    return run


@contextmanager
def faults(parts: Parts, is_alone: bool, untested: list[str], ask: Ask) -> Iterator[list[Run]]:
    """Run the fault tests beside the block (after it if alone); their run joins the yielded list.

    They start servers of their own, whatever servers were chosen.
    """
    runs: list[Run] = []
    if parts.faults is None:
        yield runs
    elif servers.find_or_install() is None:
        untested.append(f"what breaks servers{NOT_HERE}")
        yield runs
    elif is_alone:
        yield runs
        runs.append(accepted(ask("faults", parts.faults)))
    else:
        with tempfile.TemporaryFile() as output, ThreadPoolExecutor(1) as thread:
            run = thread.submit(ask, "faults", parts.faults, output=output)
            yield runs
            runs.append(run.result())
            output.seek(0)
            sys.stdout.write(output.read().decode(errors="replace"))


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


def tell_costs(runs: list[Run]) -> None:
    """Print the processor time of tests: of each folder, and of the dearest modules."""
    seconds = sum((run.counts for run in runs), Counts()).seconds
    folders: Counter[str] = Counter()
    for module, took in seconds.items():
        # A module is named as ``tests.core.test_tape``.
        folders["/".join(module.split(".")[:2])] += took
    for name, took in (*folders.most_common(), *seconds.most_common(DEAREST)):
        print(f"{took:7.0f} s  {name}")


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
