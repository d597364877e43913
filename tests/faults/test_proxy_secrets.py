"""Credentials in every place of a call: both sides get what the other sent, the archive nothing."""

import json
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
import redis

from inspector.proxy.recorder.call_spool import CallReads, read_call
from tests.faults.proxied.breaks.outages import no_database
from tests.faults.proxied.caller import OutgoingCall
from tests.faults.proxied.ledger import Expected
from tests.faults.proxied.secrets import NEVER_PASSES, PLACES, SHAPES, PlantedCall, planted_calls
from tests.faults.proxied.stack import ProxyStack
from tests.faults.stacks import EMBEDDED, PRODUCTION, wait_until
from tests.stored import found_in

PLACES_OF_P39, SHAPES_AT_LEAST = 14, 40
ANY_VERDICT = Expected(verdicts=("provider-error", "not-a-response", "complete", "missing-finish"))
WHILE_NO_DATABASE = 40
LOOKED_AT = 12
WRITES = """
import os
from pathlib import Path
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from inspector.archive.models import Capture
from inspector.teams.models import User
from tests.stored import everything
folder = Path(os.environ["FAULTS_FOLDER"])
(folder / "tables").write_bytes(everything())
call_command("collectstatic", interactive=False, verbosity=0)
browser = Client(HTTP_HOST="127.0.0.1")
browser.force_login(User.objects.get())
ids = Capture.objects.filter(request_url__contains="/calls/secret-").values_list("pk", flat=True)
with (folder / "pages").open("wb") as pages:
    for capture in list(ids)[::{step}]:
        page = reverse("dashboard:capture", args=[capture])
        for path in (page, page + "?raw=request", reverse("dashboard:request-body", args=[capture])):
            pages.write(browser.get(path, follow=True).content)
"""


def test_the_set_is_as_large_as_it_says() -> None:
    assert len(SHAPES) >= SHAPES_AT_LEAST and len(PLACES) >= PLACES_OF_P39
    calls = list(planted_calls())
    assert len({each.secret for each in calls}) == len(calls) >= SHAPES_AT_LEAST * PLACES_OF_P39


@pytest.mark.thorough
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("stack_name", [PRODUCTION, EMBEDDED])
def test_no_table_spool_log_or_answer_holds_a_credential_of_a_call(
    stack_name: str, open_proxy: Callable[[str], AbstractContextManager[ProxyStack]]
) -> None:
    calls = list(planted_calls())
    secrets = {
        spelt: f"{each.shape} in {each.place}" for each in calls for spelt in each.spellings()
    }
    with open_proxy(stack_name) as stack:
        keys = {stack.key.removeprefix("ri_"): "the caller's key of this archive"}
        with no_database(stack):
            for each in calls[:WHILE_NO_DATABASE]:
                made(stack, each)
            stack.wait_until_spooled(WHILE_NO_DATABASE)
            spooled = [text for path in stack.spool_files() for text in held_in(path)]
        for each in calls[WHILE_NO_DATABASE:]:
            made(stack, each)
        wait_until(stack.is_settled, "every call is recorded")
        wait_until(lambda: stack.pending() == 0, "every capture is inspected")
        assert any(b"/calls/secret-" in text for text in spooled)
        # Runs of letters and digits by their beginnings; what is coded holds other signs, too.
        found = [found_in(text, secrets | keys) for text in (*spooled, *held_by(stack))]
        assert {where for each in found for where in each.values()} == set()
        assert len(stack.captured()) >= len(calls)


def made(stack: ProxyStack, planted: PlantedCall) -> None:
    """The upstream gets what the caller sent, the caller what the upstream sent."""
    key = stack.calls.enter("secret", ANY_VERDICT)
    stack.upstream.plan(key, planted.call.play)
    path = stack.path(key) + planted.call.query
    call = OutgoingCall(stack.ports["proxy"], path, planted.call.body, planted.call.headers)
    heard = call.read_all()
    served = stack.upstream.call(key)
    assert heard.body == served.sent == planted.call.answer, planted
    assert served.body == planted.call.body, planted
    assert served.request_line.split()[1].endswith(planted.call.query), planted
    told = "\n".join(f"{name}: {value}" for name, value in (*served.headers, *heard.headers))
    assert stack.key not in told + served.request_line
    for name, value in planted.call.headers.items():
        passed = value in [v for n, v in served.headers if n.lower() == name.lower()]
        assert passed is (planted.place not in NEVER_PASSES), planted
    assert ("set-cookie" in told.lower()) is False, planted


def held_by(stack: ProxyStack) -> Iterator[bytes]:
    """Everything that anybody could read afterwards."""
    stack.done(
        "shell", "--no-imports", "-c", WRITES.format(step=len(stack.captured()) // LOOKED_AT)
    )
    for name in ("tables", "pages"):
        text = (stack.folder / name).read_bytes()
        assert b"/calls/secret-" in text and b"[removed]" in text, name
        yield text
    yield stack.logs().encode()
    yield from files(stack.data)
    if stack.name == PRODUCTION:
        yield from files(stack.cluster)
        with redis.Redis.from_url(stack.redis_url) as client:
            for name in client.scan_iter():
                yield name + (client.dump(name) or b"")
    listed = stack.sender.get("/api/v1/captures/?limit=200")
    yield listed.body
    ids = [each["id"] for each in json.loads(listed.body)["captures"]]
    for capture_id in ids[:: max(1, len(ids) // LOOKED_AT)]:
        for part in ("", "raw/", "completion/"):
            yield stack.sender.get(f"/api/v1/captures/{capture_id}/{part}").body


def held_in(call: Path) -> Iterator[bytes]:
    """A file of the spool as it lies there, and its pieces joined: a credential may be cut by them."""
    yield call.read_bytes()
    records, _ = read_call(call)
    yield b"".join(b"".join(each.data) for each in records if isinstance(each, CallReads))


def files(folder: Path) -> Iterator[bytes]:
    """Less those that the release brings along."""
    for path in folder.rglob("*"):
        if path.is_file() and "static" not in path.relative_to(folder).parts:
            yield path.read_bytes()
