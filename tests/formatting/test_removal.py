from django.urls import reverse

from inspector.archive.intake.submission import Submission
from inspector.core.credentials.removal import Removal
from inspector.core.wire.exchange import Exchange, Request
from inspector.formatting.removal import removed_from_bodies, removed_from_headers
from tests.archive.samples import accept_arrival, inspect_all
from tests.markup import evened
from tests.people import Person

KEY = "tenant-key-0123456789"


def test_what_was_overwritten_is_told_in_sentences() -> None:
    removal = Removal(version=1, response_body=2, decoded_from="gzip", request_body=1)
    assert removed_from_bodies(removal) == (
        "A credential of the request was overwritten in 2 places of the response.",
        "The response was gzip-compressed and is stored decompressed.",
        "In the body of the request 1 credential was overwritten.",
    )
    assert removed_from_bodies(Removal(version=1)) == removed_from_bodies(None) == ()


def test_what_was_removed_around_the_bodies_is_told_in_one() -> None:
    removal = Removal(version=1, request_headers=2, response_headers=1, address=1)
    assert removed_from_headers(removal) == (
        "Removed before this was stored: parts of 2 headers of the request, 1 header of the "
        "response, the address."
    )
    assert removed_from_headers(Removal(version=1)) == removed_from_headers(None) == ""


def test_a_page_and_the_api_tell_what_was_taken_out(owner: Person) -> None:
    request = Request(
        method="POST", url="https://evil.example/v1", headers=(("x-api-key", KEY),), body=b"{}"
    )
    body = b'{"error":{"message":"wrong key ' + KEY.encode() + b'"}}'
    exchange = Exchange(reads=Exchange.of_body(body).reads, request=request)
    capture_id = accept_arrival(owner, Submission(exchange)).id
    inspect_all()
    page = owner.browser().get(reverse("dashboard:capture", args=[capture_id]), {"raw": "request"})
    text = evened(page.content.decode())
    assert "the request was overwritten in 1 place of the response." in text
    assert "Removed before this was stored: parts of 1 header of the request." in text
    assert "Both commands send to<code>evil.example</code>" in text
    assert KEY not in text
    removed = owner.get(f"/api/v1/captures/{capture_id}/").json["removed"]
    assert (removed["response_body"], removed["request_headers"]) == (1, 1)
    assert len(removed["response_body_was"]) == 64
