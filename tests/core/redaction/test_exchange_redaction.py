"""Rules are applied to every part of an exchange; lengths and times stay."""

import gzip
import hashlib

from inspector.core.redaction.exchange_redaction import redact_exchange
from inspector.core.redaction.mask_rules import RuleSet
from inspector.core.redaction_mark import AppliedRule, MaskKind, MaskRule, combined_redaction
from inspector.core.wire.exchange import Exchange, Read, Request

RULES = RuleSet(
    [
        MaskRule(3, MaskKind.PRESET, "email"),
        MaskRule(5, MaskKind.WORD, "Nightjar"),
        MaskRule(8, MaskKind.PATH, "user_id"),
    ]
)
STREAM = (b'data: {"d":"a@exam"}\n\n', b'data: {"d":"ple.com"}\n\n')
MASKED = (b'data: {"d":"******"}\n\n', b'data: {"d":"*******"}\n\n')


def keyed(digest: str) -> str:
    return f"keyed {digest[:8]}"


def digest_of(body: bytes) -> str:
    return f"keyed {hashlib.sha256(body).hexdigest()[:8]}"


def test_reads_keep_their_times_and_lengths() -> None:
    exchange = Exchange(reads=tuple(map(Read, (5, 9), STREAM)))
    after, _, redaction = redact_exchange(exchange, {}, RULES, keyed)
    assert after.reads == tuple(map(Read, (5, 9), MASKED))
    assert redaction is not None
    assert redaction.rules == (AppliedRule(id=3, kind=MaskKind.PRESET, name="email", places=1),)
    assert (redaction.response_body, redaction.request_body, redaction.elsewhere) == (1, 0, 0)
    assert redaction.response_body_was == digest_of(b"".join(STREAM))


def test_the_request_with_its_address_and_headers_and_the_metadata_are_searched() -> None:
    body = b'{"user_id":77,"messages":[{"role":"user","content":"I am a@example.com"}]}'
    exchange = Exchange(
        reads=(Read(None, b"{}"),),
        headers=(("x-note", "for nightjar"),),
        request=Request(
            method="POST",
            url="https://host.example/v1?m=a%40example.com&n=1",
            headers=(("x-project", "Nightjar"),),
            body=body,
        ),
    )
    metadata = {"user_id": 4711, "who": ["a@example.com", 1], "ok": True}
    after, known, redaction = redact_exchange(exchange, metadata, RULES, keyed)
    assert after.headers == (("x-note", "for ********"),)
    assert after.request == Request(
        method="POST",
        url="https://host.example/v1?m=***************&n=1",
        headers=(("x-project", "********"),),
        body=b'{"user_id":11,"messages":[{"role":"user","content":"I am *************"}]}',
    )
    assert known == {"user_id": 1111, "who": ["*************", 1], "ok": True}
    assert redaction is not None
    assert (redaction.request_body, redaction.response_body, redaction.elsewhere) == (2, 0, 5)
    assert redaction.request_body_was == digest_of(body)
    assert redaction.response_body_was is None
    assert redaction.rules[1] == AppliedRule(id=5, kind=MaskKind.WORD, places=2)


def test_a_compressed_body_is_kept_decompressed_where_something_is_found() -> None:
    packed = gzip.compress(b"".join(STREAM))
    headers = (("content-encoding", "gzip"), ("content-length", "99"), ("x", "y"))
    exchange = Exchange(reads=(Read(1, packed[:20]), Read(2, packed[20:])), headers=headers)
    after, _, redaction = redact_exchange(exchange, {}, RULES, keyed)
    assert after.body == b"".join(MASKED)
    assert [read.at_us for read in after.reads] == [1, 2]
    assert after.headers == (("x", "y"),)
    assert redaction is not None
    assert redaction.decoded_from == "gzip"


def test_where_nothing_is_found_everything_stays_as_it_came() -> None:
    packed = gzip.compress(b'{"a":"nothing"}')
    exchange = Exchange(reads=(Read(1, packed),), headers=(("content-encoding", "gzip"),))
    assert redact_exchange(exchange, {"a": 1}, RULES, keyed) == (exchange, {"a": 1}, None)


def test_without_rules_nothing_is_looked_at() -> None:
    exchange = Exchange.of_body(b"a@example.com")
    assert redact_exchange(exchange, {}, RuleSet([]), keyed) == (exchange, {}, None)


def test_two_redactions_add_up_and_the_first_hash_stays() -> None:
    exchange = Exchange.of_body(b"a@example.com nightjar")
    first = redact_exchange(exchange, {}, RuleSet(RULES.rules[:1]), keyed)
    second = redact_exchange(first.exchange, {}, RULES, keyed)
    both = combined_redaction(first.redaction, second.redaction)
    assert second.exchange.body == b"************* ********"
    assert both is not None
    assert both.total == 2
    assert [rule.id for rule in both.rules] == [3, 5]
    assert both.response_body_was == digest_of(exchange.body)
