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
# As in <｜DSML｜invoke (DeepSeek); servers write its strokes in several ways.
_DSML = r"[|｜‖]{1,2}DSML[|｜‖]{1,2}"
_PREFIX = rf"(?:\w{{1,20}}:|{_DSML})?"
# What begins a call, by the model families that write it, less its first character. As in:
# <tool_call>{"name": …  (Hermes, Qwen), <tool_call>get_weather<arg_key> (GLM), <tool_calls>[{"
# (Jamba, MiniMax, Hunyuan), <TOOLCALL>[{" (Nemotron), <function=get_weather> (Qwen, Llama),
# <invoke name="f"><parameter (Claude, MiniMax, DeepSeek), <function_calls>f( (OLMo),
# <tool_code>print(f( (Gemini), <start_function_call>call:f{ and <|tool_call>call:f{ (Gemma),
# <|tool_call|>[{ (Phi, Granite), <|tool_call_start|>[ (LFM), <|python_tag|>{ (Llama),
# <|START_ACTION|>[ (Cohere), <|action_start|><|plugin|> (InternLM), <|function_call|>{ (GigaChat),
# <|tool_call_begin|> (Kimi), <｜tool▁call▁begin｜> (DeepSeek), <|channel|>commentary to=functions.f
# (gpt-oss).
_CALL = rf"""
    tool_call>\s*+(?:(?:\[\s*+)?\{{\s*+["']|<function=|{_WORD}\s*+(?:<arg_key>|```(?:json)?\s*+\{{))
  | tool_call>\s*+{_WORD}\s*+</tool_call>(?=\s*+(?:\Z|<))
  | (?:tool_calls|TOOLCALL)>\s*+(?:<tool_call>|(?:\[\s*+)?\{{\s*+")
  | function={_WORD}>\s*+(?:<parameter=|\{{|</function>)
  | {_PREFIX}(?:tool_calls?|function_calls)>\s*+<{_PREFIX}invoke\s
  | {_PREFIX}invoke\ name="{_WORD}">\s*+<{_PREFIX}parameter\s
  | (?:function_calls|tool_code)>\s*+{_WORD}\(
  | (?:start_function_call|\|tool_call)>\s*+call:{_WORD}\{{
  | \|(?:tool_calls?|function_call|START_ACTION|tool_call_start)\|>\s*+[\[{{]
  | \|action_start\|>\s*+<\|(?:plugin|interpreter)\|>
  | \|python_tag\|>\s*+(?:\{{|[\w.]{{1,100}}\(|(?:import|from)\s|\w{{1,100}}\ =)
  | \|tool_calls_section_begin\|>\s*+<\| | \|tool_call_begin\|>\s*+{_WORD}\s*+<\|
  | \|tool_call_argument_begin\|>\s*+\{{
  | \|open\|>(?:tools)?call\ tool="
  | [|｜]tool[▁_]calls[▁_]begin[|｜]>\s*+< | [|｜]tool[▁_]call[▁_]begin[|｜]>\s*+{_WORD}\s*+<
  | \|channel\|>(?:commentary|analysis)\ to={_WORD}
"""
# [TOOL_CALLS][{ and [TOOL_CALLS]f[ARGS]{ (Mistral).
_LISTED = rf"TOOL_CALLS\]\s*+(?:\[\s*+\{{|{_WORD}\s*+(?:\[(?:CALL_ID|ARGS)\]|\{{))"
# A call that is all of a text: {"name": "f", "arguments": {…}}, alone, in a list, behind
# "functools" (Phi) or as a block of code; {"tool_calls": [{…}]}; [f(a=1)] (Llama); and a block of
# tool_code (Gemma, Gemini). A name that is a plain word may be that of a thing, with what is known
# of it as "parameters".
_BARE = re.compile(
    rf"""\s*+(?:```(?:json|tool_call)?\s*+|functools\s*+)?(?:\[\s*+)?\{{\s*+
    (?:(?P<open>"name"\s*+:\s*+"(?:[A-Za-z]?[a-z0-9]{{1,100}}+|[A-Z0-9]{{1,100}}+)"
         \s*+,\s*+"parameters"\s*+:\s*+"?\{{)
      |(?:"type"\s*+:\s*+"function"\s*+,\s*+)?"(?:name|function|tool|tool_name)"\s*+:\s*+"{_WORD}"
       \s*+,\s*+"(?:arguments|parameters)"\s*+:\s*+"?\{{
      |"tool_calls"\s*+:\s*+\[\s*+\{{)
    |\s*+\[\s*+(?!dict\()[A-Za-z_][\w.]{{0,100}}\((?:\s*+\w{{1,100}}=[^=]|\)\s*+[\],])""",
    re.VERBOSE,
)
# As in "}}", "}}]" and ")]" at the end of the text.
_BARE_END = re.compile(r"(?:\}(?:\s*+\]|\")?\s*+\}\s*+(?:\]\s*+)?(?:```\s*+)?|\)\s*+\]\s*+)\Z")
# As in "```tool_code" and a name, as Gemma writes.
_TOOL_CODE = re.compile(r"\s*+```tool_code\s*+\w")
# The names of channels, where a server removed the signs around them (gpt-oss).
_CHANNELS = re.compile(r"\s*+analysis(?=\S)[^`]*?assistant(?:final|commentary)(?=\S)")
# Signs of turns and channels. What begins a text counts at its beginning.
_TURN = r"""
    \|channel\|>\s*+(?:analysis|commentary|final)[^<\n]{0,100}<\|message\|>
  | \|start\|>(?:assistant|user|system|tool)(?=\s*+(?:\Z|<\|)|\n|\ to=)
  | \|im_start\|>(?:assistant|user|system|tool)(?=\s*+\Z|\n)
  | \|start_header_id\|>\w
  | (?<=\A<)(?:｜begin▁of▁sentence｜|\|begin_of_text\||bos)>
"""
# What ends a turn, a call or a text counts where a text or another sign ends.
_END = rf"""
    (?:(?:\|(?:\w{{0,20}}(?:end|END)\w{{0,20}}|eo[mst](?:_id)?|return|call)\|
      |｜[\w▁]{{0,20}}end[\w▁]{{0,20}}｜|end_of_\w{{1,20}}|eos|EOS|/s|/?{_PREFIX}tool_calls?)>
      |{_DSML}\w{{0,20}}>?)(?=\s*+(?:\Z|<(?:[|｜]|/s>)))
"""
# Most begin with a character by which most of a text is passed over.
_MARKER = re.compile(
    f"<(?:(?P<call>{_CALL})|(?P<turn>{_TURN})|(?P<end>{_END}))"
    rf"|\[(?:(?P<listed>{_LISTED})|(?P<closed>/INST\](?=\s*+\Z)))",
    re.VERBOSE,
)
_SIGNS = (
    "<|", "<｜", "DSML", "<tool", "</tool", "<func", "<start_func", "<TOOLCALL>", "invoke", "[TOOL",
    "tool_call>", "<end_of", "</s>", "<eos>", "<EOS>", "<bos>",
)  # fmt: skip
_SIGNS_OF_BARE = (
    '"name"', '"arguments"', '"parameters"', '"tool_calls"', "```tool_code", ")]",
    "assistantfinal", "assistantcommentary", "[/INST]",
)  # fmt: skip
# What servers leave in arguments, as in <arg_key> (GLM), <|tool_call_end|> (Kimi), <|"|> (Gemma).
_LEFT = r'</?arg_(?:key|value)>?|<\|tool_call\w{0,30}\|>|<\|\\?"\|>|<｜tool▁[\w▁]{1,20}｜>'
_LEFT_IN_BROKEN = re.compile(rf"{_LEFT}|</(?:parameter|function|tool_call)\b>?")
_LEFT_AT_AN_END = re.compile(rf'({_LEFT})(?:\\n|\s)*+"')
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
    OPEN = "open"
    """A call, or an answer in JSON."""
    TURN = "turn"


_KINDS = {
    "call": MarkupKind.CALL,
    "listed": MarkupKind.CALL,
    "turn": MarkupKind.TURN,
    "end": MarkupKind.TURN,
    "closed": MarkupKind.TURN,
}


_ENDS = frozenset({"end", "closed"})


class Markup(NamedTuple):
    """The first marker of a kind in a text."""

    kind: MarkupKind
    start: int
    end: int


def may_have_markup(text: str) -> bool:
    # What calls have between their names, and two characters, rule out nearly all texts.
    if any(map(text.__contains__, _SIGNS_OF_BARE)):
        return True
    return ("<" in text or "[TOOL" in text) and any(map(text.__contains__, _SIGNS))


def template_markup(text: str) -> Iterator[Markup]:
    """Yield the first marker of each kind that stands outside code, in linear time."""
    if not may_have_markup(text):
        return
    if bare := bare_call(text):
        yield bare
        return
    if named := _CHANNELS.match(text):
        yield Markup(MarkupKind.TURN, *named.span())
        return
    code = [found.span() for found in _CODE.finditer(text)] if "`" in text or "~~~" in text else []
    seen: set[str] = set()
    at = 0
    for found in _MARKER.finditer(text):
        while at < len(code) and code[at][1] <= found.start():
            at += 1
        is_code = at < len(code) and code[at][0] <= found.start()
        kind = _KINDS[found.lastgroup or ""]
        if kind in seen or is_code or (found.lastgroup in _ENDS and not _is_left_over(found)):
            continue
        # A call is told with what ends it.
        if found.lastgroup == "end" and MarkupKind.CALL in seen:
            continue
        seen.add(kind)
        yield Markup(kind, *found.span())


def markup_in_arguments(text: str, *, is_json: bool) -> str | None:
    """Return the first sign of a template in arguments; None if there is none. In valid JSON it
    counts where a name or value ends: a value may hold a text about such signs.
    """
    if "<" not in text:
        return None
    found = (_LEFT_AT_AN_END if is_json else _LEFT_IN_BROKEN).search(text)
    return found[found.lastindex or 0] if found else None


def bare_call(text: str) -> Markup | None:
    """Return the call that is all of a text; None if there is none."""
    found = _TOOL_CODE.match(text) or _BARE.match(text)
    if found is None or (found.re is _BARE and not _BARE_END.search(text, len(text) - MOST_SPACES)):
        return None
    is_open = found.re is _BARE and found["open"]
    return Markup(MarkupKind.OPEN if is_open else MarkupKind.CALL, *found.span())


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
