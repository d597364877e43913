"""Determines what the reader got; the verdict beside it says how the transport ended.

A choice's result is the first of ``Result`` that applies to it, decided by its finish reason as it
is spelt, its texts, the validity of its calls, and by where the transport ended. The result of the
answer is the first among those of its choices and its own. ``result_sentence`` gives the reason.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence

import msgspec

from inspector.core.analysis import Verdict
from inspector.core.answer.result_sentence import answer_sentence, choices_sentence
from inspector.core.answer.sentence import Sentence
from inspector.core.answer.verdict import FAILURE, failed_status
from inspector.core.completion import Block, BlockKind, Choice, Result, known, list_or_empty
from inspector.core.fields import finish_reasons
from inspector.core.fold.anomalies import Anomaly
from inspector.core.formats.fragment import Fragment
from inspector.core.json import Json
from inspector.core.rule_context import RuleContext, has_finish_reason
from inspector.core.tool_calls.call_faults import call_fault, choice_calls, unnamed_calls
from inspector.core.wire.exchange import TransportOutcome
from inspector.core.wire.framing import Framing

CUTTING_VERDICTS = frozenset({Verdict.CAPPED, Verdict.CLIENT_CANCELLED, Verdict.CUT_OFF})
TEXT_PARTS = ("text", "output_text", "refusal", "thinking", "reasoning")
MEDIA_BLOCKS = (BlockKind.AUDIO, BlockKind.IMAGE)
IMAGE_CALL = "image_generation_call"
"""Type of the part of a Responses answer with the image that the provider made."""
MEDIA_FIELDS = ("/message/audio", "/message/images")


class AnswerResult(msgspec.Struct, frozen=True):
    """The result of an answer, its reason as ``clauses``, and the choices, each with its result."""

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
    words = answer_sentence(facts, found) if is_own else choices_sentence(facts, found, deciding)
    return AnswerResult(found, words, choices)


def is_refused_by_status(facts: RuleContext) -> bool:
    """Return True for JSON with the status of a failure: programs raise, whatever it holds."""
    status = facts.status_code or 0
    return status >= FAILURE and facts.framing in (Framing.DOCUMENT, Framing.ARRAY)


class _Answer:
    """One answer while its result is decided."""

    def __init__(self, facts: RuleContext, sent: Sequence[Json]) -> None:
        self.facts = facts
        self._sent = sent
        """The choices as the completion has them."""

    # -- the answer as a whole --------------------------------------------------------------------

    def own_results(self) -> Iterator[Result]:
        facts = self.facts
        if facts.verdict is Verdict.OTHER:
            yield Result.UNKNOWN
            return
        if facts.provider_error is not None or failed_status(facts) or is_refused_by_status(facts):
            yield Result.ERROR
        if facts.is_upstream_failure and all(map(self.is_empty, facts.choices)):
            yield Result.ERROR
        if facts.outcome is TransportOutcome.OPEN:
            yield Result.PENDING
        if not facts.choices:
            yield self._result_without_choices()

    def _result_without_choices(self) -> Result:
        facts = self.facts
        if facts.block_reason is not None:
            return Result.FILTERED
        if not facts.is_answer:
            return Result.UNKNOWN
        if facts.verdict in CUTTING_VERDICTS:
            return Result.TRUNCATED
        if facts.verdict in (Verdict.ELIDED, Verdict.UNREADABLE) or facts.fragment:
            return Result.UNKNOWN
        return Result.UNKNOWN if facts.is_told else Result.EMPTY

    # -- one choice -------------------------------------------------------------------------------

    def result_of(self, choice: Choice) -> Result:
        decided = finish_reasons.result_of(self.facts.finish_name(choice))
        for result, holds in _ORDER:
            if decided is result or holds(self, choice):
                return result
        if decided is Result.TO_BE_CONTINUED:
            return decided
        return Result.CALLED if self.is_called(choice) else Result.ANSWERED

    def is_failed(self, choice: Choice) -> bool:
        if has_finish_reason(choice.finish_reason):
            return False
        facts = self.facts
        if facts.provider_error is not None or failed_status(facts):
            return True
        return facts.is_upstream_failure and self.is_empty(choice)

    def is_pending(self, choice: Choice) -> bool:
        if choice.index in self.facts.pending and not self.facts.streamed:
            return True
        is_open = self.facts.outcome is TransportOutcome.OPEN
        return is_open and not has_finish_reason(choice.finish_reason)

    def is_refused(self, choice: Choice) -> bool:
        return known(choice.refusal) and bool(choice.refusal)

    def is_filtered(self, choice: Choice) -> bool:
        return self.facts.block_reason is not None

    def is_truncated(self, choice: Choice) -> bool:
        if has_finish_reason(choice.finish_reason):
            return False
        facts = self.facts
        if facts.verdict in CUTTING_VERDICTS or facts.is_upstream_failure:
            return True
        return facts.streamed and facts.closing is None and facts.verdict is Verdict.MISSING_FINISH

    def has_unusable_call(self, choice: Choice) -> bool:
        return any(call_fault(call) for call, _ in choice_calls(choice))

    def is_left_out(self, choice: Choice) -> bool:
        """Return True if nothing is left of the choice in a shortened answer or a single chunk."""
        facts = self.facts
        is_part = facts.verdict is Verdict.ELIDED or facts.fragment is Fragment.CHUNK
        return (is_part or facts.notes.count(Anomaly.NOT_PRINTED) > 0) and self.is_empty(choice)

    def is_untold(self, choice: Choice) -> bool:
        """Return True if a record of the answer tells of a choice with nothing in it."""
        return self.facts.is_told and not choice.blocks

    def is_empty(self, choice: Choice) -> bool:
        """Return True without text, audio, image, refusal or call; reasoning is none of them."""
        texts = (_text_beside_reasoning(choice), choice.text, choice.refusal)
        if any(known(text) and text and not text.isspace() for text in texts):
            return False
        return not self.is_called(choice) and not self.has_media(choice)

    def is_called(self, choice: Choice) -> bool:
        is_named = bool(choice.tool_calls) or any(choice_calls(choice))
        return is_named or any(unnamed_calls(choice))

    def has_media(self, choice: Choice) -> bool:
        if any(block.kind in MEDIA_BLOCKS or _is_image_made(block) for block in choice.blocks):
            return True
        position = self.facts.positions.get(choice.index, choice.index)
        if position < len(self._sent) and _has_media_part(self._sent[position]):
            return True
        found = (choice.extras.get(name) for name in MEDIA_FIELDS)
        return any(any(one.values()) if isinstance(one, dict) else bool(one) for one in found)


def _is_image_made(block: Block) -> bool:
    """Return True for a call by which the provider made an image, and has it."""
    value = block.value if isinstance(block.value, dict) else {}
    return block.type == IMAGE_CALL and bool(value.get("result"))


def _text_beside_reasoning(choice: Choice) -> Json:
    passage = choice.inline_reasoning
    if passage is None or not isinstance(choice.content, str):
        return choice.content
    return "" if passage.end is None else choice.content[passage.end :]


def _has_media_part(choice: Json) -> bool:
    """Return True if the content is a list with a part that is no text."""
    message = choice.get("message") if isinstance(choice, dict) else None
    parts = message.get("content") if isinstance(message, dict) else None
    return any(
        isinstance(part, dict) and part.get("type") not in TEXT_PARTS
        for part in list_or_empty(parts)
    )


_Holds = Callable[[_Answer, Choice], bool]

# What its finish reason does not decide. What is none of these has calls, or was answered.
_ORDER: tuple[tuple[Result, _Holds], ...] = (
    (Result.ERROR, _Answer.is_failed),
    (Result.PENDING, _Answer.is_pending),
    (Result.REFUSED, _Answer.is_refused),
    (Result.FILTERED, _Answer.is_filtered),
    (Result.TRUNCATED, _Answer.is_truncated),
    (Result.UNUSABLE_CALL, _Answer.has_unusable_call),
    # Of an answer that was shortened with "…" it is not known whether anything was in it.
    (Result.UNKNOWN, _Answer.is_left_out),
    (Result.UNKNOWN, _Answer.is_untold),
    (Result.EMPTY, _Answer.is_empty),
)
_RANK: Mapping[Result, int] = {result: rank for rank, result in enumerate(Result)}
