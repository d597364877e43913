"""Prompt panel: what the request gave the model to read, its tools and its parameters."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from inspector.core.fields.finish_reasons import meaning_of
from inspector.core.formats.finish_meaning import FinishMeaning
from inspector.core.request.prompt.prompt import (
    PromptMember,
    PromptMessage,
    PromptPart,
    PromptPartKind,
    PromptReading,
    RequestState,
    walk_parts,
)
from inspector.core.request.prompt.reading import WINDOW, PromptRequest, read_prompt
from inspector.core.request.request_params import TOKEN_LIMITS
from inspector.dashboard.capture.head.similar import SamePromptLinks, same_prompt_links
from inspector.dashboard.capture.page.capture_view import CaptureView
from inspector.dashboard.capture.page.panel_body import Panel, PanelBody
from inspector.dashboard.capture.prompt.prompt_messages import (
    MessageDisplay,
    PromptMemberDisplay,
    member_displays,
    message_displays,
)
from inspector.dashboard.capture.prompt.prompt_tools import ToolDisplay, tool_displays
from inspector.dashboard.text.folded_text import FoldedText, TextFolder
from inspector.formatting.humanize import plural

MAX_TOOLS_IN_SIGHT = 4
MAX_ON_PAGE = 400_000
"""Characters of all texts together."""
UNKNOWN = "Only the response was stored: the request is not known."
NO_BODY = "The request was sent along without its body."
COUNTED = (
    (PromptPartKind.IMAGE, "image"),
    (PromptPartKind.AUDIO, "sound"),
    (PromptPartKind.VIDEO, "video"),
    (PromptPartKind.FILE, "file"),
)
USUALLY_SENT = (
    ("temperature", ("temperature",)),
    ("top_p", ("top_p", "topP", "p")),
    ("a limit of tokens", tuple(path[-1] for path in TOKEN_LIMITS)),
)
"""Parameters that are named where they were not sent."""


@dataclass(frozen=True, slots=True)
class PromptDisplay:
    facts: tuple[str, ...]
    """Such as ``4 messages``, ``3 tools``: what stands in the panel, where that is folded."""
    notes: tuple[str, ...]
    """Sentences about a body that could not be read to its end."""
    text: FoldedText | None
    """The beginning of a body that is no JSON object."""
    messages: tuple[MessageDisplay, ...]
    start: int
    total: int
    tools: tuple[ToolDisplay, ...]
    tool_total: int
    tools_left_out: int
    parameters: tuple[PromptMemberDisplay, ...]
    parameters_left_out: int
    not_sent: str
    """Names of usual parameters that were not sent."""
    is_folded: bool
    """None of the messages was asked for by number: the last is what the model answered to."""
    same: SamePromptLinks | None
    """Other captures of it; None for whoever has a link to this one alone."""

    @property
    def earlier_messages(self) -> tuple[MessageDisplay, ...]:
        return self.messages[:-1] if self.is_folded else ()

    @property
    def messages_in_sight(self) -> tuple[MessageDisplay, ...]:
        return self.messages[-1:] if self.is_folded else self.messages

    @property
    def is_part(self) -> bool:
        return self.total > len(self.messages)

    @property
    def are_tools_folded(self) -> bool:
        return len(self.tools) > MAX_TOOLS_IN_SIGHT

    @property
    def end(self) -> int:
        return self.start + len(self.messages)

    @property
    def earlier(self) -> int:
        return max(self.start - WINDOW, 0)

    @property
    def last(self) -> int:
        return max(self.total - WINDOW, 0)


def draw(view: CaptureView) -> PanelBody:
    if view.request is None:
        return PanelBody(why_empty=UNKNOWN)
    if view.request.body is None:
        return PanelBody(why_empty=NO_BODY)
    found = read_prompt(PromptRequest(view.request.body, view.number("prompt")))
    if found.state is RequestState.EMPTY:
        return PanelBody(why_empty="The body of the request is empty.")
    return PanelBody(f"{found.total:,}", prompt_display(view, found))


def prompt_display(view: CaptureView, found: PromptReading) -> PromptDisplay:
    folder = TextFolder(MAX_ON_PAGE)
    return PromptDisplay(
        facts=tuple(facts_of(view, found)),
        notes=tuple(notes_of(view, found)),
        text=folder.fold(found.text.head) if found.text else None,
        messages=message_displays(found.messages, folder),
        start=found.messages[0].number if found.messages else 0,
        total=found.total,
        tools=tool_displays(found.tools, calls_by_name(view), folder),
        tool_total=found.tool_total,
        tools_left_out=found.tools_left_out,
        parameters=member_displays(found.parameters, folder, lambda each: limit_note(view, each)),
        parameters_left_out=found.parameter_total - len(found.parameters),
        not_sent=not_sent_words(found),
        is_folded=view.number("prompt") is None,
        same=None if view.facts.share else same_prompt_links(view.facts),
    )


def facts_of(view: CaptureView, found: PromptReading) -> Iterator[str]:
    if found.total:
        yield plural(found.total, "message")
    kinds = Counter(part.kind for part in every_part(found.messages))
    # Of a part of the messages their number would be taken for that of all.
    if len(found.messages) == found.total:
        yield from (plural(kinds[kind], word) for kind, word in COUNTED if kinds[kind])
    if found.tool_total:
        yield plural(found.tool_total, "tool")


def every_part(messages: tuple[PromptMessage, ...]) -> Iterator[PromptPart]:
    for message in messages:
        yield from walk_parts(message.parts)


def notes_of(view: CaptureView, found: PromptReading) -> Iterator[str]:
    whole = view.request.total_bytes if view.request else None
    if whole is not None and view.request is not None:
        kept = len(view.request.body or b"")
        yield f"Of the request’s {whole:,} bytes the first {kept:,} were kept."
    if found.state is RequestState.MENDED:
        steps = "; ".join(found.steps)
        yield f"The body is JSON only once it is mended: {steps[:1].lower()}{steps[1:]}."
    if found.state is RequestState.BROKEN:
        yield broken_words(found)
    if found.state is RequestState.NO_JSON:
        yield "The body is not JSON; this is its beginning."
    if found.state is RequestState.NO_OBJECT:
        yield "The body is JSON, but not an object, so it has no fields to read a prompt from."
    if found.state not in (RequestState.NO_JSON, RequestState.NO_OBJECT) and not found.total:
        yield "No field of the request is known to hold a prompt; its other fields are listed."


def broken_words(found: PromptReading) -> str:
    characters = plural(found.broken_at or 0, "character")
    if found.is_limited:
        return f"The body is long: only its first {characters} are read."
    if found.is_cut:
        return f"The body is cut off after {characters}: shown is what comes before."
    return f"After {characters} the body is not JSON any more: shown is what comes before."


def calls_by_name(view: CaptureView) -> Counter[str]:
    """Return the number of calls of each tool in the answer."""
    choices = view.analysis.choices if view.analysis else ()
    names = [call.name for choice in choices for call in choice.tool_calls]
    names += [choice.function_call.name for choice in choices if choice.function_call]
    return Counter(name for name in names if isinstance(name, str))


def limit_note(view: CaptureView, parameter: PromptMember) -> str:
    """Tell of a limit of tokens that it was reached."""
    if tuple(parameter.name.split(".")) not in TOKEN_LIMITS or view.analysis is None:
        return ""
    reasons = (choice.finish_reason for choice in view.analysis.choices)
    is_reached = any(meaning_of(reason) is FinishMeaning.LENGTH for reason in reasons)
    return "reached" if is_reached else ""


def not_sent_words(found: PromptReading) -> str:
    """In a body that was not read to its end nothing is known to be missing."""
    if found.state not in (RequestState.WHOLE, RequestState.MENDED) or not found.total:
        return ""
    sent = {parameter.name.rpartition(".")[2] for parameter in found.parameters}
    missing = [words for words, names in USUALLY_SENT if sent.isdisjoint(names)]
    return ", ".join(missing)


PANEL = Panel(position=5, slug="prompt", title="Prompt", draw=draw)
