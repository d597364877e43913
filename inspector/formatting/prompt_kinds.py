"""Words for parts of a prompt: their kinds, and the size of an image."""

from collections.abc import Mapping

from inspector.core.request.prompt.prompt import PromptPartKind

KIND_WORDS: Mapping[str, str] = {
    PromptPartKind.TEXT: "text",
    PromptPartKind.REASONING: "reasoning",
    PromptPartKind.REFUSAL: "refusal",
    PromptPartKind.TOOL_CALL: "tool call",
    PromptPartKind.TOOL_RESULT: "tool result",
    PromptPartKind.IMAGE: "image",
    PromptPartKind.AUDIO: "sound",
    PromptPartKind.VIDEO: "video",
    PromptPartKind.FILE: "file",
    PromptPartKind.UNKNOWN: "JSON",
}


def pixel_words(pixels: tuple[int, int] | None) -> str:
    """``1,240 × 1,754``; empty where the size is not known."""
    return f"{pixels[0]:,} × {pixels[1]:,}" if pixels else ""
