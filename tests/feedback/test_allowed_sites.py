import pytest

from inspector.feedback import allowed_sites
from inspector.feedback.allowed_sites import is_allowed
from inspector.web.site_origin import BadOrigin, origin_of
from tests.people import Person


@pytest.mark.parametrize(
    ("text", "origin"),
    [
        ("https://app.example.org", "https://app.example.org"),
        (" https://App.Example.ORG/ ", "https://app.example.org"),
        ("https://app.example.org:443", "https://app.example.org"),
        ("http://localhost:3000", "http://localhost:3000"),
        ("http://localhost:80/", "http://localhost"),
        ("http://[::1]:5173", "http://[::1]:5173"),
        ("https://xn--bcher-kva.example", "https://xn--bcher-kva.example"),
    ],
)
def test_a_site_is_listed_as_browsers_write_it(text: str, origin: str) -> None:
    assert origin_of(text) == origin


@pytest.mark.parametrize(
    "text",
    [
        "",
        "*",
        "null",
        "app.example.org",
        "https://",
        "https://*.example.org",
        "https://app.example.org/page",
        "https://app.example.org?x",
        "https://app.example.org#x",
        "https://user@app.example.org",
        "https://app.example.org:99999",
        "https://app.example.org:0",
        "https://app.example.org:",
        "https://bücher.example",
        "https://app.example.org\n.evil.example",
        "https://a b",
        "https://-a.example",
        "ftp://app.example.org",
        "file:///x",
        "javascript:alert(1)",
        "https://" + "a" * 300,
        "https://[::1",
    ],
)
def test_what_is_no_site_is_refused_with_a_reason(text: str) -> None:
    with pytest.raises(BadOrigin, match=r"\w"):
        origin_of(text)


def test_a_site_is_listed_once(owner: Person, teammate: Person, stranger: Person) -> None:
    for _ in range(2):
        assert allowed_sites.allow_site(owner.principal, "https://app.example.org")
    (site,) = allowed_sites.allowed_origins(owner.principal)
    assert (site.origin, site.made_by) == ("https://app.example.org", "user olga")
    assert is_allowed(owner.team.pk, site.origin)
    assert not is_allowed(stranger.team.pk, site.origin) and not is_allowed(None, site.origin)
    for other in (teammate, stranger):
        assert allowed_sites.allowed_origins(
            other.principal
        ) == () and not allowed_sites.disallow_site(other.principal, site.id)
    assert not allowed_sites.allow_site(teammate.principal, "https://other.example.org")
    assert allowed_sites.disallow_site(owner.principal, site.id)
    assert (
        not allowed_sites.disallow_site(owner.principal, site.id)
        and allowed_sites.allowed_origins(owner.principal) == ()
    )


def test_a_team_lists_only_so_many(owner: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(allowed_sites, "MOST", 2)
    added = [
        allowed_sites.allow_site(owner.principal, f"https://{name}.example.org") for name in "abca"
    ]
    assert added == [True, True, False, True]
