"""Keys are replaced without a token noticing, or revoked with all that they signed."""

from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from inspector.feedback import signed_token, signing_keys
from inspector.feedback.casting import VoteRefusal
from inspector.feedback.models import SigningKey
from tests.feedback.voting import carrying, token_for, vote, voted
from tests.people import Person


def test_a_teams_first_token_makes_its_key(owner: Person, stranger: Person) -> None:
    assert signing_keys.list_signing_keys(owner.principal) == ()
    capture_id = carrying(owner, None)
    assert (
        signed_token.split_token(token_for(owner, capture_id)).key_id
        == signed_token.split_token(token_for(owner, capture_id)).key_id
    )
    (key,) = signing_keys.list_signing_keys(owner.principal)
    assert key.signs and key.made_by == "first token"
    token_for(stranger, carrying(stranger, None))
    assert (
        len(signing_keys.list_signing_keys(owner.principal))
        == len(signing_keys.list_signing_keys(stranger.principal))
        == 1
    )
    first, second = SigningKey.objects.all()
    assert bytes(first.secret) != bytes(second.secret) and len(bytes(first.secret)) == 32


def test_after_a_rotation_old_and_new_tokens_are_good(owner: Person) -> None:
    capture_id = carrying(owner, None)
    old = token_for(owner, capture_id)
    made = signing_keys.rotate_key(owner.principal)
    assert made is not None and made.made_by == "user olga"
    new = token_for(owner, capture_id)
    assert signed_token.split_token(new).key_id == made.id != signed_token.split_token(old).key_id
    for each in (old, new):
        voted(owner, each)
    newest, oldest = signing_keys.list_signing_keys(owner.principal)
    assert newest.signs and not oldest.signs and oldest.retired_at and not oldest.revoked_at


def test_a_revoked_keys_tokens_are_refused_and_votes_stay(owner: Person, stranger: Person) -> None:
    capture_id = carrying(owner, None)
    oldest = token_for(owner, capture_id)
    signing_keys.rotate_key(owner.principal)
    old = token_for(owner, capture_id)
    theirs = token_for(stranger, carrying(stranger, None))
    cast = voted(owner, old)
    assert signing_keys.revoke_keys(owner.principal)
    assert [vote(owner, each) for each in (oldest, old)] == [VoteRefusal.TOKEN] * 2
    assert voted(owner, token_for(owner, capture_id)).id != cast.id
    voted(stranger, theirs)
    assert [bool(key.revoked_by) for key in signing_keys.list_signing_keys(owner.principal)] == [
        False,
        True,
        True,
    ]


def test_managers_alone_change_keys(owner: Person, teammate: Person, stranger: Person) -> None:
    token = token_for(owner, carrying(owner, None))
    assert (
        signing_keys.rotate_key(teammate.principal) is None
        and signing_keys.revoke_keys(teammate.principal) is None
    )
    assert signing_keys.revoke_keys(owner.service) is None
    assert signing_keys.list_signing_keys(teammate.principal) == () and signing_keys.revoke_keys(
        stranger.principal
    )
    voted(owner, token)


def said(*arguments: Any) -> str:
    out = StringIO()
    call_command("rotate_feedback_keys", *arguments, stdout=out)
    return out.getvalue()


def test_the_command_rotates_and_revokes(owner: Person) -> None:
    capture_id = carrying(owner, None)
    old = token_for(owner, capture_id)
    assert "stay good" in said("--team", "default")
    voted(owner, old)
    assert "are refused" in said("--team", "default", "--revoke")
    assert vote(owner, old, "negative") is VoteRefusal.TOKEN
    assert signing_keys.list_signing_keys(owner.principal)[0].made_by == "command"
    with pytest.raises(CommandError, match="no team nowhere"):
        said("--team", "nowhere")
