"""``replay``: answers requests as one recorded response. Needs no database for a file."""

import signal
import sys
from argparse import ArgumentParser
from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError

from inspector.core.wire.exchange import Exchange
from inspector.operations.replay import (
    SECOND_US,
    Fault,
    FaultKind,
    ReplayRefused,
    ReplayServer,
    plan_replay,
)
from inspector.operations.reports.input_files import InputFileError, load_input_file
from inspector.operations.reports.terminal_escape import escape_for_terminal

UNUSABLE = 2
FAULTS = {
    FaultKind.CUT: "break the connection after so many events",
    FaultKind.STALL: "send nothing more after so many events",
    FaultKind.GARBAGE: "send an event that is no JSON after so many events",
    FaultKind.STATUS: "answer with an error of this status",
}


class Command(BaseCommand):
    help = (
        "Answers any request as recorded: with the response in a file that inspect reads, or of a "
        "capture. The first line it prints is the base address for SDKs."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("source", metavar="FILE|CAPTURE", help="a file, or a capture's id")
        parser.add_argument("--port", type=int, default=0, help="default: a free one")
        parser.add_argument(
            "--speed", type=float, default=1.0, help="times as fast as recorded; 0: all at once"
        )
        parser.add_argument(
            "--slow-start", type=float, default=0.0, metavar="SECONDS", help="send nothing before"
        )
        faults = parser.add_mutually_exclusive_group()
        for kind, words in FAULTS.items():
            faults.add_argument(f"--{kind}", type=int, metavar="NUMBER", help=words)

    def handle(self, *, source: str, port: int, **options: Any) -> None:
        try:
            replay = plan_replay(
                exchange_of(source),
                speed=options["speed"],
                slow_start_us=round(options["slow_start"] * SECOND_US),
                fault=_fault(options),
            )
            server = ReplayServer(replay, port)
        except (InputFileError, ReplayRefused, OSError) as error:
            raise CommandError(escape_for_terminal(str(error)), returncode=UNUSABLE) from error
        for each in (signal.SIGTERM, signal.SIGINT):
            signal.signal(each, lambda *_: sys.exit())
        with server:
            self.stdout.write(server.base_url)
            self.stdout.flush()
            server.serve_forever()


def _fault(options: dict[str, Any]) -> Fault | None:
    given = ((kind, options[kind.replace("-", "_")]) for kind in FaultKind)
    return next((Fault(kind, number) for kind, number in given if number is not None), None)


def exchange_of(source: str) -> Exchange:
    """Raise ``InputFileError`` and ``ReplayRefused``."""
    try:
        capture_id = UUID(source)
    except ValueError:
        return load_input_file(source).exchange
    # Imported here: files are played where there is no archive.
    from inspector.archive.queries import Captures
    from inspector.teams.accounts import all_team_ids

    every_team = Captures(all_team_ids())
    capture = every_team.opened(capture_id, with_evidence=True)
    if capture is None or capture.is_recording or capture.row.body_deleted_at is not None:
        exchange = None
    else:
        exchange = capture.exchange
    if exchange is None:
        raise ReplayRefused(f"There is no capture {capture_id} with an answer that has ended.")
    return exchange
