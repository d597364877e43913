"""The commands that talk to an installation, and how one is run."""

import sys
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Sequence
from importlib import import_module
from typing import Protocol, cast

from inspector.installation import COMMAND_LINE, PROGRAM
from inspector.operations.remote.client import RemoteError

SUMMARIES = {
    "send": "Sends files to an installation: responses, exports, HAR, batch outputs, JSONL, logs.",
    "tee": "Passes a response on as it streams, and keeps it with its times.",
    "list": "Lists captures of an installation that match a query.",
    "show": "Shows a capture: result, verdict, text, calls, findings.",
    "watch": "Prints captures of an installation as they come.",
    "export": "Fetches all captures of a query as one file; a download goes on where it broke.",
    "delete": "Deletes all captures of a query for good, if they are as many as you say.",
}
UNUSABLE = 2


class RemoteCommand(Protocol):
    """The parts of a module in this folder that is a command."""

    EXAMPLES: Sequence[tuple[str, str]]

    def add_arguments(self, parser: ArgumentParser) -> None: ...

    def run(self, options: Namespace) -> int: ...


def is_remote(argv: Sequence[str]) -> bool:
    """Tell whether the arguments of a program are for one of these commands, or for its help."""
    return _name(argv) in SUMMARIES


def run_remote(argv: Sequence[str]) -> int:
    """Return the exit code: 0, 1 where something was not kept, 2 where the command cannot do its
    work.
    """
    name, arguments = _name(argv), list(argv[2:])
    if argv[1] == "help":
        arguments = ["--help"]
    command = command_of(name)
    options = command_parser(name, command).parse_args(arguments)
    try:
        return command.run(options)
    except RemoteError as error:
        print(f"{PROGRAM} {name}: {error}", file=sys.stderr)
        return UNUSABLE


def command_of(name: str) -> RemoteCommand:
    return cast(RemoteCommand, import_module(f"inspector.operations.remote.{name}"))


def command_parser(name: str, command: RemoteCommand) -> ArgumentParser:
    parser = ArgumentParser(
        prog=f"{COMMAND_LINE} {name}",
        description=SUMMARIES[name],
        epilog="\n".join(["examples:", *_examples(command)]),
        formatter_class=RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    command.add_arguments(parser)
    return parser


def _examples(command: RemoteCommand) -> list[str]:
    lines = []
    for example, words in command.EXAMPLES:
        is_pipe = "{program}" in example
        line = example.format(program=COMMAND_LINE) if is_pipe else f"{COMMAND_LINE} {example}"
        lines.append(f"  {line}\n      {words}")
    return lines


def _name(argv: Sequence[str]) -> str:
    given = list(argv[1:3])
    if given[:1] == ["help"]:
        given = given[1:]
    return given[0] if given else ""
