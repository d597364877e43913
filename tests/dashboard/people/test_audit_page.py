from datetime import UTC, datetime

from inspector.dashboard.people.team_views import ACT_WORDS, AuditLine, audit_line
from inspector.teams.audit import Act
from inspector.teams.queries import AuditRow


def test_every_act_has_words_of_its_own() -> None:
    assert set(ACT_WORDS) == set(Act)
    assert len(set(ACT_WORDS.values())) == len(Act)


def test_an_act_of_a_later_release_is_shown_by_its_code() -> None:
    at = datetime(2026, 11, 20, 14, 2, 19, tzinfo=UTC)
    line = audit_line(AuditRow("user olga", "team_merged", "", None, at))
    assert line == AuditLine(at, "user olga", "team_merged", "", None)
