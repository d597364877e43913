"""The text that ``help`` prints: our own commands, each with what it does."""

import re
from collections.abc import Iterator, Mapping

from django.core.management import ManagementUtility, get_commands, load_command_class

from inspector.installation import COMMAND_LINE
from inspector.operations.remote.commands import SUMMARIES

OWN_APPS = "inspector."
WIDTH = 100
"""As of our own lines; a narrower terminal wraps them."""
# As in "Sends files." of "Sends files. Ends with 1 if …".
FIRST_SENTENCE = re.compile(r".+?[.:](?=\s|$)", re.DOTALL)
EXAMPLES = (
    ("up", "start everything, on SQLite, and print how to sign in"),
    ("run -- claude", "run a program and capture its calls to models, with an archive or without"),
    ("inspect answer.json --fail-on error", "check a response without an archive"),
    ("send calls.har", "send responses to an installation, from any file that is read"),
    ("COMMAND --help", "what a command takes"),
)


class CommandUtility(ManagementUtility):
    """Django's, with an overview for those who run Response Inspector and not for its authors."""

    def main_help_text(self, commands_only: bool = False) -> str:
        if commands_only:
            return super().main_help_text(commands_only=True)
        return "\n".join(overview(get_commands()))


def overview(commands: Mapping[str, object]) -> Iterator[str]:
    """Lines for a terminal; ``commands`` is an app's name by the name of the command."""
    own = sorted(name for name, app in commands.items() if str(app).startswith(OWN_APPS))
    yield f"Usage: {COMMAND_LINE} COMMAND [options] [--data-dir DIRECTORY]"
    yield ""
    yield from _columns(EXAMPLES)
    yield ""
    yield "Commands that talk to an installation (INSPECTOR_URL, INSPECTOR_KEY)"
    yield from _columns((name, words.rstrip(".")) for name, words in SUMMARIES.items())
    yield ""
    yield "Commands of an installation"
    yield from _columns((name, _first_sentence(str(commands[name]), name)) for name in own)


def _columns(rows: Iterator[tuple[str, str]] | tuple[tuple[str, str], ...]) -> Iterator[str]:
    kept = [*rows]
    width = max(len(name) for name, _ in kept)
    for name, text in kept:
        room = WIDTH - width - 4
        yield f"  {name:{width}}  {text if len(text) <= room else text[: room - 1] + '…'}"


def _first_sentence(app: str, name: str) -> str:
    text = " ".join(load_command_class(app, name).help.split())
    found = FIRST_SENTENCE.match(text)
    return (found[0] if found else text).rstrip(".:")
