"""What the authorisation table asks for: written out, for the matrix takes the table at its word."""

import pytest

from inspector.teams.authorisation import TABLE, AuthMethod
from tests.teams.world import all_routes

OF_PAGES = {
    "own": "GET audit, GET audit-file, POST audit-settings, POST team-name",
    "manage": """
        POST member-role, POST member-remove, POST invite, POST invitation-withdraw,
        POST new-key, POST key-revoke, POST key-pause, POST key-streams, POST connect-key,
        POST upstream-add, POST upstream-resource, POST upstream-change, POST upstream-turn,
        POST upstream-remove, POST redaction-add, POST redaction-turn, POST redaction-remove,
        POST redaction-try, POST retention-add, POST retention-turn, POST retention-remove,
        POST price-add, POST price-end, POST reprice, GET feedback-settings, POST new-site,
        POST site-remove, POST keys-rotate, POST keys-revoke
    """,
    "delete": "GET bulk-deletion, POST bulk-deletion, POST redaction-apply, POST delete",
    "export": """
        GET exports, POST export-request, GET export-file, POST export-delete, GET shares,
        GET share-list, POST share-list, POST share-revoke, GET capture-shares, POST capture-shares
    """,
    "feedback": "POST feedback-triage, POST feedback-token, POST feedback-token-revoke, POST vote",
    "ingest": """
        POST tag, POST samples, POST bulk-undo, POST view-save, POST view-rename, POST view-share,
        POST view-delete, POST tags, POST note, POST retry, POST paste-store
    """,
    "any scope": """
        GET account, POST account-name, POST account-password, POST account-end-sessions, GET home,
        GET docs, GET doc, GET compare
    """,
}
OF_KEYS = {
    "delete": """
        POST bulk-deletion, POST bulk-redaction, DELETE bulk-job, DELETE capture,
        POST redaction-rules, PATCH redaction-rule, DELETE redaction-rule, POST redaction-dry-run,
        POST retention-rules, PATCH retention-rule, DELETE retention-rule
    """,
    "export": """
        GET exports, POST exports, GET export, DELETE export, GET export-file, GET capture-shares,
        POST capture-shares, GET shares, POST shares, GET share, DELETE share
    """,
    "feedback": "POST feedback-token, DELETE feedback-token, PATCH feedback-vote",
    "ingest": """
        POST captures, POST batch, POST file, GET file-upload, POST bulk, POST bulk-undo,
        PATCH capture, POST inspect, POST views, DELETE view
    """,
    "telemetry": "POST traces, POST otlp-metrics, POST otlp-logs, GET span-upload",
    "any scope": "GET root",
}
READ_BY_POST = {"team-leave", "compare-selected", "picked", "paste", "messages"}
"""A form as long as a selection or a body; and a messenger has one method."""
OPEN = {
    *("sign-in", "sign-in-link", "sign-out", "join", "shared", "shared-page", "client-package"),
    *("browser-file", "admission", "livez", "readyz", "vote", "vote-of-team", "schema", "docs"),
    "nothing-here",
}


def asked(need: str, by: AuthMethod) -> set[str]:
    """Methods and addresses that need a right."""
    all_routes()
    return {
        f"{method} {name.partition(':')[2]}"
        for name, row in TABLE.items()
        for method, needed in row.needs.items()
        if row.auth_method is by and needed == need
    }


@pytest.mark.parametrize(
    ("by", "need", "addresses"),
    [
        *((AuthMethod.PAGE, need, listed) for need, listed in OF_PAGES.items()),
        *((AuthMethod.KEY, need, listed) for need, listed in OF_KEYS.items()),
    ],
)
def test_whatever_more_than_reads_asks_for_its_right(
    by: AuthMethod, need: str, addresses: str
) -> None:
    assert asked(need, by) == {each.strip() for each in addresses.split(",")}


def test_who_may_only_read_posts_what_changes_nothing_of_others() -> None:
    read = asked("read", AuthMethod.PAGE) | asked("read", AuthMethod.KEY)
    assert {each.split()[1] for each in read if not each.startswith("GET ")} == READ_BY_POST


def test_nobody_is_asked_for_a_right_where_a_token_or_nothing_is_at_stake() -> None:
    open_to_all = asked("anybody", AuthMethod.OPEN)
    assert {each.split()[1] for each in open_to_all} == OPEN
    assert asked("anybody", AuthMethod.OPERATOR) == {"GET metrics"}
