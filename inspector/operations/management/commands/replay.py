"""``replay``: answers requests with recorded responses from files. Needs no database."""

from __future__ import annotations

import socket
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from inspector.core.prompt_digest import prompt_sha256
from inspector.operations.replaying.answer_files import FileAnswer, load_answers
from inspector.operations.reports.input_files import InputFileError
from inspector.operations.reports.terminal_escape import escape_for_terminal
from inspector.replay.options import OPTIONS, InvalidOption, ReplayOptions, parse_options

UNUSABLE = 2


class Command(BaseCommand):
    help = (
        "Answers requests as recorded: files or folders as inspect reads them, and HAR. One answer "
        "is given to any request; of several the one that fits. The first line it prints is the "
        "base address for SDKs."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("path", nargs="+", metavar="FILE")
        parser.add_argument("--host", default="127.0.0.1", help="address to listen on")
        parser.add_argument("--port", type=int, default=0, help="default: a free one")
        parser.add_argument(
            "--option",
            action="append",
            default=[],
            metavar="NAME=VALUE",
            help="an option of every request that does not give it itself, such as speed=0; "
            f"repeatable; there are {', '.join(option.name for option in OPTIONS)}",
        )
        parser.add_argument(
            "--until-input-ends",
            action="store_true",
            help="end when standard input does: with the program that holds it open",
        )

    def handle(self, *, path: list[str], **options: Any) -> None:
        # uvicorn is imported by nobody else here.
        from inspector.operations.replaying.app import FileReplayApp
        from inspector.operations.replaying.server import serve

        app = FileReplayApp(_answers(path), prompt_sha256, _options(options["option"]))
        with _listen(options["host"], options["port"]) as listener:
            host, port = listener.getsockname()[:2]
            shown = f"[{host}]" if ":" in host else host
            serve(
                app,
                listener,
                until_input_ends=options["until_input_ends"],
                ready=lambda: print(f"http://{shown}:{port}/v1", flush=True),
            )


def _answers(paths: list[str]) -> list[FileAnswer]:
    try:
        return load_answers(paths, prompt_sha256)
    except InputFileError as error:
        raise CommandError(escape_for_terminal(str(error)), returncode=UNUSABLE) from error


def _options(given: list[str]) -> ReplayOptions:
    pairs = ((name, value) for name, _, value in (each.partition("=") for each in given))
    options = parse_options(path=pairs)
    if isinstance(options, InvalidOption):
        raise CommandError(escape_for_terminal(options.message), returncode=UNUSABLE)
    return options


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family)
    except OSError as error:
        message = f"cannot listen on {host}, port {port}: {error.strerror or error}"
        raise CommandError(escape_for_terminal(message), returncode=UNUSABLE) from error
