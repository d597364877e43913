"""Finds what a model's own template writes around calls and turns, left over in a text by a server
that did not parse it.

A marker counts with what the template writes behind it, and never in code: an answer may speak
about such markup.
"""

import re
from collections.abc import Iterator
from enum import StrEnum
from typing import NamedTuple

_WORD = r"[\w.:/-]{1,100}"
# What begins a call, by the model families that write it, less its first character. As in:
# <tool_call>{"name": …  (Hermes, Qwen), <tool_call>get_weather<arg_key> (GLM),
# <function=get_weather> (Qwen, Llama), <invoke name="f"><parameter (Claude, MiniMax, DeepSeek),
# <|tool_call|>[{ (Phi, Granite), <|python_tag|>{ (Llama), <|tool_call_begin|> (Kimi),
# <｜tool▁call▁begin｜> (DeepSeek), <|channel|>commentary to=functions.f (gpt-oss).
_CALL = rf"""
    tool_call>\s*+(?:\{{\s*+"|<function=|{_WORD}\s*+<arg_key>)
  | function={_WORD}>\s*+(?:<parameter=|\{{|</function>)
  | (?:\w{{1,20}}:|｜DSML｜)?(?:tool_call|function_calls)>\s*+<(?:\w{{1,20}}:|｜DSML｜)?invoke\s
  | (?:\w{{1,20}}:|｜DSML｜)?invoke\ name="{_WORD}">\s*+<(?:\w{{1,20}}:|｜DSML｜)?parameter\s
  | \|tool_call(?:s)?\|>\s*+[\[{{]
  | \|python_tag\|>\s*+[\w{{]
  | \|tool_calls_section_begin\|> | \|tool_call_begin\|>
  | ｜tool▁calls▁begin｜> | ｜tool▁call▁begin｜>
  | \|channel\|>(?:commentary|analysis)\ to={_WORD}
"""
# [TOOL_CALLS][{ and [TOOL_CALLS]f[ARGS]{ (Mistral).
_LISTED = rf"TOOL_CALLS\]\s*+(?:\[\s*+\{{|{_WORD}\s*+(?:\[(?:CALL_ID|ARGS)\]|\{{))"
# A call that is all of a text: {"name": "f", "arguments": {…}}, alone, in a list or as a block of
# code; and a block of tool_code (Gemma, Gemini).
_BARE = re.compile(
    rf"""\s*+(?:```(?:json|tool_call)?\s*+)?(?:\[\s*+)?\{{\s*+(?:"type"\s*+:\s*+"function"\s*+,\s*+)?
    "name"\s*+:\s*+"{_WORD}"\s*+,\s*+"(?:arguments|parameters)"\s*+:\s*+\{{""",
    re.VERBOSE,
)
# As in "}}" and "}]" at the end of the text.
_BARE_END = re.compile(r"\}\s*+\}\s*+(?:\]\s*+)?(?:```\s*+)?\Z")
# As in "```tool_code" and a name, as Gemma writes.
_TOOL_CODE = re.compile(r"\s*+```tool_code\s*+\w")
# Signs of turns and channels.
_TURN = r"""
    \|channel\|>\s*+(?:analysis|commentary|final)[^<\n]{0,100}<\|message\|>
  | \|start\|>(?:assistant|user|system|tool)
  | \|im_start\|>(?:assistant|user|system|tool)
  | \|start_header_id\|>\w
"""
# What ends a turn or a text counts where a text or another sign ends.
_END = r"""
    (?:\|(?:\w{0,20}(?:end|END)\w{0,20}|eo[mst](?:_id)?|return|call)\|
      |｜[\w▁]{0,20}end[\w▁]{0,20}｜|end_of_\w{1,20}|eos|EOS|/s)>(?=\s*+(?:\Z|<(?:[|｜]|/s>)))
"""
# Both begin with a character by which most of a text is passed over.
_MARKER = re.compile(
    f"<(?:(?P<call>{_CALL})|(?P<turn>{_TURN})|(?P<end>{_END}))|\\[(?P<listed>{_LISTED})", re.VERBOSE
)
_SIGNS = (
    "<|", "<｜", "<tool", "<func", "invoke", "[TOOL", ":tool_call>", "<end_of", "</s>", "<eos>",
    "<EOS>",
)  # fmt: skip
# As in "```json … ```", also without its end, and "`<tool_call>`".
_CODE = re.compile(r"```[^`]*+(?:```|\Z)|~~~[^~]*+(?:~~~|\Z)|``[^`\n]{1,400}``|`[^`\n]{1,400}`")
# As in "<s>", with which "</s>" is HTML.
_STRUCK = re.compile(r"<s[ >]", re.IGNORECASE)
MOST_SPACES = 80
"""Looked at around a sign: a text of spaces would be gone through for each."""
NOT_AT_AN_END = (",", ":", ";", "=", "-", "–", "—", "&", "+", "/", "(", "[", "{", "<", "|", "•")
"""Signs behind which a sentence or a list goes on."""
# What an answer says of such a sign, or with what its sentence would go on.
_SPEAKS_OF_IT = re.compile(
    r"""\b(?:tokens?|tags?|mark\w*|signs?|symbols?|strings?|sequences?|delimit\w*|templates?|chatml
      |eos|ends?|ended|ending|stop\w*|clos\w+|emit\w*|print\w*|writ\w+|append\w*|output\w*
      |generat\w+|produc\w+|typ(?:es?|ed|ing)|us(?:es?|ed|ing)|adds?|added)\b
    |\b(?:an?|the|this|is|are|was|be|with|of|by|to|in|on|for|at|as|from|into|or|and|not|like|than|between
      |before|after|see|say|says|called|named|means)\Z""",
    re.IGNORECASE | re.VERBOSE,
)
# Judged is the sentence before a sign, not what was said before.
_SENTENCE_END = re.compile(r"[.!?\n]")


class MarkupKind(StrEnum):
    CALL = "call"
    TURN = "turn"


_KINDS = {
    "call": MarkupKind.CALL,
    "listed": MarkupKind.CALL,
    "turn": MarkupKind.TURN,
    "end": MarkupKind.TURN,
}


class Markup(NamedTuple):
    """The first marker of a kind in a text."""

    kind: MarkupKind
    start: int
    end: int


def may_have_markup(text: str) -> bool:
    # What calls have between their names, and two characters, rule out nearly all texts.
    if '"name"' in text or "```tool_code" in text:
        return True
    return ("<" in text or "[TOOL" in text) and any(sign in text for sign in _SIGNS)


def template_markup(text: str) -> Iterator[Markup]:
    """Yield the first marker of each kind that stands outside code, in linear time."""
    if not may_have_markup(text):
        return
    if bare := bare_call(text):
        yield bare
        return
    code = [found.span() for found in _CODE.finditer(text)] if "`" in text or "~~~" in text else []
    seen: set[str] = set()
    at = 0
    for found in _MARKER.finditer(text):
        while at < len(code) and code[at][1] <= found.start():
            at += 1
        is_code = at < len(code) and code[at][0] <= found.start()
        kind = _KINDS[found.lastgroup or ""]
        if kind in seen or is_code or (found.lastgroup == "end" and not _is_left_over(found)):
            continue
        seen.add(kind)
        yield Markup(kind, *found.span())


def bare_call(text: str) -> Markup | None:
    """Return the call that is all of a text; None if there is none."""
    found = _TOOL_CODE.match(text) or _BARE.match(text)
    if found is None or (found.re is _BARE and not _BARE_END.search(text, len(text) - MOST_SPACES)):
        return None
    return Markup(MarkupKind.CALL, *found.span())


def _is_left_over(end: re.Match[str]) -> bool:
    """Return False for an end's sign that the answer speaks of ("ends with <|im_end|>") or HTML."""
    text, start = end.string, end.start()
    if end[0] == "</s>" and _STRUCK.search(text, 0, start):
        return False
    words = text[max(0, start - MOST_SPACES) : start]
    said = words.rstrip(" \t")
    if said == words or not said:
        return True
    # Behind a space it counts where nothing is said of it.
    if not said[-1].isalpha():
        return not said.endswith(NOT_AT_AN_END)
    return said[-1].isascii() and not _SPEAKS_OF_IT.search(_SENTENCE_END.split(said)[-1])
