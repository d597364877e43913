import hashlib

import pytest

from inspector.teams.keys import create_api_key, limit_streams_by_id, pause_by_id, revoke
from inspector.teams.models import ApiKey, AuditEntry
from tests.people import Person


def test_only_the_hash_of_a_key_is_kept(owner: Person) -> None:
    plain = create_api_key(owner.team, "billing")
    key = ApiKey.objects.get(name="billing")
    assert key.sha256 == hashlib.sha256(plain.encode()).hexdigest()
    assert plain not in str(key.__dict__.values())
    assert plain.startswith(key.prefix) and len(key.prefix) < 12


def test_a_key_is_recognisable_and_holds_256_random_bits(owner: Person) -> None:
    keys = {create_api_key(owner.team, "many") for _ in range(20)}
    assert len(keys) == 20
    assert all(key.startswith("ri_") and len(key) == 3 + 43 for key in keys)


def test_a_key_may_send_and_read_unless_named_otherwise(owner: Person) -> None:
    create_api_key(owner.team, "usual")
    create_api_key(owner.team, "sender", ["ingest", "ingest"])
    assert ApiKey.objects.get(name="usual").scopes == ["ingest", "read"]
    assert ApiKey.objects.get(name="sender").scopes == ["ingest"]


@pytest.mark.parametrize("scope", ["*", "admin", ""])
def test_there_are_no_other_scopes(owner: Person, scope: str) -> None:
    with pytest.raises(ValueError, match="unknown scope"):
        create_api_key(owner.team, "greedy", [scope])
    assert not ApiKey.objects.filter(name="greedy").exists()


def test_a_key_that_captures_does_nothing_else(owner: Person) -> None:
    create_api_key(owner.team, "checkout", ["capture"])
    assert ApiKey.objects.get(name="checkout").scopes == ["capture"]
    with pytest.raises(ValueError, match="nothing else"):
        create_api_key(owner.team, "greedy", ["capture", "read"])
    assert not ApiKey.objects.filter(name="greedy").exists()


def test_a_key_is_paused_and_resumed_and_each_is_noted_once(owner: Person) -> None:
    key_id, access = capture_key(owner), owner.principal.teams[0]

    for is_paused in (True, True, False, False):
        assert pause_by_id(owner.principal, access, key_id, is_paused)

    assert ApiKey.objects.get(pk=key_id).paused_at is None
    noted = AuditEntry.objects.filter(act__in=["key_paused", "key_resumed"]).order_by("pk")
    assert list(noted.values_list("act", flat=True)) == ["key_paused", "key_resumed"]


def test_the_streams_of_a_key_are_limited(owner: Person) -> None:
    key_id, access = capture_key(owner), owner.principal.teams[0]

    assert limit_streams_by_id(owner.principal, access, key_id, 3)

    assert ApiKey.objects.get(pk=key_id).max_streams == 3
    assert AuditEntry.objects.get(act="key_limited").on.endswith("(checkout): 3")


def test_only_a_teams_own_capturing_key_is_paused(owner: Person, stranger: Person) -> None:
    theirs, access = capture_key(stranger), owner.principal.teams[0]
    revoked = capture_key(owner)
    revoke(ApiKey.objects.get(pk=revoked))
    reader = ApiKey.objects.get(name="olga's service").pk

    for key_id in (theirs, revoked, reader, 10**9):
        assert not pause_by_id(owner.principal, access, key_id, True)
        assert not limit_streams_by_id(owner.principal, access, key_id, 3)

    assert not ApiKey.objects.exclude(paused_at=None, max_streams=100).exists()


def capture_key(person: Person) -> int:
    plain = create_api_key(person.team, "checkout", ["capture"])
    return ApiKey.objects.get(sha256=hashlib.sha256(plain.encode()).hexdigest()).pk
