"""The documentation in the product: who reads it, where its links lead, what its contents list."""

import re
from pathlib import Path

import pytest
from django.conf import settings
from django.utils.html import escape

from inspector.core.rules import finding_types, rules
from inspector.core.vendors import vendors
from inspector.documentation.library import CONTENTS, name_commands, pages
from tests.archive.samples import CUT, inspected
from tests.markup import evened
from tests.people import Person

LINK = re.compile(r'href="(/docs/[^"]*)"')


@pytest.mark.parametrize(
    "address", ["/docs/", "/docs/?q=stall", "/docs/times/", "/docs/api/examples/send.py/"]
)
@pytest.mark.django_db
def test_whoever_is_signed_in_reads_it(
    owner: Person, teammate: Person, stranger: Person, address: str
) -> None:
    for person in (owner, teammate, stranger):
        assert person.browser().get(address).status_code == 200


@pytest.mark.django_db
def test_whoever_is_not_signed_in_is_asked_to(client) -> None:  # type: ignore[no-untyped-def]
    assert client.get("/docs/times/").headers["Location"] == "/sign-in/?next=%2Fdocs%2Ftimes%2F"


@pytest.mark.parametrize(
    "name",
    ["nothing", "rules/no.such", "times/json.invalid", "../README", "images/capture.png", "TIMES"],
)
@pytest.mark.django_db
def test_what_is_no_page_is_not_found(owner: Person, name: str) -> None:
    assert owner.browser().get(f"/docs/{name}/").status_code == 404


def test_the_contents_list_every_page_but_the_decisions() -> None:
    listed = [name for _, names in CONTENTS for name in names]
    others = ("decisions/", "api/examples/")
    assert sorted(listed) == sorted(name for name in pages() if not name.startswith(others))


def test_every_link_between_pages_leads_to_a_page_and_a_place_on_it() -> None:
    places = {
        f"/docs/{page.name}/": {*re.findall(r' id="([^"]+)"', page.html), ""}
        for page in pages().values()
    }
    places |= {f"/docs/rules/{rule.code}/": {""} for rule in finding_types()}
    lost = [
        (page.name, link)
        for page in pages().values()
        for link in LINK.findall(page.html)
        for address, _, fragment in [link.partition("#")]
        if fragment not in places.get(address, ())
    ]
    assert lost == []


def test_no_link_of_a_page_leads_to_a_file_of_the_repository() -> None:
    relative = re.compile(r'href="(?!/docs/|https?://|#)[^"]*"')
    assert [
        (page.name, relative.findall(page.html))
        for page in pages().values()
        if relative.search(page.html)
    ] == []


def test_every_rule_has_a_row_that_its_findings_lead_to() -> None:
    html = pages()["rules"].html
    assert [rule.code for rule in rules() if f'<tr id="{rule.code}">' not in html] == []
    assert '<a href="/docs/rules/json.invalid/"><code>json.invalid</code></a>' in html


@pytest.mark.django_db
def test_what_is_asked_for_is_found_first(owner: Person, subtests: pytest.Subtests) -> None:
    for asked, name in (
        ("first token", "times/#first-token"),
        ("time to first token", "times/#first-token"),
        ("first_token", "times/#first-token"),
        ("connect python", "start/#"),
        ("why is my cost unknown", "api/cost/#"),
        ("delete captures", "api/changing/#"),
        ("how do I share a capture", "sharing/#"),
        ("retention", "retention/#"),
        ("arguments truncated", "rules/tool.arguments-truncated/#"),
    ):
        with subtests.test(asked):
            html = owner.browser().get("/docs/", {"q": asked}).content.decode()
            assert LINK.findall(html[html.index("doc-hits") :])[0].startswith(f"/docs/{name}")


@pytest.mark.django_db
def test_a_search_that_finds_nothing_says_so(owner: Person) -> None:
    html = owner.browser().get("/docs/?q=<b>zzz").content.decode()
    assert "No section has a word of “&lt;b&gt;zzz”." in html


def test_the_documentation_lies_where_the_settings_say() -> None:
    assert (Path(settings.DOCS_DIR) / "times.md").is_file()


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("python3 manage.py backup FILE", "inspector backup FILE"),
        ("`manage.py restore` reads it", "`inspector restore` reads it"),
        ("inspector send  # in a checkout: python3 manage.py send", None),
        ("python3 manage.py test --all", None),
        ("manage.py               every command", None),
    ],
)
def test_an_installed_program_is_called_so_in_its_pages(written: str, shown: str | None) -> None:
    assert name_commands(written, "inspector") == (shown or written)
    assert name_commands(written, "python3 manage.py") == written


@pytest.mark.django_db
def test_each_rule_has_a_page_that_leads_to_its_captures_and_back(owner: Person) -> None:
    browser = owner.browser()
    for found in finding_types():
        shown = browser.get(f"/docs/rules/{found.code}/").content.decode()
        assert f'<h1 id="rule"><code>{found.code}</code></h1>' in shown
        assert f"<p>{escape(found.impact)}" in shown
        assert f'href="/docs/rules/#{found.code}"' in shown


@pytest.mark.django_db
def test_the_page_of_the_rules_leads_to_each_and_has_every_place_of_its_file(owner: Person) -> None:
    shown = owner.page("/docs/rules/")
    places = set(re.findall(r' id="([^"]+)"', pages()["rules"].html))
    assert places - set(re.findall(r' id="([^"]+)"', shown)) == set()
    for found in finding_types():
        assert f'<a href="/docs/rules/{found.code}/"><code>{found.code}</code></a>' in shown


@pytest.mark.django_db
def test_the_page_of_a_rule_shows_what_it_speaks_of_beside_what_it_does_not(owner: Person) -> None:
    shown = evened(owner.page("/docs/rules/envelope.model-not-asked/"))
    assert "Of this it says: The request asks for crate-1; parcel-1 answered." in shown
    assert "model&quot;:&quot;<del>crate-1</del>&quot;}" in shown
    assert "<ins>maker/parcel:free</ins>" in shown
    assert "An example" not in owner.page("/docs/rules/reading.capped/")


@pytest.mark.django_db
def test_the_page_of_a_rule_counts_its_captures_and_leads_to_the_newest(
    owner: Person, stranger: Person
) -> None:
    page = "/docs/rules/ending.cut-off/"
    inspected(owner, CUT)
    newest = inspected(owner, CUT)
    shown = evened(owner.page(page))
    assert '<a href="/t/default/captures/?q=rule:ending.cut-off">2 captures with it</a>' in shown
    assert f'href="/captures/{newest}/#findings"' in shown
    assert "No capture of" in evened(stranger.page(page))


@pytest.mark.django_db
def test_the_page_of_a_rule_names_the_vendors_that_are_known_to_break_it(owner: Person) -> None:
    slug, code = next(
        (vendor.title, code) for vendor in vendors().values() for code in vendor.breaks
    )
    assert f"{slug}" in owner.browser().get(f"/docs/rules/{code}/").content.decode()
    assert "Who sends so" not in owner.browser().get("/docs/rules/json.invalid/").content.decode()
