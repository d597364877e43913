"""The options of a replay and its faults: parsed from an address, headers or a command line.

``OPTIONS`` is the list of all; documents and the API's description are made of it. Names stand as
they are in a query (``?cut-event=7``), behind a semicolon in the path (``;cut-event=7``, for base
addresses of SDKs, which have no query) and behind ``X-Inspector-Replay-`` in a header.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal
from urllib.parse import unquote

import msgspec

from inspector.replay import option_values as values

HEADER_PREFIX = "x-inspector-replay-"
LONGEST_STALL_SECONDS = 600
Pairs = Iterable[tuple[str, str]]
Position = int | Literal["any"]
"""A place in the body; ``any``: one that seed and request number choose."""
Split = int | Literal["utf8", "crlf", "bytes"]
Glue = int | Literal["all"]
CLIENT_PARAMETERS = frozenset({"$alt", "alt", "api-version", "beta", "key", "prettyPrint"})
"""What SDKs put into a query themselves. Any other name is refused: a fault that is misspelt must
not look like a client that copes with it.
"""


class ReplayOptions(msgspec.Struct, frozen=True, kw_only=True):
    """How an answer is replayed. None: not asked for."""

    speed: float = 1.0
    """0 sends everything at once."""
    jitter: float = 0.0
    """The largest share of each gap by which it is longer or shorter."""
    seed: int = 0
    cut_byte: Position | None = None
    """The connection breaks after so many bytes; likewise events, seconds of the recording."""
    cut_event: Position | None = None
    cut_second: float | None = None
    stall_byte: Position | None = None
    """Nothing comes for a while after so many bytes; likewise events."""
    stall_event: Position | None = None
    stall_seconds: float | None = None
    """None with a stall: until the caller leaves."""
    split: Split | None = None
    glue: Glue | None = None
    swap: Position | None = None
    """The number of the read that changes places with the next."""
    end_mark: Literal["drop", "double"] | None = None
    status: int | None = None
    """The status of an error in place of the answer."""
    status_times: int | None = None
    """The error is the answer to so many requests; None: to all."""
    retry_after: int | None = None
    content_type: str | None = None
    drop_header: tuple[str, ...] = ()
    add_header: tuple[tuple[str, str], ...] = ()


AS_RECORDED = ReplayOptions()


class InvalidOption(msgspec.Struct, frozen=True):
    """An option that cannot be met: unknown, out of bounds, or against another. ``bounds`` is a
    part of a sentence: what it may be.
    """

    name: str
    value: str
    bounds: str

    @property
    def message(self) -> str:
        return f"The option {self.name}={self.value[:80]} cannot be met: {self.bounds}."


class ReplayOption(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    bounds: str
    """What the value may be."""
    about: str
    """What it does, as a sentence."""
    parse: Callable[[str], Any]
    """Returns None for a value out of bounds."""
    default: str = ""
    is_repeatable: bool = False

    @property
    def field(self) -> str:
        return self.name.replace("-", "_")


OPTIONS: tuple[ReplayOption, ...] = (
    ReplayOption(
        name="speed",
        bounds="0, or from 0.25 to 16",
        about="How many times as fast as recorded; 0 sends everything at once.",
        parse=values.zero_or(values.number(0.25, 16)),
        default="1",
    ),
    ReplayOption(
        name="jitter",
        bounds="from 0 to 1",
        about="Each gap is longer or shorter by up to this share of it.",
        parse=values.number(0, 1),
        default="0",
    ),
    ReplayOption(
        name="seed",
        bounds="a whole number from 0 to 9,007,199,254,740,991",
        about="What is random follows from it and from the number of the request alone.",
        parse=values.integer(0, 2**53 - 1),
        default="0",
    ),
    ReplayOption(
        name="cut-byte",
        bounds="a whole number from 0 to the length of the body, or any",
        about="The connection breaks after so many bytes of the body.",
        parse=values.position,
    ),
    ReplayOption(
        name="cut-event",
        bounds="a whole number from 0 to the number of events, or any",
        about="The connection breaks after so many events: 7 sends the events 0 to 6.",
        parse=values.position,
    ),
    ReplayOption(
        name="cut-second",
        bounds="from 0 to the duration of the recording, where times were recorded",
        about="The connection breaks after so many seconds of the recording.",
        parse=values.number(0, 1e9),
    ),
    ReplayOption(
        name="stall-byte",
        bounds="a whole number from 0 to the length of the body, or any",
        about="Nothing comes for a while after so many bytes of the body.",
        parse=values.position,
    ),
    ReplayOption(
        name="stall-event",
        bounds="a whole number from 0 to the number of events, or any",
        about="Nothing comes for a while after so many events.",
        parse=values.position,
    ),
    ReplayOption(
        name="stall-seconds",
        bounds=f"from 0 to {LONGEST_STALL_SECONDS}",
        about="How long a stall is, whatever the speed. Without it until the caller leaves, at "
        f"most {LONGEST_STALL_SECONDS} seconds; then the connection breaks.",
        parse=values.number(0, LONGEST_STALL_SECONDS),
    ),
    ReplayOption(
        name="split",
        bounds="utf8, crlf, bytes, or a whole number from 1 to 1,048,576",
        about="Reads are cut inside each character of several bytes, between each CR and LF, "
        "after every byte, or into pieces of so many bytes.",
        parse=values.word_or(("utf8", "crlf", "bytes"), values.integer(1, 1 << 20)),
    ),
    ReplayOption(
        name="glue",
        bounds="all, or a whole number from 2 to 1,000,000",
        about="So many reads come as one, at the time of the last of them; or all.",
        parse=values.word_or(("all",), values.integer(2, 1_000_000)),
    ),
    ReplayOption(
        name="swap",
        bounds="a whole number from 0 to the number of reads less 2, or any",
        about="The read of this number, counted from 0, and the next change places.",
        parse=values.position,
    ),
    ReplayOption(
        name="end-mark",
        bounds="drop or double",
        about="What ends a stream of its format (`[DONE]`, `message_stop`, `response.completed`, "
        "the last line of Ollama …) is left out, or comes twice.",
        parse=values.word_or(("drop", "double")),
    ),
    ReplayOption(
        name="status",
        bounds="a whole number from 400 to 599",
        about="An error with this status and a body as the format's provider sends it.",
        parse=values.integer(400, 599),
    ),
    ReplayOption(
        name="status-times",
        bounds="a whole number from 1 to 1,000",
        about="So many requests get the error, the next ones the answer. Without it all get the "
        "error.",
        parse=values.integer(1, 1_000),
    ),
    ReplayOption(
        name="retry-after",
        bounds="a whole number from 0 to 3,600",
        about="The header Retry-After of the error, in seconds.",
        parse=values.integer(0, 3_600),
    ),
    ReplayOption(
        name="content-type",
        bounds="up to 200 characters of a header",
        about="The header Content-Type in place of the recorded one.",
        parse=values.header_value,
    ),
    ReplayOption(
        name="drop-header",
        bounds="names of headers, separated by commas",
        about="These headers are left out.",
        parse=values.header_names,
        is_repeatable=True,
    ),
    ReplayOption(
        name="add-header",
        bounds="a name and a value, separated by a colon; no header of the connection, and none "
        "that browsers apply to the whole site, such as Set-Cookie",
        about="This header is added.",
        parse=values.header_line,
        is_repeatable=True,
    ),
)
_BY_NAME = {option.name: option for option in OPTIONS}


def parse_options(
    query: Pairs = (),
    headers: Pairs = (),
    path: Pairs = (),
    defaults: ReplayOptions = AS_RECORDED,
) -> ReplayOptions | InvalidOption:
    """The options of a request. A header overrides the query, that the path, that ``defaults``.

    ``query`` and ``path`` are decoded; ``headers`` may be all of the request's, others than ours
    are passed over.
    """
    told: dict[str, Any] = {}
    query = list(query)
    queried = [pair for pair in query if pair[0] not in CLIENT_PARAMETERS]
    # Google's SDK takes the options off its base address and puts them behind ``?alt=sse``.
    moved = [value for name, value in query if name in CLIENT_PARAMETERS and ";" in value]
    path = [*path, *(pair for value in moved for pair in options_in_path(value)[1])]
    headed = [
        (name.lower().removeprefix(HEADER_PREFIX), value)
        for name, value in headers
        if name.lower().startswith(HEADER_PREFIX)
    ]
    for pairs in (path, queried, headed):
        parsed = _parsed(pairs)
        if isinstance(parsed, InvalidOption):
            return parsed
        told |= parsed
    options = msgspec.structs.replace(defaults, **told)
    return _contradiction(options) or options


def options_in_path(segment: str) -> tuple[str, tuple[tuple[str, str], ...]]:
    """Splits a segment of a path, ``<target>;speed=0;cut-event=7``, into target and options."""
    target, *parts = segment.split(";")
    pairs = (part.partition("=") for part in parts if part)
    return unquote(target), tuple((unquote(name), unquote(value)) for name, _, value in pairs)


def path_without_options(path: str) -> tuple[str, tuple[tuple[str, str], ...]]:
    """A path as it came, and the options of all its segments: some clients take what stands behind
    a semicolon off their base address and put it behind the whole. A segment that was nothing but
    options is left out.
    """
    kept, pairs = list[str](), list[tuple[str, str]]()
    for segment in path.split("/"):
        target, semicolon, _ = segment.partition(";")
        pairs += options_in_path(segment)[1]
        if target or not semicolon:
            kept.append(target)
    return "/".join(kept) or "/", tuple(pairs)


def _parsed(pairs: Pairs) -> dict[str, Any] | InvalidOption:
    found: dict[str, Any] = {}
    for name, text in pairs:
        option = _BY_NAME.get(name)
        if option is None:
            return InvalidOption(name, text, f"there are {', '.join(_BY_NAME)}")
        if option.field in found and not option.is_repeatable:
            return InvalidOption(name, text, "it may be given once")
        value = option.parse(text)
        if value is None:
            return InvalidOption(name, text, f"it may be {option.bounds}")
        found[option.field] = (
            (*found.get(option.field, ()), *value) if option.is_repeatable else value
        )
    return found


def _contradiction(options: ReplayOptions) -> InvalidOption | None:
    given = {
        option.name: getattr(options, option.field)
        for option in OPTIONS
        if getattr(options, option.field) not in (None, ())
    }
    for name, others in _EXCLUDED.items():
        if name in given and (other := next((each for each in others if each in given), None)):
            return InvalidOption(name, str(given[name]), f"it excludes {other}")
    for name, needed in _NEEDED.items():
        if name in given and not any(each in given for each in needed):
            return InvalidOption(name, str(given[name]), f"it needs {' or '.join(needed)}")
    return _unreachable_cut(given)


def _unreachable_cut(given: Mapping[str, Any]) -> InvalidOption | None:
    """Refuses a cut behind a stall without end: nothing comes there that could be cut."""
    is_endless = _is_stalled(given) and "stall-seconds" not in given
    cut = next((name for name in ("cut-byte", "cut-event", "cut-second") if name in given), None)
    if cut is None or not is_endless:
        return None
    return InvalidOption(cut, str(given[cut]), "with a stall it needs stall-seconds")


def _is_stalled(given: Mapping[str, Any]) -> bool:
    return "stall-byte" in given or "stall-event" in given


_EXCLUDED: Mapping[str, tuple[str, ...]] = {
    "cut-byte": ("cut-event", "cut-second"),
    "cut-event": ("cut-second",),
    "stall-byte": ("stall-event",),
    "split": ("glue",),
    # Where reads changed places, the events are others.
    "swap": ("cut-event", "stall-event"),
}
_NEEDED: Mapping[str, tuple[str, ...]] = {
    "stall-seconds": ("stall-byte", "stall-event"),
    "status-times": ("status",),
    "retry-after": ("status",),
}
