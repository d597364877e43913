"""Tools that a request offers, one line each with description and schema folded."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from inspector.core.json.layout import lay_out
from inspector.core.request.prompt.prompt import PromptText, PromptTool
from inspector.dashboard.capture.prompt.prompt_messages import PromptMemberDisplay, member_displays
from inspector.dashboard.text.folded_text import FoldedText, TextFolder
from inspector.formatting.humanize import plural
from inspector.formatting.invisible_characters import TextSegment, exact_segments


@dataclass(frozen=True, slots=True)
class ToolDisplay:
    name: tuple[TextSegment, ...]
    facts: tuple[str, ...]
    called: str
    """How often the answer calls it."""
    description: FoldedText | None
    schema: FoldedText | None
    why_no_schema: str
    extras: tuple[PromptMemberDisplay, ...]


def tool_displays(
    tools: Iterable[PromptTool], calls: Mapping[str, int], folder: TextFolder
) -> tuple[ToolDisplay, ...]:
    return tuple(tool_display(tool, calls.get(tool.name, 0), folder) for tool in tools)


def tool_display(tool: PromptTool, calls: int, folder: TextFolder) -> ToolDisplay:
    return ToolDisplay(
        name=exact_segments(tool.name or "no name"),
        facts=tuple(tool_facts(tool)),
        called={0: "", 1: "called once", 2: "called twice"}.get(calls, f"called {calls:,} times"),
        description=folder.fold(tool.description.head) if tool.description else None,
        schema=folder.fold(laid_out(tool.schema), 2_000) if tool.schema else None,
        why_no_schema="" if tool.schema or tool.is_cache_point else "No schema was sent.",
        extras=member_displays(tool.extras, folder),
    )


def tool_facts(tool: PromptTool) -> list[str]:
    facts = [] if tool.type in ("", "function", tool.name) else [tool.type]
    if tool.properties is not None:
        required = f", {tool.required} required" if tool.required else ""
        facts.append(f"{plural(tool.properties, 'property', 'properties')}{required}")
    if tool.is_strict:
        facts.append("strict")
    return facts


def laid_out(schema: PromptText) -> str:
    """Its JSON over several lines; as it is where it is not whole."""
    if schema.length > len(schema.head):
        return f"{schema.head}…"
    return lay_out(schema.head) or schema.head
