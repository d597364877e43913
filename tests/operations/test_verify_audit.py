"""``manage.py verify_audit``."""

from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from inspector.teams import audit, audit_chain
from inspector.teams.access import NOBODY
from inspector.teams.audit import Act
from inspector.teams.models import AuditEntry
from tests.people import Person

Said = tuple[int, list[str]]


def verify(*arguments: str) -> Said:
    """The exit code, and what was printed."""
    out = StringIO()
    try:
        call_command("verify_audit", *arguments, stdout=out)
    except CommandError as error:
        return error.returncode, out.getvalue().splitlines()
    return 0, out.getvalue().splitlines()


@pytest.fixture
def chain(owner: Person) -> str:
    AuditEntry.objects.all().delete()
    for site in ("https://a.example", "https://b.example\x1b[2J", "https://c.example"):
        audit.note(NOBODY, owner.team.pk, Act.SITE_LISTED, site)
    audit_chain.seal()
    return f"team {owner.team.pk}"


def test_it_prints_the_end_of_each_chain_to_be_noted(chain: str) -> None:
    last = AuditEntry.objects.get(number=3)
    whole = f"{chain}: 3 entries, unbroken; end {chain}:3:{last.sha256}"
    assert verify() == (0, [whole])
    assert verify("--end", f"{chain}:3:{last.sha256}") == (0, [whole])


def test_it_names_the_first_broken_entry_with_nothing_that_steers_a_terminal(chain: str) -> None:
    AuditEntry.objects.filter(number=2).update(by="user theo")
    code, [line] = verify()
    assert code == 1
    assert line.startswith(f"{chain}: BROKEN at entry 2 (id ")
    assert line.endswith("its content or hash was changed") and "\x1b" not in line


def test_it_names_the_number_of_one_that_is_missing(chain: str) -> None:
    AuditEntry.objects.filter(number=3).delete()
    assert verify() == (1, [f"{chain}: BROKEN at entry 3: it is missing"])


def test_another_end_than_the_noted_one_is_broken(chain: str) -> None:
    code, [line] = verify("--end", f"{chain}:3:{'0' * 64}")
    assert code == 1 and "as the end" in line


@pytest.mark.parametrize("end", ["", "team 1", "team 1:x:00", "1:2"])
def test_an_end_that_is_not_as_printed_is_refused(db: Any, end: str) -> None:
    with pytest.raises(CommandError, match="write it as it was printed"):
        call_command("verify_audit", "--end", end)


def test_what_waits_to_be_sealed_is_told_and_no_damage(owner: Person) -> None:
    AuditEntry.objects.all().delete()
    assert verify() == (0, ["The audit log has no entries."])
    audit.note(NOBODY, owner.team.pk, Act.SITE_LISTED, "https://a.example")
    assert verify() == (0, ["1 entry not sealed yet: the sweep does it"])
