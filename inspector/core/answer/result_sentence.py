"""Says in a sentence why an answer has its result, with the place that each clause is about."""

from collections.abc import Callable, Mapping

import msgspec
from msgspec import UNSET

from inspector.core.analysis import SentenceClause, Verdict
from inspector.core.answer.sentence import Sentence, many, sentence
from inspector.core.answer.verdict import FAILURE, MAX_CALL, provider_error
from inspector.core.completion import ArgumentsState, Choice, Result, ToolCall, known
from inspector.core.findings import Where, shorten
from inspector.core.formats.fragment import FRAGMENT_WORDS
from inspector.core.json import Json
from inspector.core.rule_context import RuleContext, has_finish_reason, quoted, with_name
from inspector.core.tool_calls.call_faults import (
    Call,
    call_fault,
    call_name,
    choice_calls,
    unnamed_calls,
)

EXPLANATION = ("stop_details", "explanation")
"""Place of Anthropic's sentence about a refusal."""
FINISH_MESSAGE = "/finishMessage"
"""Place of Gemini's sentence about its finish reason, among the extras of the choice."""
MAX_NAMES = 3
"""Names of called tools that a sentence lists."""


def answer_sentence(facts: RuleContext, result: Result) -> Sentence:
    """Why the answer as a whole has ``result``, whatever its choices have."""
    if result is Result.ERROR:
        return provider_error(facts) or _failed_by_status(facts) or facts.verdict_clauses
    if result is Result.FILTERED and facts.block_reason is not None:
        reason, where = facts.block_reason
        return ended(sentence("The prompt was blocked: ", SentenceClause(reason, where)))
    if result is Result.UNKNOWN and facts.verdict is Verdict.NOT_A_RESPONSE:
        return facts.verdict_clauses
    words = {
        Result.PENDING: "The answer is still arriving; no choice came yet.",
        Result.TRUNCATED: f"The answer was cut after {many(facts.body_bytes, 'byte')}, "
        "before a choice could be read.",
        Result.EMPTY: "The answer has no choices.",
        Result.UNKNOWN: _why_unknown(facts),
    }
    return sentence(words[result])


def _failed_by_status(facts: RuleContext) -> Sentence | None:
    status = facts.status_code or 0
    if status < FAILURE or facts.verdict is Verdict.UPSTREAM_ERROR:
        return None
    return sentence(f"It came with status {status}, for which programs raise an error.")


def choices_sentence(facts: RuleContext, result: Result, deciding: list[Choice]) -> Sentence:
    """Why the choices ``deciding``, at least one, have ``result``: said of the first of them."""
    first, count = deciding[0], len(deciding)
    if result is Result.ANSWERED and count > 1:
        return _all_answered(facts, deciding)
    words = _WORDS[result](facts, first)
    if count == 1:
        return ended(words)
    return sentence(words, f", the first of {count:,} choices.")


def ended(words: Sentence) -> Sentence:
    """Return the words with a full stop, unless they end with a quotation."""
    return sentence(words, "" if words[-1].text.endswith("”") else ".")


def _subject(facts: RuleContext, choice: Choice) -> SentenceClause:
    text = "The answer" if len(facts.choices) == 1 else f"Choice {choice.index:,}"
    return SentenceClause(text, Where(pointer=facts.pointer_of(choice.index)))


def _all_answered(facts: RuleContext, deciding: list[Choice]) -> Sentence:
    count = len(deciding)
    who = "Both choices have" if count == 2 else f"All {count:,} choices have"
    size = many(sum(map(_characters, deciding)), "character")
    whole = SentenceClause(who, Where(pointer=facts.choices_pointer))
    return sentence(whole, f" text, {size} in all.")


def _failed(facts: RuleContext, choice: Choice) -> Sentence:
    if not has_finish_reason(choice.finish_reason):
        return _without_stop(facts.verdict_clauses)
    failed = f" ended with finish reason {choice.finish_reason}: the provider failed "
    return sentence(_subject(facts, choice), failed, _after(choice))


def _pending(facts: RuleContext, choice: Choice) -> Sentence:
    so_far = many(_characters(choice), "character")
    return sentence(_subject(facts, choice), f" is still arriving, {so_far} so far")


def _refused(facts: RuleContext, choice: Choice) -> Sentence:
    if known(choice.refusal) and choice.refusal:
        quoted = shorten(" ".join(choice.refusal.split()))
        return sentence(_subject(facts, choice), f" is a refusal: “{quoted}”")
    return sentence(
        _subject(facts, choice), " was refused ", _after(choice), *_spelt(facts, choice)
    )


def _filtered(facts: RuleContext, choice: Choice) -> Sentence:
    if facts.block_reason is not None:
        reason, where = facts.block_reason
        blocked = SentenceClause(reason, where)
        words = _subject(facts, choice), " was ended ", _after(choice), ": the prompt was blocked: "
        return sentence(*words, blocked)
    stopped = " was ended by a content filter "
    return sentence(_subject(facts, choice), stopped, _after(choice), *_spelt(facts, choice))


def _truncated(facts: RuleContext, choice: Choice) -> Sentence:
    if not has_finish_reason(choice.finish_reason):
        cut = " was cut ", _after(choice), ", before its finish reason"
        return sentence(_subject(facts, choice), *cut)
    verb = " was aborted " if choice.finish_reason == "abort" else " hit its length limit "
    inside = next(filter(None, (_cut_call(call) for call, _ in choice_calls(choice))), None)
    where = f"inside the arguments of {inside}" if inside else _after(choice)
    return sentence(_subject(facts, choice), verb, where, *_spelt(facts, choice))


def _unusable_call(facts: RuleContext, choice: Choice) -> Sentence:
    for call, inside in choice_calls(choice):
        if fault := call_fault(call):
            start, end = call.invalid_bytes or (None, None)
            where = Where(
                pointer=_arguments_pointer(facts, choice, call, inside),
                event=call.invalid_event,
                byte_start=start,
                byte_end=end,
            )
            return (SentenceClause(fault.removesuffix("."), where),)
    in_a_call = " ended in an unusable tool call"
    return sentence(_subject(facts, choice), in_a_call, *_spelt(facts, choice))


def _arguments_pointer(facts: RuleContext, choice: Choice, call: Call, inside: str) -> str:
    """``inside``: the place of the arguments in a choice of a chat completion."""
    if isinstance(call, ToolCall) and call.pointer is not UNSET:
        return f"{call.pointer}{facts.places.named}/{facts.places.arguments}"
    return f"{facts.pointer_of(choice.index)}{inside}"


def _empty(facts: RuleContext, choice: Choice) -> Sentence:
    if not choice.says_something:
        return sentence(_subject(facts, choice), " has no text, tool call or refusal")
    reasoning = _reasoning_characters(choice)
    only = many(reasoning, "character") + " of reasoning" if reasoning else "white space"
    return sentence(_subject(facts, choice), f" has only {only}: no text, tool call or refusal")


def _to_be_continued(facts: RuleContext, choice: Choice) -> Sentence:
    why, *_ = _spelt(facts, choice)
    paused = sentence(_subject(facts, choice), " paused ", _after(choice), why)
    return sentence(paused, ": the next request continues it")


def _called(facts: RuleContext, choice: Choice) -> Sentence:
    names = [call_name(call) for call, _ in choice_calls(choice)]
    names += (str(block.type) for block in unnamed_calls(choice))
    shown = ", ".join(names[:MAX_NAMES])
    more = f" and {len(names) - MAX_NAMES:,} more" if len(names) > MAX_NAMES else ""
    return sentence(_subject(facts, choice), f" calls {shown}{more}")


def _answered(facts: RuleContext, choice: Choice) -> Sentence:
    count = _characters(choice)
    size = f"{many(count, 'character')} of text" if count else "content that is no text"
    return sentence(_subject(facts, choice), f" has {size}")


def _left_out(facts: RuleContext, choice: Choice) -> Sentence:
    if facts.is_told:
        return sentence(
            _subject(facts, choice), " ended, and the record does not tell what was in it"
        )
    if facts.fragment is not None:
        return sentence(_subject(facts, choice), " is in the chunks that are not in the body")
    return sentence(_subject(facts, choice), " was left out where the response was shortened")


def _cut_call(call: Call) -> str | None:
    return call_name(call) if call.arguments_state is ArgumentsState.TRUNCATED else None


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


def _spelt(facts: RuleContext, choice: Choice) -> tuple[str, str]:
    """Return the finish reason, and what the provider says about it."""
    reason = with_name(choice.finish_reason, facts.finish_name(choice))
    said = choice.extras.get(FINISH_MESSAGE) or _explanation(facts)
    return f" (finish reason {reason})", quoted(said)


def _explanation(facts: RuleContext) -> Json:
    name, inside = EXPLANATION
    details = facts.top.get(name)
    return details.get(inside) if isinstance(details, dict) else None


def _without_stop(words: Sentence) -> Sentence:
    if not words or not words[-1].text.endswith("."):
        return words
    last = msgspec.structs.replace(words[-1], text=words[-1].text[:-1])
    return sentence(words[:-1], last if last.text else "")


def _why_unknown(facts: RuleContext) -> str:
    if facts.verdict is Verdict.OTHER:
        return f"{shorten(str(facts.other_call), MAX_CALL)} asked for no completion."
    if facts.fragment is not None:
        return f"The body is {FRAGMENT_WORDS[facts.fragment]}, without an answer."
    if facts.is_told:
        return "The record does not tell what was in the answer."
    if facts.dialect is not None:
        return "The body could not be parsed."
    return "There is no response in a known format."


_Words = Callable[[RuleContext, Choice], Sentence]
"""Says why the choice has the result, without the full stop."""

_WORDS: Mapping[Result, _Words] = {
    Result.ERROR: _failed,
    Result.PENDING: _pending,
    Result.REFUSED: _refused,
    Result.FILTERED: _filtered,
    Result.TRUNCATED: _truncated,
    Result.UNUSABLE_CALL: _unusable_call,
    Result.EMPTY: _empty,
    Result.TO_BE_CONTINUED: _to_be_continued,
    Result.CALLED: _called,
    Result.ANSWERED: _answered,
    Result.UNKNOWN: _left_out,
}
