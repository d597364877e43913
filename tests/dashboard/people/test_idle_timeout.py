"""When a session ends that nobody ended."""

from datetime import timedelta

import time_machine
from django.contrib.sessions.models import Session
from django.test import Client
from django.utils import timezone

from inspector.operations import sweeping
from inspector.teams.sign_in_links import create_link
from tests.people import Person


def signed_in(person: Person) -> Client:
    client = Client()
    client.post(create_link(person.user))
    return client


def is_signed_in(client: Client) -> bool:
    return client.get("/account/").status_code == 200


def test_a_session_that_is_used_lasts_fourteen_days_and_no_longer(owner: Person) -> None:
    start = timezone.now()
    client = signed_in(owner)
    for day in (3, 6, 9, 12, 13.9):
        with time_machine.travel(start + timedelta(days=day), tick=False):
            assert is_signed_in(client)
    with time_machine.travel(start + timedelta(days=14, minutes=1), tick=False):
        assert not is_signed_in(client)


def test_a_session_that_nobody_uses_ends_after_four_days(owner: Person) -> None:
    start = timezone.now()
    client = signed_in(owner)
    with time_machine.travel(start + timedelta(days=4, minutes=1), tick=False):
        assert not is_signed_in(client)
    assert not is_signed_in(client)


def test_ended_ones_are_forgotten_and_others_stay(owner: Person, teammate: Person) -> None:
    signed_in(owner)
    with time_machine.travel(timezone.now() + timedelta(days=10), tick=False):
        signed_in(teammate)
    with time_machine.travel(timezone.now() + timedelta(days=15), tick=False):
        sweeping._ended_due_at = 0.0
        sweeping.delete_ended()
    assert Session.objects.count() == 1
