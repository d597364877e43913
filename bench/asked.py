"""Requests to every address whose answer or work a capture decides, and why the others are not
asked. Every method of every address of the project stands in one of both, or nothing is measured.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

PANEL = "GET dashboard:panel"
PANELS: Mapping[str, tuple[str, ...]] = {
    "choices": ("choices=markdown", "choices=diff", "choices_from=200"),
    "tool_calls": ("tool_calls=tree", "tool_calls=whole"),
    "raw": ("raw=all", "raw=hex", "raw=tree", "raw=request"),
    "timeline": ("timeline=table",),
    "logprobs": ("logprobs=table",),
}
"""How a panel may be shown, beside as it is at first."""

BODY, PASTED, LINE = "the body", "a form with the body as a file", "a batch with the body"
"""Stand for what is made of the body of the capture."""


@dataclass(frozen=True, slots=True)
class Ask:
    """Query and body sent to an address; ``ONE`` in them is the capture, ``OTHER`` one that is
    alike, ``FIRST`` the place before all captures.
    """

    query: str = ""
    body: str = ""
    is_part: bool = False
    """As a page fetches it, to put it into itself."""

    @property
    def name(self) -> str:
        sent = self.body if self.body in (PASTED, LINE) else ""
        return " ".join(filter(None, (self.query, sent, "as a part" if self.is_part else "")))


def part(query: str) -> Ask:
    return Ask(query, is_part=True)


def tool(name: str, arguments: str) -> Ask:
    """Return a call of the Model Context Protocol."""
    params = f'{{"name":"{name}","arguments":{arguments}}}'
    return Ask(body=f'{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{params}}}')


ONLY = (Ask(),)
ASKED: Mapping[str, tuple[Ask, ...]] = {
    "GET dashboard:capture": ONLY,
    PANEL: (part(""),),
    "GET dashboard:state": (Ask("state=received"),),
    "GET dashboard:timeline": ONLY,
    "GET dashboard:timeline-rows": (Ask(), part("")),
    "GET dashboard:trace": (Ask("lane=0&start=0&end=1000"),),
    "GET dashboard:lines": (
        Ask("from=0&to=100"),
        part("from=0&to=100"),
        part("from=0&to=100&byte=1000"),
    ),
    "GET dashboard:find": (Ask("q=word"), Ask("q=/k1")),
    "GET dashboard:tree": (part(""), part("event=1")),
    "GET dashboard:around": (part("byte=1000"),),
    "GET dashboard:raw": ONLY,
    "GET dashboard:fixture": ONLY,
    "GET dashboard:request-body": ONLY,
    "GET dashboard:capture-shares": ONLY,
    "GET dashboard:share-list": ONLY,
    "POST dashboard:share-list": (Ask(body="days=7&without_prompt=on"),),
    "POST dashboard:capture-shares": (Ask(body="days=7&without_prompt=on"),),
    "GET dashboard:text": ONLY,
    "GET dashboard:audio": ONLY,
    "GET dashboard:block-audio": ONLY,
    "GET dashboard:compare": (Ask("id=ONE&id=OTHER"), Ask("id=ONE.0&id=ONE.1")),
    "POST dashboard:picked": (Ask(body="then=export&capture=ONE&capture=OTHER"),),
    "POST dashboard:compare-selected": (Ask(body="capture=ONE&capture=OTHER"),),
    "GET dashboard:archive": (Ask(), Ask("q=word")),
    "GET dashboard:live": (part("after=FIRST&waiting=ONE"),),
    "GET dashboard:counts": ONLY,
    "GET dashboard:bulk-count": (part(""),),
    "GET dashboard:bulk-deletion": ONLY,
    "POST dashboard:bulk-deletion": (Ask(body="number=0"),),
    "GET dashboard:exports": ONLY,
    "POST dashboard:export-request": (Ask(body="format=jsonl"),),
    "GET dashboard:view-tabs": (part("verdict=complete"),),
    "GET dashboard:palette": (part("q=word"), part("q=ONE")),
    "GET dashboard:complete": (Ask("q=model:&at=6"),),
    "GET dashboard:key-arrival": ONLY,
    "GET dashboard:status": ONLY,
    "GET dashboard:sessions": ONLY,
    "GET dashboard:usage": ONLY,
    "GET dashboard:usage-table": ONLY,
    "GET dashboard:usage-download": ONLY,
    "GET dashboard:feedback": ONLY,
    "GET dashboard:feedback-live": (part("after=FIRST"),),
    "POST dashboard:tag": (Ask(body="capture=ONE&act=add&tag=seen"),),
    "POST dashboard:tags": (Ask(body="tags=seen"),),
    "POST dashboard:note": (Ask(body="note=seen"),),
    "POST dashboard:delete": (Ask(body="confirm=yes"),),
    "POST dashboard:feedback-token": (Ask(body="days=1"),),
    "POST dashboard:paste": (Ask(body=PASTED),),
    "POST dashboard:paste-store": (Ask(body=PASTED),),
    "GET api:captures": ONLY,
    "POST api:captures": (Ask(body=BODY), Ask("wait=10", BODY)),
    "POST api:batch": (Ask(body=LINE),),
    "POST api:file": (Ask(body=LINE),),
    "POST api:traces": (Ask(body=BODY),),
    "POST api:otlp-metrics": (Ask(body=BODY),),
    "POST api:otlp-logs": (Ask(body=BODY),),
    "POST api:inspect": (Ask(body=BODY),),
    "POST api:bulk": (Ask(body='{"action":"tag","tag":"seen"}'),),
    "POST api:bulk-deletion": (Ask(body='{"confirm_captures":0}'),),
    "GET api:exports": ONLY,
    "POST api:exports": (Ask(body='{"format":"jsonl"}'),),
    "GET api:capture-shares": ONLY,
    "POST api:capture-shares": (Ask(body="{}"),),
    "POST api:shares": (Ask(body="{}"),),
    "GET api:capture": ONLY,
    "PATCH api:capture": (Ask(body='{"note":"seen"}'),),
    "DELETE api:capture": ONLY,
    "GET api:raw": ONLY,
    "GET api:fixture": (Ask("kind=reads"), Ask("kind=har")),
    "GET api:completion": ONLY,
    "GET api:timeline": ONLY,
    "GET api:findings": ONLY,
    "GET api:sessions": ONLY,
    "GET api:usage": ONLY,
    "GET api:drift": ONLY,
    "GET api:feedback": ONLY,
    "POST api:feedback-token": (Ask(body='{"expires_in":60}'),),
    "POST mcp:messages": (
        tool("search_captures", '{"q":"word"}'),
        tool("show_capture", '{"id":"ONE"}'),
        tool("list_findings", '{"id":"ONE"}'),
        tool("read_events", '{"id":"ONE"}'),
        tool("read_body", '{"id":"ONE"}'),
        tool("compare_captures", '{"a":"ONE","b":"OTHER"}'),
        tool("sum_usage", "{}"),
    ),
}

_LEFT_OUT = {
    "says the same whatever is stored": """
        GET api:admission, GET api:livez, GET api:readyz, GET api:schema, GET api:docs,
        api:nothing-here, GET api:root, GET dashboard:home, GET dashboard:docs, GET dashboard:doc,
        GET dashboard:paste, dashboard:sign-in, dashboard:sign-in-link, dashboard:sign-out""",
    "about the people of a team, its keys and settings, by forms of up to 64 kB": """
        dashboard:join, dashboard:account, dashboard:account-name, dashboard:account-password,
        dashboard:account-end-sessions, dashboard:team, dashboard:audit, dashboard:audit-file,
        dashboard:audit-settings, dashboard:team-name, dashboard:team-leave,
        dashboard:member-role, dashboard:member-remove, dashboard:invite,
        dashboard:invitation-withdraw, dashboard:new-key, dashboard:key-revoke,
        dashboard:key-pause, dashboard:key-streams, dashboard:connect, dashboard:connect-key,
        dashboard:client-package, dashboard:browser-file, dashboard:upstreams,
        dashboard:upstream-add,
        dashboard:upstream-resource, dashboard:upstream-change, dashboard:upstream-turn,
        dashboard:upstream-remove, dashboard:feedback-settings, dashboard:new-site,
        dashboard:site-remove, dashboard:keys-rotate, dashboard:keys-revoke""",
    "about the views that people saved, which are names and queries": """
        api:views, api:view, dashboard:views, dashboard:view-save, dashboard:view-rename,
        dashboard:view-share, dashboard:view-delete""",
    "about rules, each a row; a dry run looks at so many captures and so long": """
        dashboard:redaction, dashboard:redaction-add, dashboard:redaction-turn,
        dashboard:redaction-remove, dashboard:redaction-try, dashboard:redaction-apply,
        api:redaction-rules, api:redaction-rule, api:redaction-dry-run, api:bulk-redaction""",
    "about rules, each a row; what they count is counted in the background's time": """
        dashboard:retention, dashboard:retention-add, dashboard:retention-turn,
        dashboard:retention-remove, api:retention-rules, api:retention-rule""",
    "about receipts of deleted captures, each a row": "dashboard:receipts, api:receipts",
    "about one bulk job, which is a row whatever the captures hold": """
        api:bulk-job, api:bulk-undo, dashboard:bulk, dashboard:bulk-job, dashboard:bulk-undo""",
    "about one export, which is a row, or a megabyte of its file at a time": """
        api:export, api:export-file, dashboard:export-file, dashboard:export-delete""",
    "about one upload, which is a row and at most a thousand reasons": """
        api:span-upload, api:file-upload""",
    "about links, each a row; what one opens is an ordinary page": """
        dashboard:shared, dashboard:shared-page, dashboard:shares, dashboard:share-revoke, GET
        api:shares, api:share""",
    "about prices that the team wrote down itself": """
        GET api:prices, dashboard:prices, dashboard:prices-live, dashboard:price-add,
        dashboard:price-end, dashboard:reprice""",
    "about one vote, which is bounded": """
        api:vote, api:vote-of-team, api:feedback-vote, dashboard:vote, dashboard:feedback-vote,
        dashboard:feedback-triage""",
    "shows at most 500 calls of one session, whatever was said in them": """
        dashboard:session, dashboard:session-of-capture, api:session""",
    "reads a recording, as far as it has come": "GET dashboard:growth",
    "counts of the whole installation, in which a capture is one": "GET api:metrics",
    "takes back a token, which is a row": """
        DELETE api:feedback-token, POST dashboard:feedback-token-revoke""",
    "asks for a reading, which is measured, to be tried once more": "POST dashboard:retry",
}
LEFT_OUT: Mapping[str, list[str]] = {
    reason: " ".join(keys.split()).split(", ") for reason, keys in _LEFT_OUT.items()
}
"""Each reason with what it is for: a method of an address, or all methods of one."""


def unsaid() -> list[str]:
    """Return addresses neither asked nor left out, told twice, or not answered by the project."""
    # The table is complete once the routes are known.
    import inspector.urls  # noqa: F401
    from inspector.teams.authorisation import TABLE

    known = [f"{method} {row.route}" for row in TABLE.values() for method in row.needs]
    left_out = _spelled_out((key for keys in LEFT_OUT.values() for key in keys), known)
    told = [*ASKED, *left_out]
    strange = [key for key in told if key not in known or told.count(key) > 1]
    return [*(key for key in known if key not in told), *strange, *_unknown_panels()]


def _spelled_out(keys: Iterable[str], known: list[str]) -> list[str]:
    found = []
    for key in keys:
        found += [each for each in known if key in (each, each.partition(" ")[2])] or [key]
    return found


def _unknown_panels() -> list[str]:
    from inspector.dashboard.capture.panels import all_panels

    return sorted({*PANELS} - {panel.slug for panel in all_panels()})
