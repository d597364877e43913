"""Finds what a model's own template writes around calls and turns, left over in a text by a server
that did not parse it.

A marker counts with what the template writes behind it, and never in code: an answer may speak
about such markup.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import StrEnum
from typing import NamedTuple

_WORD = r"[\w.:/-]{1,100}"
# What begins a call, by the model families that write it. As in: <tool_call>{"name": …  (Hermes,
# Qwen), <tool_call>get_weather<arg_key> (GLM), <function=get_weather> (Qwen, Llama),
# <invoke name="f"><parameter (Claude, MiniMax, DeepSeek), [TOOL_CALLS][{ and [TOOL_CALLS]f[ARGS]{
# (Mistral), <|tool_call|>[{ (Phi, Granite), <|python_tag|>{ (Llama), <|tool_call_begin|> (Kimi),
# <｜tool▁call▁begin｜> (DeepSeek), <|channel|>commentary to=functions.f (gpt-oss).
_CALL = rf"""
    <tool_call>\s*+(?:\{{\s*+"|<function=|{_WORD}\s*+<arg_key>)
  | <function={_WORD}>\s*+(?:<parameter=|\{{|</function>)
  | <(?:\w{{1,20}}:|｜DSML｜)?(?:tool_call|function_calls)>\s*+<(?:\w{{1,20}}:|｜DSML｜)?invoke\s
  | <(?:\w{{1,20}}:|｜DSML｜)?invoke\ name="{_WORD}">\s*+<(?:\w{{1,20}}:|｜DSML｜)?parameter\s
  | \[TOOL_CALLS\]\s*+(?:\[\s*+\{{|{_WORD}\s*+(?:\[(?:CALL_ID|ARGS)\]|\{{))
  | <\|tool_call(?:s)?\|>\s*+[\[{{]
  | <\|python_tag\|>\s*+[\w{{]
  | <\|tool_calls_section_begin\|> | <\|tool_call_begin\|>
  | <｜tool▁calls▁begin｜> | <｜tool▁call▁begin｜>
  | <\|channel\|>(?:commentary|analysis)\ to={_WORD}
"""
# Signs of turns and channels. One that ends a turn counts where a text or another sign ends.
_TURN = r"""
    <\|channel\|>\s*+(?:analysis|commentary|final)[^<\n]{0,100}<\|message\|>
  | <\|start\|>(?:assistant|user|system|tool)
  | <\|im_start\|>(?:assistant|user|system|tool)
  | <\|start_header_id\|>\w
  | (?<![ \t])(?:<\|(?:im_end|eot_id|eom_id|end|return|call|endoftext|end_of_text)\|>
      |<｜end▁of▁sentence｜>|<end_of_turn>)(?=\s*+(?:\Z|<[|｜]))
"""
_MARKER = re.compile(f"(?P<call>{_CALL})|(?P<turn>{_TURN})", re.VERBOSE)
_SIGNS = ("<|", "<｜", "<tool", "<func", "invoke", "[TOOL", ":tool_call>", "<end_of")
_CODE = re.compile(r"```[^`]*+(?:```|\Z)|~~~[^~]*+(?:~~~|\Z)|``[^`\n]{1,400}``|`[^`\n]{1,400}`")


class MarkupKind(StrEnum):
    CALL = "call"
    TURN = "turn"


class Markup(NamedTuple):
    """The first marker of a kind in a text."""

    kind: MarkupKind
    start: int
    end: int


def may_have_markup(text: str) -> bool:
    # The first two characters rule out nearly all texts.
    if "<" not in text and "[TOOL" not in text:
        return False
    return any(sign in text for sign in _SIGNS)


def template_markup(text: str) -> Iterator[Markup]:
    """Yield the first marker of each kind that stands outside code. Takes time in proportion to
    the text.
    """
    if not may_have_markup(text):
        return
    code = [found.span() for found in _CODE.finditer(text)] if "`" in text or "~~~" in text else []
    seen: set[str] = set()
    at = 0
    for found in _MARKER.finditer(text):
        while at < len(code) and code[at][1] <= found.start():
            at += 1
        is_code = at < len(code) and code[at][0] <= found.start()
        kind = found.lastgroup
        if kind is not None and not is_code and kind not in seen:
            seen.add(kind)
            yield Markup(MarkupKind(kind), *found.span())
