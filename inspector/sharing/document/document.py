"""The document of a capture: one HTML file with everything in it. It needs no network and no
script, and nothing in it leads anywhere but to places of its own.
"""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any

import msgspec
from django.template.loader import render_to_string
from django.utils import timezone

from inspector.archive.opened import OpenedCapture
from inspector.archive.readers import on_demand, operations
from inspector.archive.readers.on_demand import Asker
from inspector.core.analysis import ANALYSIS_VERSION, Analysis
from inspector.core.prompt.prompt import PromptReading
from inspector.core.prompt.reading import PromptRequest
from inspector.core.wire.exchange import Exchange
from inspector.formatting.humanize import moment, plural
from inspector.formatting.invisible_characters import spell_out_invisible
from inspector.formatting.redactions import redaction_sentence
from inspector.sharing.document.answer import document_answer
from inspector.sharing.document.findings import Told
from inspector.sharing.document.head import DocumentHead, document_head
from inspector.sharing.document.prompt import MAX_MESSAGES, document_prompt, prompt_counts
from inspector.sharing.document.timing import BARS, HEIGHT, document_timing
from inspector.sharing.document.usage import document_counts
from inspector.sharing.document.withheld import MAX_WORD_CHARACTERS, TextRoom, Withheld

NEVER_IN_IT = "Never in such a document: cost, headers, metadata, tags, notes, votes, raw bytes."
UNKNOWN_PROMPT = "Only the response was stored: the prompt is not known."


@dataclass(frozen=True, slots=True)
class RenderedDocument:
    """``policy`` is its Content-Security-Policy, which stands in it and is sent with it.
    ``unfound`` are the numbers of passages that were to be masked and stand nowhere in it.
    """

    html: bytes
    policy: str
    analysis_version: int
    unfound: tuple[int, ...] = ()


def render_document(
    opened: OpenedCapture,
    withheld: Withheld,
    asker: Asker = None,
    shared_until: datetime | None = None,
) -> RenderedDocument | None:
    """The document of a capture as it is read now. None as long as it is not inspected, or where
    a deletion took it. Raises ``ReadingError``.
    """
    room = TextRoom(withheld)
    shown = shown_capture(opened, withheld, room, asker)
    if shown is None:
        return None
    context = {
        **shown.context,
        "policy": content_policy(),
        "shared_until": moment(shared_until) if shared_until else "",
        "saved_at": moment(timezone.now()),
        "left_out": left_out(withheld, shown.prompt_words),
        "never_in_it": NEVER_IN_IT,
        "version": ANALYSIS_VERSION,
    }
    html = spell_out_invisible(render_to_string("sharing/document.html", context))
    return RenderedDocument(html.encode(), content_policy(), ANALYSIS_VERSION, room.masks.unfound)


@dataclass(frozen=True, slots=True)
class ShownCapture:
    """What templates show of one capture. ``prompt_words``: how much of a prompt there is."""

    head: DocumentHead
    prompt_words: str
    context: dict[str, Any]


def shown_capture(
    opened: OpenedCapture, withheld: Withheld, room: TextRoom, asker: Asker
) -> ShownCapture | None:
    """None as long as it is not inspected, or where a deletion took it. Raises ``ReadingError``."""
    found, exchange = opened.readout, opened.exchange
    if found is None or exchange is None:
        return None
    analysis, prompt = found.analysis, _prompt_of(opened, exchange)
    model = _model_of(analysis, room)
    told = Told(analysis, _without_request(exchange, withheld, asker), withheld)
    shown_prompt = None if withheld.prompt or prompt is None else document_prompt(prompt, room)
    answer = document_answer(analysis, found.tape, room)
    head = document_head(opened, analysis, answer, told.ending(), model)
    context = {
        "withheld": withheld,
        "redacted": redaction_sentence(opened.redaction),
        "head": head,
        "prompt": shown_prompt,
        "unknown_prompt": UNKNOWN_PROMPT if prompt is None else "",
        "answer": answer,
        "timing": document_timing(analysis, found.tape, room),
        "drawing": f"0 0 {BARS} {HEIGHT:.0f}",
        "counts": document_counts(analysis, room),
        "findings": tuple(told.findings()),
    }
    return ShownCapture(head, prompt_counts(prompt) if prompt else "not known", context)


def _prompt_of(opened: OpenedCapture, exchange: Exchange) -> PromptReading | None:
    """None where no body of a request is known."""
    body = exchange.request.body if exchange.request else None
    return opened.prompt(PromptRequest(body, 0, MAX_MESSAGES)) if body else None


def _model_of(analysis: Analysis, room: TextRoom) -> str:
    """It is told also where texts are withheld: without it times and counts say little."""
    return spell_out_invisible(room.masks.masked(analysis.model or "")[:MAX_WORD_CHARACTERS])


def _without_request(exchange: Exchange, withheld: Withheld, asker: Asker) -> Analysis | None:
    """The same response read alone: what that says cannot come from the prompt."""
    if not withheld.prompt or exchange.request is None:
        return None
    alone = msgspec.structs.replace(exchange, request=None)
    with on_demand.reserve_reader(alone):
        return on_demand.read(operations.analysis, alone, asker)[0]


def left_out(withheld: Withheld, prompt_words: str) -> tuple[tuple[str, str], ...]:
    """What the maker withheld, and how much of it there is."""
    found = []
    if withheld.prompt:
        found.append(("Prompt", prompt_words))
    if withheld.texts:
        found.append(("Texts", "lengths are the original ones"))
    if withheld.passages:
        found.append(("Masked", plural(len(withheld.passages), "passage")))
    return tuple(found)


@cache
def content_policy() -> str:
    """Everything is forbidden but the one style, by its hash, and the empty icon."""
    # As the templates include it: a browser hashes what stands between the tags.
    style = render_to_string("sharing/document.css").encode()
    digest = base64.b64encode(hashlib.sha256(style).digest()).decode()
    return (
        f"default-src 'none'; img-src data:; style-src 'sha256-{digest}';"
        " base-uri 'none'; form-action 'none'"
    )
