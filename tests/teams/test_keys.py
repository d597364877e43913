import hashlib

import pytest

from inspector.teams.keys import create_api_key
from inspector.teams.models import ApiKey
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
