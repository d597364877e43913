"""An archive of before calls had a time of their own."""

from datetime import timedelta
from importlib import import_module

import pytest
from django.apps import apps
from django.db import connection
from django.db.models import Model
from django.utils import timezone

from inspector.archive.inspection import reinspection
from inspector.archive.models import Capture, Inspection
from inspector.sessions.models import Turn
from inspector.usage.models import Price, StoredContribution
from inspector.usage.rollup.rollups import hour_of
from tests.archive.older import read_everything_again
from tests.archive.samples import inspected
from tests.people import Person

migration = import_module("inspector.archive.migrations.0002_call_times")
COPIES: tuple[type[Model], ...] = (Inspection, Price, Turn)


def make_old() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE" if is_postgresql() else "SELECT 1")
        for name in migration.NEW_INDEXES:
            cursor.execute(f"DROP INDEX {name}")
        cursor.execute("ALTER TABLE archive_capture DROP COLUMN called_at")
        for table in migration.COPIES:
            cursor.execute(f"ALTER TABLE {table} RENAME COLUMN called_at TO received_at")
        cursor.execute("ALTER TABLE usage_driftscanstate RENAME newest_call TO newest_arrival")


def is_postgresql() -> bool:
    return connection.vendor == "postgresql"


@pytest.mark.both_stacks
def test_captures_get_the_time_of_their_call_and_sums_follow(owner: Person) -> None:
    told, never, absurd = (inspected(owner) for _ in range(3))
    began = timezone.now() - timedelta(days=30)
    for capture_id, start in ((told, began), (absurd, began.replace(year=1970))):
        Capture.objects.filter(pk=capture_id).update(started_at=start)
    make_old()
    migration.upgrade(apps, connection.schema_editor())
    calls = dict(Capture.objects.values_list("pk", "called_at"))
    assert calls == dict(Capture.objects.values_list("pk", "received_at")) | {told: began}
    for model in COPIES:
        assert dict(model.objects.values_list("capture", "called_at")) == calls  # type: ignore[attr-defined]
    assert list(Inspection.objects.filter(tried_version=0).values_list("pk", flat=True)) == [told]
    reinspection.open_jobs()
    read_everything_again()
    hours = dict(StoredContribution.objects.values_list("capture", "start"))
    assert hours == {capture_id: hour_of(at) for capture_id, at in calls.items()}
    assert hours[never] > hours[told]


def test_an_archive_that_has_them_is_left_as_it_is(owner: Person) -> None:
    capture_id = inspected(owner)
    began = timezone.now() - timedelta(days=30)
    Capture.objects.filter(pk=capture_id).update(called_at=began)
    migration.upgrade(apps, connection.schema_editor())
    assert Capture.objects.get().called_at == began
