"""Paths to values of JSON whose texts are overwritten: ``messages.*.content``, ``**.password``,
``$.user.email``, ``/choices/0/message``. ``*`` is any one step, ``**`` any number of them. A path
names everything below it.
"""

import re
from enum import StrEnum

from inspector.core.json.pointer import steps_of
from inspector.core.redaction.legible_text import legible

MAX_STEPS = 24
"""Requests and answers nest under ten levels."""
MAX_ANY = 3
"""Steps ``**`` of one path."""
ANY_STEP, ANY_STEPS = "*", "**"

PathStates = frozenset[int]
"""Which steps of a path may come next; the number of its steps once it has led to a value."""

# As in "\u00e4".
_ESCAPE = re.compile(r"\\u[0-9a-fA-F]{4}")
# As in "[0]", "[*]", "['a.b']".
_BRACKET = re.compile(r"\[(?:(\d+|\*)|'([^']*)'|\"([^\"]*)\")\]")


class PathFault(StrEnum):
    """Why a text is no path."""

    NO_PATH = "no_path"
    """It has something else than names, positions and wildcards: filters, slices, empty steps."""
    MANY_STEPS = "many_steps"
    EVERYTHING = "everything"
    """Wildcards alone name everything."""


class JsonPath:
    """A path, walked step by step from the root of a value down."""

    def __init__(self, steps: tuple[str, ...]) -> None:
        self.steps = steps

    def begin(self) -> PathStates:
        return self._with_skipped({0})

    def below(self, states: PathStates, name: str) -> PathStates:
        """Return the states at a member, in any form of Unicode, or at a position of a list."""
        if self.is_at_end(states):
            return states
        name = legible(name).text
        found = set()
        for at in states:
            step = self.steps[at]
            if step == ANY_STEPS:
                found.add(at)
            elif step in (ANY_STEP, name):
                found.add(at + 1)
        return self._with_skipped(found)

    def is_at_end(self, states: PathStates) -> bool:
        return len(self.steps) in states

    def _with_skipped(self, states: set[int]) -> PathStates:
        for at in sorted(states):
            while at < len(self.steps) and self.steps[at] == ANY_STEPS:
                at += 1
                states.add(at)
        return frozenset(states)


def parse_json_path(text: str) -> JsonPath | PathFault:
    steps = _steps(legible(text.strip()).text)
    if not steps or not all(steps) or any(map(_is_no_name, steps)):
        return PathFault.NO_PATH
    if len(steps) > MAX_STEPS or steps.count(ANY_STEPS) > MAX_ANY:
        return PathFault.MANY_STEPS
    if steps[-1] == ANY_STEPS:
        steps = steps[:-1]
    if not any(step not in (ANY_STEP, ANY_STEPS) for step in steps):
        return PathFault.EVERYTHING
    return JsonPath(tuple(steps))


def _is_no_name(step: str) -> bool:
    """Return True for filters, and for escapes: names are compared once theirs are undone."""
    return ("?" in step and "(" in step) or _ESCAPE.search(step) is not None


def _steps(text: str) -> list[str]:
    if text.startswith("/"):
        return list(steps_of(text))
    # ``..`` is any number of steps in JSONPath (RFC 9535).
    plain = text.removeprefix("$").replace("..", ".**.").removeprefix(".")
    dotted = _BRACKET.sub(lambda found: "." + next(filter(None, found.groups()), ""), plain)
    if "[" in dotted or "]" in dotted:
        return []
    return dotted.removeprefix(".").split(".")
