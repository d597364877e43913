"""Which service tier was used, where an answer states several."""

import pytest

from inspector.core.fields.service_tier import ServiceTier
from tests.core.bodies import (
    DONE,
    HELLO,
    ROLE,
    STOP,
    analysis,
    chunk,
    codes,
    completion,
    delta,
)  # fmt: skip

WORDS = (delta(b'"content":"one"'), delta(b'"content":" two"'), delta(b'"content":" three"'))


def tier(value: bytes) -> bytes:
    return b'"service_tier":' + value


def usage(value: bytes | None) -> bytes:
    more = b"," + tier(value) if value else b""
    return b'"usage":{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5%s}' % more


def stream(first: bytes, last: bytes, final: bytes) -> bytes:
    """``first`` stands in the first chunk, ``last`` in the one that ends, ``final`` after it."""
    words = b"".join(map(chunk, WORDS))
    return chunk(ROLE, more=first) + words + chunk(STOP, more=last) + chunk(more=final) + DONE


@pytest.mark.parametrize("first", [b'"auto"', b'"default"'])
def test_the_last_tier_holds_wherever_it_stands(first: bytes) -> None:
    flex = ServiceTier(used="flex", others=(first.decode().strip('"'),))
    beside = stream(tier(first), tier(b'"flex"'), usage(None) + b"," + tier(b'"flex"'))
    assert analysis(beside).service_tier == flex
    assert analysis(beside).completion["service_tier"] == "flex"
    assert "envelope.backend-changed" in codes(analysis(beside))
    assert analysis(stream(tier(first), b"", usage(b'"flex"'))).service_tier == flex


def test_what_names_no_tier_takes_none_back() -> None:
    for last in (b"null", b'""'):
        found = analysis(stream(tier(b'"flex"'), tier(last), usage(None)))
        assert found.service_tier == ServiceTier(used="flex")
    found = analysis(stream(tier(b'"flex"'), tier(b'"auto"'), usage(None)))
    assert found.service_tier == ServiceTier(used="flex", others=("auto",))
    assert found.completion["service_tier"] == "flex"


def test_none_is_stated() -> None:
    assert analysis(stream(b"", b"", usage(None))).service_tier is None
    assert analysis(stream(tier(b"null"), b"", usage(b"null"))).service_tier is None


def test_two_tiers_of_one_object_contradict_each_other() -> None:
    doubted = ServiceTier(used="default", others=("flex",), is_contradicted=True)
    whole = completion(HELLO, more=tier(b'"default"') + b"," + usage(b'"flex"'))
    assert analysis(whole).service_tier == doubted
    final = tier(b'"default"') + b"," + usage(b'"flex"')
    assert analysis(stream(tier(b'"default"'), b"", final)).service_tier == doubted


def test_auto_beside_a_tier_contradicts_nothing() -> None:
    whole = completion(HELLO, more=tier(b'"auto"') + b"," + usage(b'"flex"'))
    assert analysis(whole).service_tier == ServiceTier(used="flex", others=("auto",))


def test_usage_in_every_chunk_is_held_against_the_tier_beside_it() -> None:
    said = tier(b'"default"') + b"," + usage(b'"flex"')
    body = b"".join(chunk(each, more=said) for each in WORDS)
    last = chunk(delta(b'"content":" four"'), more=tier(b'"default"') + b"," + usage(None))
    assert analysis(body + chunk(STOP) + DONE).service_tier == ServiceTier(
        used="default", others=("flex",), is_contradicted=True
    )
    assert analysis(body + last + chunk(STOP) + DONE).service_tier == ServiceTier(
        used="default", others=("flex",)
    )


def test_many_tiers_are_not_all_kept() -> None:
    body = b"".join(chunk(ROLE, more=tier(b'"tier %d"' % each)) for each in range(1_000))
    found = analysis(body + chunk(STOP) + DONE).service_tier
    assert found is not None
    assert found.used == "tier 999"
    assert len(found.others) == 7
