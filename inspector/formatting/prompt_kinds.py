"""Words for the kinds of parts of a prompt."""

from __future__ import annotations

from inspector.core.prompt.prompt import PromptPartKind

KIND_WORDS = {
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
