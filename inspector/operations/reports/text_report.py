"""The report of ``inspect`` for people: one response in full, several as a line each."""

import io
import os
import secrets
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import chain, islice
from typing import TextIO

from rich.console import Console

from inspector.core.completion import Result
from inspector.core.findings import Severity
from inspector.operations.reports import summary, terminal
from inspector.operations.reports.inspected_file import InspectedFile


def console_for(out: TextIO, no_color: bool, force_color: bool) -> Console:
    """Console without markup: model output is none. Replaces text that cannot be encoded."""
    if isinstance(out, io.TextIOWrapper):
        out.reconfigure(errors="backslashreplace")
    return Console(
        file=out,
        markup=False,
        highlight=False,
        emoji=False,
        no_color=no_color or None,
        force_terminal=force_color or None,
    )


def show_inputs(
    console: Console,
    inputs: Iterable[InspectedFile],
    are_several: bool,
    failing: frozenset[Severity],
    failing_results: frozenset[Result],
) -> None:
    """``are_several``: files were given; of one, too, several responses are told by lines."""
    with without_commands(console):
        rest = iter(inputs)
        # One file may hold many responses, and is read as it is shown.
        begun = list(islice(rest, 2))
        if are_several or len(begun) > 1:
            summary.show_summary(console, chain(begun, rest), failing, failing_results)
            return
        for one in begun:
            terminal.show_one(console, one)


@contextmanager
def without_commands(console: Console) -> Iterator[None]:
    # Any line of a job's log can be a workflow command, so model output is wrapped in
    # stop-commands.
    if os.environ.get("GITHUB_ACTIONS") != "true":
        yield
        return
    token = secrets.token_hex(16)
    console.print(f"::stop-commands::{token}", soft_wrap=True)
    try:
        yield
    finally:
        console.print(f"::{token}::", soft_wrap=True)
