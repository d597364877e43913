"""Determines what the reader got, beside the verdict, which says how the transport ended.

A choice's result is the first of ``Result`` that applies to it, decided by its finish reason as it
is spelt, its texts, the validity of its calls, and by where the transport ended. The result of the
answer is the first among those of its choices and its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeAlias

import msgspec

from inspector.core.analysis import SentenceClause, Verdict
from inspector.core.completion import (
    ArgumentsState,
    Choice,
    FunctionCall,
    Json,
    Result,
    ToolCall,
    known,
    list_or_empty,
)
from inspector.core.findings import Where, shorten
from inspector.core.fragment import FRAGMENT_WORDS, Fragment
from inspector.core.rule_context import RuleContext, has_finish_reason
from inspector.core.sentence import Sentence, many, sentence
from inspector.core.tool_calls.call_faults import call_fault, call_name
from inspector.core.verdict import failed_status, provider_error
from inspector.core.wire.exchange import TransportOutcome

FINISH_RESULTS: Mapping[str, Result] = {
    # OpenRouter, Mistral, vLLM; DeepSeek; Z.ai.
    "error": Result.ERROR,
    "insufficient_system_resource": Result.ERROR,
    "network_error": Result.ERROR,
    "refusal": Result.REFUSED,
    # 000 to 004; Z.ai; Gemini.
    "content_filter": Result.FILTERED,
    "sensitive": Result.FILTERED,
    "SAFETY": Result.FILTERED,
    "RECITATION": Result.FILTERED,
    "BLOCKLIST": Result.FILTERED,
    "PROHIBITED_CONTENT": Result.FILTERED,
    "SPII": Result.FILTERED,
    # 000 to 004; Anthropic; Gemini; Responses; Mistral; Z.ai and Anthropic.
    "length": Result.TRUNCATED,
    "max_tokens": Result.TRUNCATED,
    "MAX_TOKENS": Result.TRUNCATED,
    "max_output_tokens": Result.TRUNCATED,
    "model_length": Result.TRUNCATED,
    "model_context_window_exceeded": Result.TRUNCATED,
    # vLLM and SGLang: the request was ended from outside.
    "abort": Result.TRUNCATED,
    "MALFORMED_FUNCTION_CALL": Result.UNUSABLE_CALL,
    "UNEXPECTED_TOOL_CALL": Result.UNUSABLE_CALL,
    "pause_turn": Result.TO_BE_CONTINUED,
}
"""Finish reasons, as they are spelt, that decide a result."""

CUTTING_VERDICTS = frozenset({Verdict.CAPPED, Verdict.CLIENT_CANCELLED, Verdict.CUT_OFF})
TEXT_PARTS = ("text", "output_text", "refusal", "thinking", "reasoning")
MEDIA_FIELDS = ("/message/audio", "/message/images")
MOST_NAMES = 3

Call: TypeAlias = ToolCall | FunctionCall


class AnswerResult(msgspec.Struct, frozen=True):
    """The result of an answer with its reason, and the choices, each with its own result."""

    result: Result
    clauses: Sentence
    choices: tuple[Choice, ...]


def read_result(facts: RuleContext, completion: Json) -> AnswerResult:
    """``facts`` have their verdict. ``completion`` is searched for parts that are no text."""
    sent = completion.get("choices") if isinstance(completion, dict) else None
    view = _Answer(facts, list_or_empty(sent))
    choices = tuple(msgspec.structs.replace(c, result=view.result_of(c)) for c in facts.choices)
    own = tuple(view.own_results())
    found = min((*own, *(choice.result for choice in choices)), key=_RANK.__getitem__)
    deciding = [choice for choice in choices if choice.result is found]
    is_own = found in own and (found is Result.ERROR or not deciding)
    words = view.own_words(found) if is_own else view.words_of_choices(found, deciding)
    return AnswerResult(found, words, choices)


class _Answer:
    """One answer while its result is decided."""

    def __init__(self, facts: RuleContext, sent: Sequence[Json]) -> None:
        self.facts = facts
        self._sent = sent
        """The choices as the completion has them."""

    # -- the answer as a whole --------------------------------------------------------------------

    def own_results(self) -> Iterator[Result]:
        """What holds of the answer beside its choices; at least one if it has no choices."""
        facts = self.facts
        if facts.provider_error is not None or failed_status(facts):
            yield Result.ERROR
        if _is_upstream_failure(facts) and not any(map(self.says_something, facts.choices)):
            yield Result.ERROR
        if facts.outcome is TransportOutcome.OPEN:
            yield Result.PENDING
        if facts.choices:
            return
        if not facts.is_read:
            yield Result.UNKNOWN
        elif facts.verdict in CUTTING_VERDICTS:
            yield Result.TRUNCATED
        elif facts.verdict in (Verdict.ELIDED, Verdict.UNREADABLE) or facts.fragment:
            yield Result.UNKNOWN
        else:
            yield Result.EMPTY

    def own_words(self, result: Result) -> Sentence:
        facts = self.facts
        if result is Result.ERROR:
            return provider_error(facts) or facts.verdict_clauses
        words = {
            Result.PENDING: "The answer is still arriving; no choice came yet.",
            Result.TRUNCATED: f"The answer was cut after {many(facts.body_bytes, 'byte')}, "
            "before a choice could be read.",
            Result.EMPTY: "The answer has no choices.",
            Result.UNKNOWN: _why_unknown(facts),
        }
        return sentence(words[result])

    # -- one choice -------------------------------------------------------------------------------

    def result_of(self, choice: Choice) -> Result:
        return next((result for result, holds in _ORDER if holds(self, choice)), Result.ANSWERED)

    def is_failed(self, choice: Choice) -> bool:
        if has_finish_reason(choice.finish_reason):
            return _finish_result(choice) is Result.ERROR
        facts = self.facts
        if facts.provider_error is not None or failed_status(facts):
            return True
        return _is_upstream_failure(facts) and not self.says_something(choice)

    def is_pending(self, choice: Choice) -> bool:
        is_open = self.facts.outcome is TransportOutcome.OPEN
        return is_open and not has_finish_reason(choice.finish_reason)

    def is_refused(self, choice: Choice) -> bool:
        refusal = known(choice.refusal) and bool(choice.refusal)
        return refusal or _finish_result(choice) is Result.REFUSED

    def is_filtered(self, choice: Choice) -> bool:
        return _finish_result(choice) is Result.FILTERED

    def is_truncated(self, choice: Choice) -> bool:
        if has_finish_reason(choice.finish_reason):
            return _finish_result(choice) is Result.TRUNCATED
        facts = self.facts
        if facts.verdict in CUTTING_VERDICTS or _is_upstream_failure(facts):
            return True
        return facts.streamed and facts.closing is None and facts.verdict is Verdict.MISSING_FINISH

    def has_unusable_call(self, choice: Choice) -> bool:
        if _finish_result(choice) is Result.UNUSABLE_CALL:
            return True
        return any(call_fault(call) for call, _ in _calls(choice))

    def is_left_out(self, choice: Choice) -> bool:
        """True if nothing is left of the choice in a shortened answer, or it is one chunk alone."""
        is_part = self.facts.verdict is Verdict.ELIDED or self.facts.fragment is Fragment.CHUNK
        return is_part and not self.says_something(choice)

    def is_empty(self, choice: Choice) -> bool:
        return not self.says_something(choice)

    def is_to_be_continued(self, choice: Choice) -> bool:
        return _finish_result(choice) is Result.TO_BE_CONTINUED

    def is_called(self, choice: Choice) -> bool:
        return any(_calls(choice))

    def says_something(self, choice: Choice) -> bool:
        """True if the reader gets text, audio, an image, a refusal or a call. Reasoning and white
        space alone say nothing.
        """
        texts = (_text_beside_reasoning(choice), choice.text, choice.refusal)
        if any(known(text) and text and not text.isspace() for text in texts):
            return True
        return any(_calls(choice)) or self.has_media(choice)

    def has_media(self, choice: Choice) -> bool:
        position = self.facts.positions.get(choice.index, choice.index)
        if position < len(self._sent) and _has_media_part(self._sent[position]):
            return True
        found = (choice.extras.get(name) for name in MEDIA_FIELDS)
        return any(any(one.values()) if isinstance(one, dict) else bool(one) for one in found)

    # -- sentences --------------------------------------------------------------------------------

    def words_of_choices(self, result: Result, deciding: list[Choice]) -> Sentence:
        first, count = deciding[0], len(deciding)
        if result is Result.ANSWERED and count > 1:
            return self._all_answered(deciding)
        words = _WORDS[result](self, first)
        if count == 1:
            return sentence(words, "" if words[-1].text.endswith("”") else ".")
        return sentence(words, f" ({count:,} choices, this is the first).")

    def subject(self, choice: Choice) -> SentenceClause:
        text = "The answer" if len(self.facts.choices) == 1 else f"Choice {choice.index:,}"
        return SentenceClause(text, self._where(choice))

    def _where(self, choice: Choice) -> Where:
        return Where(pointer=self.facts.pointer_of(choice.index))

    def _all_answered(self, deciding: list[Choice]) -> Sentence:
        count = len(deciding)
        who = "Both choices have" if count == 2 else f"All {count:,} choices have"
        size = many(sum(map(_characters, deciding)), "character")
        return sentence(SentenceClause(who, Where(pointer="/choices")), f" text, {size} in all.")

    def failed_words(self, choice: Choice) -> Sentence:
        if not has_finish_reason(choice.finish_reason):
            return _without_stop(self.facts.verdict_clauses)
        ended = f" ended with finish reason {choice.finish_reason}: the provider failed "
        return sentence(self.subject(choice), ended, _after(choice))

    def pending_words(self, choice: Choice) -> Sentence:
        so_far = many(_characters(choice), "character")
        return sentence(self.subject(choice), f" is still arriving, {so_far} so far")

    def refused_words(self, choice: Choice) -> Sentence:
        if known(choice.refusal) and choice.refusal:
            quoted = shorten(" ".join(choice.refusal.split()))
            return sentence(self.subject(choice), f" is a refusal: “{quoted}”")
        return sentence(self.subject(choice), " was refused ", _after(choice), _spelt(choice))

    def filtered_words(self, choice: Choice) -> Sentence:
        ended = " was ended by a content filter "
        return sentence(self.subject(choice), ended, _after(choice), _spelt(choice))

    def truncated_words(self, choice: Choice) -> Sentence:
        if not has_finish_reason(choice.finish_reason):
            cut = " was cut ", _after(choice), ", before its finish reason"
            return sentence(self.subject(choice), *cut)
        verb = " was aborted " if choice.finish_reason == "abort" else " hit its length limit "
        inside = next(filter(None, (_cut_call(call) for call, _ in _calls(choice))), None)
        where = f"inside the arguments of {inside}" if inside else _after(choice)
        return sentence(self.subject(choice), verb, where, _spelt(choice))

    def unusable_call_words(self, choice: Choice) -> Sentence:
        at = self.facts.pointer_of(choice.index)
        for call, pointer in _calls(choice):
            if fault := call_fault(call):
                start, end = call.invalid_bytes or (None, None)
                where = Where(
                    pointer=f"{at}{pointer}",
                    event=call.invalid_event,
                    byte_start=start,
                    byte_end=end,
                )
                return (SentenceClause(fault.removesuffix("."), where),)
        return sentence(self.subject(choice), " ended in an unusable tool call", _spelt(choice))

    def empty_words(self, choice: Choice) -> Sentence:
        if not choice.says_something:
            return sentence(self.subject(choice), " has no text, tool call or refusal")
        reasoning = _reasoning_characters(choice)
        only = many(reasoning, "character") + " of reasoning" if reasoning else "white space"
        return sentence(self.subject(choice), f" has only {only}: no text, tool call or refusal")

    def to_be_continued_words(self, choice: Choice) -> Sentence:
        paused = sentence(self.subject(choice), " paused ", _after(choice), _spelt(choice))
        return sentence(paused, ": the next request continues it")

    def called_words(self, choice: Choice) -> Sentence:
        names = [call_name(call) for call, _ in _calls(choice)]
        shown = ", ".join(names[:MOST_NAMES])
        more = f" and {len(names) - MOST_NAMES:,} more" if len(names) > MOST_NAMES else ""
        return sentence(self.subject(choice), f" calls {shown}{more}")

    def answered_words(self, choice: Choice) -> Sentence:
        count = _characters(choice)
        size = f"{many(count, 'character')} of text" if count else "content that is no text"
        return sentence(self.subject(choice), f" has {size}")

    def left_out_words(self, choice: Choice) -> Sentence:
        if self.facts.fragment is not None:
            return sentence(self.subject(choice), " is in the chunks that are not in the body")
        return sentence(self.subject(choice), " was left out where the response was shortened")


def _is_upstream_failure(facts: RuleContext) -> bool:
    return facts.outcome in (TransportOutcome.UPSTREAM_ERROR, TransportOutcome.UPSTREAM_TIMEOUT)


def _finish_result(choice: Choice) -> Result | None:
    reason = choice.finish_reason
    return FINISH_RESULTS.get(reason) if isinstance(reason, str) else None


def _calls(choice: Choice) -> Iterator[tuple[Call, str]]:
    """Each call with its JSON Pointer inside the choice."""
    for position, call in enumerate(choice.tool_calls):
        yield call, f"/message/tool_calls/{position}{_arguments_at(call)}"
    if choice.function_call is not None and not choice.function_call.is_empty:
        yield choice.function_call, "/message/function_call/arguments"


def _arguments_at(call: ToolCall) -> str:
    is_custom = call.arguments_state is ArgumentsState.FREE_TEXT
    return "/custom" if is_custom else "/function/arguments"


def _cut_call(call: Call) -> str | None:
    return call_name(call) if call.arguments_state is ArgumentsState.TRUNCATED else None


def _text_beside_reasoning(choice: Choice) -> Json:
    passage = choice.inline_reasoning
    if passage is None or not isinstance(choice.content, str):
        return choice.content
    return "" if passage.end is None else choice.content[passage.end :]


def _reasoning_characters(choice: Choice) -> int:
    separate = len(choice.reasoning) if isinstance(choice.reasoning, str) else 0
    if choice.inline_reasoning is None or not isinstance(choice.content, str):
        return separate
    start, end = choice.inline_reasoning.start, choice.inline_reasoning.end
    return separate + (len(choice.content) if end is None else end) - start


def _characters(choice: Choice) -> int:
    texts = (choice.content, choice.text, choice.refusal)
    return sum(len(text) for text in texts if isinstance(text, str))


def _after(choice: Choice) -> str:
    count = _characters(choice)
    return f"after {many(count, 'character')}" if count else "before any text"


def _spelt(choice: Choice) -> str:
    return f" (finish reason {choice.finish_reason})"


def _without_stop(words: Sentence) -> Sentence:
    if not words or not words[-1].text.endswith("."):
        return words
    last = msgspec.structs.replace(words[-1], text=words[-1].text[:-1])
    return sentence(words[:-1], last if last.text else "")


def _why_unknown(facts: RuleContext) -> str:
    if facts.dialect is not None and not facts.dialect.is_read:
        return f"The choices of the format {facts.dialect.slug} are not parsed."
    if facts.fragment is not None:
        return f"The body is {FRAGMENT_WORDS[facts.fragment]}, without an answer."
    if facts.dialect is not None:
        return "The body could not be parsed."
    return "There is no response in a known format."


def _has_media_part(choice: Json) -> bool:
    """True if the content is a list with a part that is no text."""
    message = choice.get("message") if isinstance(choice, dict) else None
    parts = message.get("content") if isinstance(message, dict) else None
    return any(
        isinstance(part, dict) and part.get("type") not in TEXT_PARTS
        for part in list_or_empty(parts)
    )


_Holds = Callable[[_Answer, Choice], bool]
_Words = Callable[[_Answer, Choice], Sentence]

_ORDER: tuple[tuple[Result, _Holds], ...] = (
    (Result.ERROR, _Answer.is_failed),
    (Result.PENDING, _Answer.is_pending),
    (Result.REFUSED, _Answer.is_refused),
    (Result.FILTERED, _Answer.is_filtered),
    (Result.TRUNCATED, _Answer.is_truncated),
    (Result.UNUSABLE_CALL, _Answer.has_unusable_call),
    # Of an answer that was shortened with "…" it is not known whether anything was in it.
    (Result.UNKNOWN, _Answer.is_left_out),
    (Result.EMPTY, _Answer.is_empty),
    (Result.TO_BE_CONTINUED, _Answer.is_to_be_continued),
    (Result.CALLED, _Answer.is_called),
)
_WORDS: Mapping[Result, _Words] = {
    Result.ERROR: _Answer.failed_words,
    Result.PENDING: _Answer.pending_words,
    Result.REFUSED: _Answer.refused_words,
    Result.FILTERED: _Answer.filtered_words,
    Result.TRUNCATED: _Answer.truncated_words,
    Result.UNUSABLE_CALL: _Answer.unusable_call_words,
    Result.EMPTY: _Answer.empty_words,
    Result.TO_BE_CONTINUED: _Answer.to_be_continued_words,
    Result.CALLED: _Answer.called_words,
    Result.ANSWERED: _Answer.answered_words,
    Result.UNKNOWN: _Answer.left_out_words,
}
_RANK: Mapping[Result, int] = {result: rank for rank, result in enumerate(Result)}
