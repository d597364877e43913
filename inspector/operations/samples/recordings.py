"""Recordings for a first start, each showing a different feature."""

from __future__ import annotations

from itertools import zip_longest
from typing import Any

from inspector.core.wire.exchange import Exchange
from inspector.operations.samples.composer import (
    DONE,
    KEEP_ALIVE,
    StreamComposer,
    call,
    data,
    delta,
    pieces,
)

ROLE = {"role": "assistant", "content": ""}
INSTRUCTIONS = (
    "You plan shipments for a warehouse. Name the carrier, the day and what it costs in duties."
)
BOOK_SHIPMENT = {
    "type": "function",
    "function": {
        "name": "book_shipment",
        "description": "Books a carrier for some lines of an order.",
        "parameters": {
            "type": "object",
            "properties": {
                "order_id": {"type": "string"},
                "legs": {"type": "array", "items": {"type": "object"}},
                "carrier": {"enum": ["dhl", "dpd"]},
            },
            "required": ["order_id", "legs"],
        },
    },
}


def prompt(text: str, system: str | None = None) -> dict[str, Any]:
    """The request's messages: a question, behind instructions where there are some."""
    instructions = [{"role": "system", "content": system}] if system else []
    return {"messages": [*instructions, {"role": "user", "content": text}]}


def two_choices() -> Exchange:
    """n = 2, interleaved, with a stall and a read that carries many chunks."""
    stream = StreamComposer(
        "parcel-large-2", "chatcmpl-two", first_ms=287, system_fingerprint="fp_7c1e90"
    )
    first = (
        "Ship order 48213 from Rotterdam. Both lines are in stock there, the carrier collects at "
        "16:30, and the parcel reaches Basel on Thursday. Leipzig would be one day faster for the "
        "first line, but its second line is on backorder until 2 December."
    )
    second = (
        "Ship order 48213 from Leipzig and Rotterdam as two legs. The first line leaves tonight, "
        "the second follows tomorrow; the customer gets two parcels and is charged customs twice."
    )
    stream.read(KEEP_ALIVE)
    stream.read(stream.chunk(delta(ROLE, 0)), stream.chunk(delta(ROLE, 1)), after_ms=325)
    turns = [
        stream.chunk(delta({"content": piece}, index))
        for pair in zip_longest(pieces(first), pieces(second))
        for index, piece in enumerate(pair)
        if piece is not None
    ]
    stream.reads(turns[:26])
    stream.read(*turns[26:37], after_ms=1840)
    stream.reads(turns[37:])
    stream.read(stream.chunk(delta({}, 1, "stop")))
    stream.read(stream.chunk(delta({}, 0, "stop")))
    usage = {"prompt_tokens": 412, "completion_tokens": 118, "total_tokens": 530}
    stream.read(stream.chunk(usage=usage), DONE)
    return stream.exchange(
        request_fields={
            **prompt("How do we ship order 48213 to Basel, and by when is it there?", INSTRUCTIONS),
            "n": 2,
            "stream_options": {"include_usage": True},
        }
    )


def broken_arguments() -> Exchange:
    """Two parallel tool calls; the arguments of the second are truncated."""
    stream = StreamComposer("parcel-large-2", "chatcmpl-calls", first_ms=412)
    stream.read(stream.chunk(delta(ROLE)))
    stream.reads(stream.deltas("I book both legs now."))
    stream.read(stream.chunk(delta(call("", 0, call_id="call_a1", name="book_shipment"))))
    stream.read(stream.chunk(delta(call("", 1, call_id="call_b2", name="book_shipment"))))
    whole = '{"order_id":"48213","legs":[{"warehouse":"LEJ","lines":[1]}],"carrier":"dhl"}'
    cut = '{"order_id":"48213","legs":[{"warehouse":"RTM","lines":[2]}],"carrier":"dpd","collect_'
    for start in range(0, max(len(whole), len(cut)), 9):
        for index, arguments in enumerate((whole, cut)):
            if piece := arguments[start : start + 9]:
                stream.read(stream.chunk(delta(call(piece, index))))
    stream.read(stream.chunk(delta({}, finish="length")))
    usage = {"prompt_tokens": 846, "completion_tokens": 92, "total_tokens": 938}
    stream.read(stream.chunk(usage=usage), DONE)
    return stream.exchange(
        request_fields={
            **prompt(
                "Book both legs of order 48213: line 1 from LEJ, line 2 from RTM.", INSTRUCTIONS
            ),
            "tools": [BOOK_SHIPMENT],
            "max_tokens": 92,
        }
    )


def reasoning() -> Exchange:
    """Reasoning before the answer; usage with cached and reasoning tokens."""
    stream = StreamComposer("thinker-8b", "chatcmpl-think", first_ms=655, provider="eu-2")
    stream.read(stream.chunk(delta({"role": "assistant", "content": None})))
    thought = (
        "The train leaves at 9:40 and takes 2 h 35 min. 9:40 plus two hours is 11:40, plus "
        "35 minutes is 12:15. The question asks for local time; both cities share a time zone."
    )
    stream.reads(stream.deltas(thought, "reasoning_content"))
    stream.reads(stream.deltas("You arrive at 12:15, local time."))
    stream.read(stream.chunk(delta({}, finish="stop")))
    usage = {
        "prompt_tokens": 1846,
        "completion_tokens": 74,
        "total_tokens": 1920,
        "prompt_tokens_details": {"cached_tokens": 1536, "audio_tokens": 0},
        "completion_tokens_details": {"reasoning_tokens": 52, "audio_tokens": None},
    }
    stream.read(stream.chunk(usage=usage), DONE)
    return stream.exchange(
        request_fields=prompt(
            "My train leaves at 9:40 and takes 2 h 35 min. When do I arrive, local time?"
        )
    )


def refusal() -> Exchange:
    stream = StreamComposer("parcel-small-1", "chatcmpl-no", first_ms=233)
    stream.read(stream.chunk(delta({"role": "assistant", "content": None, "refusal": ""})))
    text = "I can't help with opening somebody else's mail."
    stream.reads(stream.deltas(text, "refusal"))
    stream.read(stream.chunk(delta({}, finish="stop")))
    usage = {"prompt_tokens": 31, "completion_tokens": 11, "total_tokens": 42}
    stream.read(stream.chunk(usage=usage), DONE)
    return stream.exchange(request_fields=prompt("How do I open my neighbour's parcel unseen?"))


def logprobs() -> Exchange:
    """Logprobs for every token, one of them the sentinel −9999.0 (not among the most likely)."""
    stream = StreamComposer("parcel-small-1", "chatcmpl-likely", first_ms=198)
    stream.read(stream.chunk(delta(ROLE)))
    likely = {"Basel": -0.0004, " is": -0.0131, " dry": -1.2207, " today": -0.2819, ".": -9999.0}
    for token, logprob in likely.items():
        entry = {
            "token": token,
            "logprob": logprob,
            "bytes": list(token.encode()),
            "top_logprobs": [
                {"token": token, "logprob": logprob},
                {"token": " wet", "logprob": -2.5},
            ],
        }
        choice = delta({"content": token}) | {"logprobs": {"content": [entry], "refusal": None}}
        stream.read(stream.chunk(choice))
    stream.read(stream.chunk(delta({}, finish="stop")), DONE)
    return stream.exchange(
        request_fields={
            **prompt("Is it dry in Basel today?"),
            "logprobs": True,
            "top_logprobs": 2,
        }
    )


def workflowai() -> Exchange:
    """Feedback token, cost and duration on the last chunk's choice; no end mark."""
    stream = StreamComposer("reply-draft", "reply-draft/0193-7c1e", first_ms=540)
    text = "Thank you for your order. Both parcels arrive on Thursday before noon."
    for number, piece in enumerate(pieces(text)):
        choice = {"index": 0, "delta": {"role": "assistant", "content": piece}}
        # Wall clock time of every chunk, as WorkflowAI sends it.
        stream.read(stream.chunk(choice, created=1_795_183_339 + number // 8))
    last = delta({"role": "assistant", "content": ""}, finish="stop") | {
        "feedback_token": "eyJ0IjoxLCJ1Ijo3LCJyIjoiMDE5My03YzFlIn0.9f2c70",
        "cost_usd": 0.00102300,
        "duration_seconds": 1.84,
        "usage": {"prompt_tokens": 118, "completion_tokens": 14, "total_tokens": 132},
    }
    stream.read(stream.chunk(last, created=1_795_183_341))
    return stream.exchange(
        request_fields=prompt("Reply to: “Where is my order? It should have been here.”")
    )


def cut_off() -> Exchange:
    """The connection ended inside an event, mid-word."""
    stream = StreamComposer("parcel-large-2", "chatcmpl-cut", first_ms=520)
    stream.read(stream.chunk(delta(ROLE)))
    stream.reads(
        stream.deltas("The three carriers differ in price, in speed and in how they treat")
    )
    stream.read(stream.chunk(delta({"content": " customs"}))[:-31], after_ms=1400)
    return stream.exchange(
        request_fields=prompt(
            "Compare the three carriers for parcels to Switzerland.", INSTRUCTIONS
        )
    )


def error_in_stream() -> Exchange:
    """Status 200, some text, then an error object in place of a chunk."""
    stream = StreamComposer("parcel-large-2", "chatcmpl-err", first_ms=344)
    stream.read(stream.chunk(delta(ROLE)))
    stream.reads(stream.deltas("The parcel was last seen in"))
    error = {"message": "The engine is overloaded, try again later.", "type": "server_error"}
    stream.read(data({"error": error | {"param": None, "code": "overloaded"}}), after_ms=930)
    return stream.exchange(request_fields=prompt("Where is parcel 00340434161094042557?"))
