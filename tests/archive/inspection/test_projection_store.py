from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
import time_machine
from django.db import connection
from django.db.models.functions import Now
from django.utils import timezone

from inspector.archive import readouts
from inspector.archive.events import ProjectionChange
from inspector.archive.inspection import claims, projection_store, tasks
from inspector.archive.inspection.projection import ProjectionRows, project
from inspector.archive.intake.submission import Submission
from inspector.archive.models import Capture, ChoiceRow, Document, FindingRow, Inspection, State
from inspector.archive.readers.extract import extract
from inspector.archive.storage import evidence
from inspector.core.wire.exchange import Exchange, Request
from tests.archive.loaded import loaded
from tests.archive.samples import CUT, STREAM, WHOLE, accept, accept_arrival, inspect_all, inspected
from tests.archive.telling import tell_only
from tests.people import Person

pytestmark = pytest.mark.both_stacks

told: list[Sequence[ProjectionChange]] = []


def remember(replaced: Sequence[ProjectionChange]) -> None:
    told.append(replaced)


def refuse(replaced: Sequence[ProjectionChange]) -> None:
    raise RuntimeError("the roll-up fails")


def read(capture: Capture) -> ProjectionRows:
    return project(capture, extract(evidence.unpack(capture, capture.evidence)))


def inspect_again(capture_id: UUID) -> None:
    Capture.objects.filter(pk=capture_id).update(state=State.RECEIVED, attempt=0, due_at=Now())
    tasks.inspect_due()


def test_an_inspection_holds_what_lists_show(owner: Person) -> None:
    found = Inspection.objects.get(pk=inspected(owner))
    assert (found.verdict, found.dialect, found.object) == (
        "complete",
        "openai-chat",
        "chat.completion",
    )
    assert (found.model, found.response_id, found.streamed) == ("gpt-4o", "chatcmpl-1", False)
    assert (found.choice_count, found.finish_reasons) == (1, ["stop"])
    assert (found.prompt_tokens, found.completion_tokens, found.total_tokens) == (3, 2, 5)
    assert (found.cached_tokens, found.reasoning_tokens, found.usage_reported) == (1, None, True)
    assert (found.clock, found.first_byte_us) == ("none", None)


def test_choices_and_findings_have_rows_of_their_own(owner: Person) -> None:
    capture_id = inspected(owner, CUT)
    assert Inspection.objects.get(pk=capture_id).verdict == "cut-off"
    codes = FindingRow.objects.filter(capture=capture_id).values_list("code", "source", "severity")
    assert any(severity in ("warning", "error") for _, _, severity in codes)
    assert {source for _, source, _ in codes} == {"reading"}
    choice = ChoiceRow.objects.get(capture=inspected(owner, WHOLE))
    assert (choice.position, choice.index, choice.finish_reason) == (0, 0, "stop")


def test_the_counts_of_findings_are_those_of_the_rows(owner: Person) -> None:
    capture_id = inspected(owner, CUT)
    found = Inspection.objects.get(pk=capture_id)
    for severity in ("error", "warning", "info"):
        rows = FindingRow.objects.filter(capture=capture_id, severity=severity).count()
        assert getattr(found, f"{severity}_count") == rows


def test_a_second_inspection_replaces_the_first_and_keeps_its_document(owner: Person) -> None:
    capture_id = inspected(owner)
    first = bytes(Document.objects.get(pk=capture_id).readout)
    Capture.objects.filter(pk=capture_id).update(dialect_hint="openai-text")
    inspect_again(capture_id)
    stored = Document.objects.get(pk=capture_id)
    assert loaded(capture_id).analysis.dialect == "openai-text"
    assert stored.previous is not None and bytes(stored.previous) == readouts.without_tape(first)
    assert Inspection.objects.get(pk=capture_id).dialect == "openai-text"


def test_inspecting_twice_leaves_one_of_everything(owner: Person) -> None:
    capture_id = inspected(owner, CUT)
    before = FindingRow.objects.filter(capture=capture_id).count()
    inspect_again(capture_id)
    assert FindingRow.objects.filter(capture=capture_id).count() == before > 0
    assert Inspection.objects.count() == Document.objects.count() == 1


def test_the_findings_of_a_projection_are_left_alone(owner: Person) -> None:
    capture_id = inspected(owner)
    FindingRow.objects.create(
        capture_id=capture_id,
        source="drift",
        position=0,
        code="drift.model",
        severity="info",
        message="m",
    )
    inspect_again(capture_id)
    assert FindingRow.objects.filter(capture=capture_id, source="drift").count() == 1


def test_apps_are_told_what_was_and_what_is(owner: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    told.clear()
    tell_only(monkeypatch, inspected=remember)
    capture_id = inspected(owner)
    inspect_again(capture_id)
    ((no_rows, first),), ((second, third),) = told
    assert no_rows is None
    assert first.inspection.pk == capture_id
    assert second is not None and second.inspection.verdict == "complete"
    assert second.choices[0].finish_reason == "stop"
    assert third.document.previous == readouts.without_tape(second.document.readout)


def test_what_an_app_refuses_is_not_stored(owner: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    tell_only(monkeypatch, inspected=refuse)
    capture_id = inspected(owner)
    row = Capture.objects.get(pk=capture_id)
    assert (row.state, row.attempt) == (State.RECEIVED, 1)
    assert not Inspection.objects.exists()
    assert not FindingRow.objects.exists()


def test_whoever_lost_the_lease_stores_nothing(owner: Person) -> None:
    accept(owner)
    (late,) = claims.claim()
    Capture.objects.filter(pk=late.pk).update(lease_token=None, state=State.RECEIVED)
    assert projection_store.store_rows([read(late)]) == set()
    assert not Inspection.objects.exists()


def test_of_several_only_those_are_stored_whose_lease_is_still_held(owner: Person) -> None:
    ids = [accept(owner, body) for body in (WHOLE, CUT, STREAM)]
    claimed = claims.claim()
    Capture.objects.filter(pk=ids[1]).update(lease_token=uuid4())
    assert projection_store.store_rows([read(capture) for capture in claimed]) == {ids[0], ids[2]}
    assert set(Inspection.objects.values_list("pk", flat=True)) == {ids[0], ids[2]}
    assert not FindingRow.objects.filter(capture=ids[1]).exists()
    states = dict(Capture.objects.values_list("pk", "state"))
    assert [states[capture_id] for capture_id in ids] == ["inspected", "processing", "inspected"]


def test_apps_are_told_once_of_all_stored(owner: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    again = inspected(owner)
    told.clear()
    tell_only(monkeypatch, inspected=remember)
    Capture.objects.filter(pk=again).update(state=State.RECEIVED, attempt=0, due_at=Now())
    new = accept(owner, STREAM)
    tasks.inspect_due()
    (replaced,) = told
    befores = {after.inspection.pk: before for before, after in replaced}
    assert befores.keys() == {again, new}
    assert befores[new] is None
    assert befores[again] is not None and befores[again].inspection.pk == again


def test_many_are_stored_by_as_few_statements_as_few(owner: Person) -> None:
    counts = []
    # The first of their kind also make the series that all of them are counted in.
    for many in (1, 2, 40):
        for _ in range(many):
            accept(owner, CUT)
        rows = [read(capture) for capture in claims.claim()]
        statements: list[str] = []
        with connection.execute_wrapper(noting(statements)):
            assert len(projection_store.store_rows(rows)) == many
        counts.append(len(statements))
    assert counts[1] == counts[2] > 0


def noting(statements: list[str]) -> Callable[..., Any]:
    def note(execute: Callable[..., Any], sql: str, *about: Any) -> Any:
        statements.append(sql)
        return execute(sql, *about)

    return note


def test_the_time_of_an_inspection_is_the_databases_and_that_of_the_first(owner: Person) -> None:
    with time_machine.travel(datetime(2001, 1, 1, tzinfo=UTC)):
        capture_id = inspected(owner)
    first = Inspection.objects.get(pk=capture_id).inspected_at
    assert abs(first - timezone.now()) < timedelta(minutes=1)
    inspect_again(capture_id)
    assert Inspection.objects.get(pk=capture_id).inspected_at == first
    reinspected_at = Document.objects.get(pk=capture_id).reinspected_at
    assert reinspected_at is not None and reinspected_at > first


@pytest.mark.parametrize(
    "model", [r"a\u0000b", r"\ud800", "m" * 5_000, "😀" * 600, r"\u202e\u0007"]
)
def test_a_model_name_of_any_kind_fits_its_column(owner: Person, model: str) -> None:
    body = WHOLE.replace(b"gpt-4o", model.encode()).replace(b"chatcmpl-1", b"i" * 10_000)
    found = Inspection.objects.get(pk=inspected(owner, body))
    assert found.model is not None and len(found.model) <= 500
    assert "\0" not in found.model
    found.model.encode()
    assert found.response_id is not None and len(found.response_id) == 500


def test_counts_that_fit_no_column_stay_in_the_document(owner: Person) -> None:
    body = WHOLE.replace(b'"prompt_tokens":3', b'"prompt_tokens":9223372036854775808')
    capture_id = inspected(owner, body)
    assert Inspection.objects.get(pk=capture_id).prompt_tokens is None
    assert Capture.objects.get(pk=capture_id).state == State.INSPECTED


def test_an_index_from_outside_sizes_nothing(owner: Person) -> None:
    body = WHOLE.replace(b'"index":0', b'"index":1' + b"0" * 40)
    capture_id = inspected(owner, body)
    assert Capture.objects.get(pk=capture_id).state == State.INSPECTED
    assert ChoiceRow.objects.filter(capture=capture_id).count() == 1


def test_many_choices_make_few_rows(owner: Person) -> None:
    body = b'{"object":"chat.completion","choices":[' + b",".join([b"{}"] * 1_000) + b"]}"
    capture_id = inspected(owner, body)
    assert Inspection.objects.get(pk=capture_id).choice_count == 1_000
    assert ChoiceRow.objects.filter(capture=capture_id).count() == 200


def test_the_model_that_was_asked_for_is_kept_beside_the_one_that_answered(owner: Person) -> None:
    exchange = Exchange(
        reads=Exchange.of_body(WHOLE).reads, request=Request(body=b'{"model":"gpt-4o-latest"}')
    )
    capture_id = accept_arrival(owner, Submission(exchange)).id
    inspect_all()
    found = Inspection.objects.get(pk=capture_id)
    assert (found.request_model, found.model) == ("gpt-4o-latest", "gpt-4o")
