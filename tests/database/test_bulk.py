from uuid import UUID, uuid4

import pytest
from django.db import IntegrityError, connection
from django.db.models import Model
from django.utils import timezone

from inspector.archive.models import ChoiceRow, Document, FindingRow, Inspection
from inspector.database import bulk
from inspector.database.model_columns import columns_of
from tests.archive.samples import CUT, accept
from tests.people import Person

pytestmark = pytest.mark.both_stacks

ODD = "\\N\t\n\r\\.\"'%s 😀"
"""Characters that separate columns and rows in one notation or another, or end them."""


def inspection(capture_id: UUID, team_id: int) -> Inspection:
    return Inspection(
        capture_id=capture_id,
        team_id=team_id,
        called_at=timezone.now(),
        inspected_at=timezone.now(),
        analysis_version=1,
        tried_version=1,
        verdict="complete",
        object=ODD,
        streamed=True,
        model=None,
        vendor="",
        choice_count=0,
        finish_reasons=["stop", ODD],
        usage_reported=False,
        prompt_tokens=2**63 - 1,
        completion_tokens=0,
        clock="none",
        error_count=0,
        warning_count=0,
        info_count=0,
    )


def test_rows_come_back_as_they_went_in(owner: Person) -> None:
    rows = [inspection(accept(owner), owner.team.pk) for _ in range(3)]
    bulk.bulk_insert(rows)
    found = Inspection.objects.in_bulk([row.pk for row in rows])
    for row in rows:
        for column in columns_of(Inspection):
            assert getattr(found[row.pk], column.attname) == getattr(row, column.attname), column


def test_bytes_of_any_kind_come_back(owner: Person) -> None:
    every = bytes(range(256)) * 2
    bulk.bulk_insert([Document(capture_id=accept(owner), readout=every)])
    found = Document.objects.get()
    assert (bytes(found.readout), found.previous, found.reinspected_at) == (every, None, None)


def test_the_database_numbers_what_has_a_number_of_its_own(owner: Person) -> None:
    capture_id = accept(owner, CUT)
    for position in range(2):
        row = ChoiceRow(capture_id=capture_id, position=position, tool_call_count=0)
        bulk.bulk_insert([row])
    assert len(set(ChoiceRow.objects.values_list("pk", flat=True))) == 2


@pytest.mark.parametrize("model", [Inspection, Document, ChoiceRow, FindingRow])
def test_the_columns_are_those_of_the_table(db: None, model: type[Model]) -> None:
    with connection.cursor() as cursor:
        table = connection.introspection.get_table_description(cursor, model._meta.db_table)
    there = {column.name for column in table}
    assert {column.column for column in columns_of(model)} == there - {"id"}


def test_nothing_is_nothing(db: None, django_assert_num_queries: object) -> None:
    with django_assert_num_queries(0):  # type: ignore[operator]
        bulk.bulk_insert([])


def test_what_the_database_refuses_it_refuses_as_ever(owner: Person) -> None:
    row = inspection(accept(owner), owner.team.pk)
    row.verdict = None  # type: ignore[assignment]
    with pytest.raises(IntegrityError):
        bulk.bulk_insert([row])


@pytest.mark.django_db(transaction=True)
def test_what_belongs_to_no_capture_is_refused_by_the_end(owner: Person) -> None:
    with pytest.raises(IntegrityError):
        bulk.bulk_insert([Document(capture_id=uuid4(), readout=b"")])
