from collections.abc import Sequence
from uuid import uuid4

import pytest
from django.apps import apps
from django.db import connection

from inspector.archive.deletion import content_rows, delete
from inspector.archive.inspection import claims, tasks
from inspector.archive.intake.submission import Submission, accept
from inspector.archive.models import Capture, State, TokenTombstone, Tombstone
from inspector.archive.queries import for_principal
from inspector.core.wire.exchange import Exchange
from inspector.teams.access import READ, for_key
from inspector.teams.keys import create_api_key
from inspector.teams.secret import hash_of
from tests.archive import samples
from tests.archive.samples import WHOLE, accept_arrival, inspect_all, inspected
from tests.archive.telling import tell_only
from tests.people import Person

pytestmark = pytest.mark.both_stacks

TOKENS = (
    b'{"id":"x","object":"chat.completion","created":1,"model":"m","choices":['
    b'{"index":0,"message":{"role":"assistant","content":"a"},"finish_reason":"stop",'
    b'"cost_usd":0.1,"duration_seconds":1.5,"feedback_token":"CANARY-first"},'
    b'{"index":1,"message":{"role":"assistant","content":"b"},"finish_reason":"stop",'
    b'"cost_usd":0.1,"duration_seconds":1.5,"feedback_token":"CANARY-second"}]}'
)


def fails(captures: Sequence[Capture]) -> None:
    raise RuntimeError("an app failed")


def canary(person: Person) -> Submission:
    exchange = Exchange.of_body(TOKENS, "application/json; note=CANARY")
    metadata = {"CANARY": "CANARY"}
    return Submission(exchange, tags=("CANARY",), note="CANARY", metadata=metadata)


def everything() -> str:
    """All that is stored of captures, as one text."""
    text = ""
    with connection.cursor() as cursor:
        for model in apps.get_app_config("archive").get_models():
            cursor.execute(f"SELECT * FROM {model._meta.db_table}")
            text += repr(cursor.fetchall())
    return text


def test_the_receipt_says_what_it_was_and_who_deleted_it(owner: Person) -> None:
    capture_id = accept_arrival(owner, canary(owner)).id
    inspect_all()
    before = Capture.objects.get(pk=capture_id)
    receipt = delete(owner.service, capture_id)
    assert receipt is not None
    assert (receipt.id, receipt.state) == (capture_id, "gone")
    assert (receipt.sha256, receipt.byte_length) == (before.sha256, len(TOKENS))
    assert receipt.received_at == before.received_at <= receipt.deleted_at
    assert receipt.deleted_by.startswith("key ri_") and "olga's service" in receipt.deleted_by
    assert receipt.feedback_tokens == 2


def test_content_is_in_no_table_any_more(owner: Person) -> None:
    capture_id = accept_arrival(owner, canary(owner)).id
    inspect_all()
    assert "CANARY" in everything()
    delete(owner.principal, capture_id)
    assert "CANARY" not in everything()
    assert not any(rows.exists() for rows in content_rows([capture_id]))
    assert for_principal(owner.principal).evidence(capture_id) is None
    assert for_principal(owner.principal).opened(capture_id) is None


def test_a_hash_of_each_feedback_token_stays(owner: Person) -> None:
    capture_id = accept_arrival(owner, canary(owner)).id
    inspect_all()
    delete(owner.principal, capture_id)
    kept = set(TokenTombstone.objects.values_list("sha256", flat=True))
    assert kept == {hash_of("CANARY-first"), hash_of("CANARY-second")}


def test_the_tombstone_keeps_what_proves_it(owner: Person) -> None:
    capture_id = inspected(owner)
    before = Capture.objects.get(pk=capture_id)
    delete(owner.principal, capture_id)
    after, stone = Capture.objects.get(pk=capture_id), Tombstone.objects.get(pk=capture_id)
    assert (after.sha256, after.byte_length) == (before.sha256, before.byte_length)
    assert (after.received_at, after.team_id) == (before.received_at, before.team_id)
    assert (after.state, stone.deleted_by) == (State.GONE, "user olga")


def test_the_account_still_balances(owner: Person) -> None:
    ids = [inspected(owner) for _ in range(3)]
    delete(owner.principal, ids[1])
    account = for_principal(owner.principal).state_counts()
    assert (account.accepted, account.inspected, account.deleted) == (3, 2, 1)


def test_what_is_gone_or_foreign_or_never_was_cannot_be_deleted(
    owner: Person, teammate: Person, stranger: Person
) -> None:
    capture_id = inspected(owner)
    reader = for_key(create_api_key(owner.team, "reader", [READ]))
    assert reader is not None
    for nobody in (stranger.principal, stranger.service, reader):
        assert delete(nobody, capture_id) is None
    assert delete(owner.principal, uuid4()) is None
    assert Capture.objects.get(pk=capture_id).state == State.INSPECTED
    assert delete(teammate.service, capture_id) is not None
    assert delete(owner.principal, capture_id) is None


def test_apps_are_told_of_what_was_read(owner: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[Capture] = []
    ids = [inspected(owner), samples.accept(owner)]
    tell_only(monkeypatch, deleted=told.extend)
    for capture_id in ids:
        delete(owner.principal, capture_id)
    assert [(each.pk, each.state) for each in told] == [(ids[0], "inspected"), (ids[1], "received")]


def test_nothing_is_deleted_if_an_app_fails(owner: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    capture_id = inspected(owner)
    tell_only(monkeypatch, deleted=fails)
    with pytest.raises(RuntimeError):
        delete(owner.principal, capture_id)
    page = for_principal(owner.principal).opened(capture_id)
    assert page is not None and page.analysis is not None


def test_a_worker_that_is_at_it_stores_nothing_any_more(owner: Person) -> None:
    capture_id = samples.accept(owner)
    (claimed,) = claims.claim()
    assert delete(owner.principal, capture_id) is not None
    tasks.inspect_capture(claimed)
    assert Capture.objects.get(pk=capture_id).state == State.GONE
    assert for_principal(owner.principal).opened(capture_id) is None


def test_a_late_resend_does_not_bring_it_back(owner: Person) -> None:
    arrival = Submission(Exchange.of_body(WHOLE), idempotency_key="k", posted_sha256="0" * 64)
    capture_id = accept_arrival(owner, arrival).id
    delete(owner.principal, capture_id)
    again = accept(owner.service, arrival)
    assert (again.id, getattr(again, "state", None)) == (capture_id, "gone")
    assert Capture.objects.count() == 1
