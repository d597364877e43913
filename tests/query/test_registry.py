from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.db.models import Q
from django.http import QueryDict
from django.utils import timezone

from api.openapi.parameters import filter_parameters
from inspector.archive.inspection.projection import MODEL_CHARACTERS
from inspector.archive.listing.capture_fields import CAPTURE_FIELDS
from inspector.archive.listing.facet_counts import Facet
from inspector.archive.listing.filter_params import parse_filter_params
from inspector.archive.listing.filters import Filters
from inspector.archive.models import Capture
from inspector.archive.queries import for_principal
from inspector.dashboard.archive.facets import facet_of
from inspector.dashboard.archive.filter_bar import build_filter_bar
from inspector.feedback.vote_fields import VOTE_FIELDS
from inspector.query.fields import VALUE_CHARACTERS, Field, FieldKind, Registry
from tests.archive.samples import inspected
from tests.people import Person
from tests.query import query_page

COLOUR = Field(
    "colour",
    FieldKind.NAME,
    "colour of the note",
    "what is written in the note",
    column="note",
    vocabulary=lambda: ("red", "green"),
    missing=Q(note=""),
    is_facet=True,
    is_parameter=True,
    is_repeatable=True,
)


@pytest.fixture
def with_colour(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(CAPTURE_FIELDS, "fields", {**CAPTURE_FIELDS.fields, "colour": COLOUR})


@pytest.mark.usefixtures("with_colour")
def test_a_new_field_is_one_entry(owner: Person) -> None:
    red, other = inspected(owner), inspected(owner)
    Capture.objects.filter(pk=red).update(note="red")
    captures = for_principal(owner.principal)

    def found(**values: list[str]) -> list[object]:
        params = parse_filter_params(values, timezone.now())
        assert params.mistakes == ()
        return [row.id for row in captures.page(filters=params.filters).rows]

    assert found(q=["colour:red"]) == found(colour=["red"]) == found(q=["has:colour"]) == [red]
    assert found(q=["-colour:red"]) == found(missing=["colour"]) == [other]
    (mistake,) = parse_filter_params({"q": ["colour:rod"]}, timezone.now()).mistakes
    assert mistake.near == "colour:red"
    bar = build_filter_bar(QueryDict("q=colour:red"))
    counts = captures.counts(Filters(), timezone.now())
    facets = {facet.name: facet.values for facet in counts.facets}
    assert facets["colour"] == (("", 1), ("red", 1))
    (option,) = facet_of(Facet("colour", (("red", 1),)), bar).first
    assert (option.is_active, option.query) == (True, "")
    parameters = {each.name: each for each in filter_parameters(CAPTURE_FIELDS)}
    assert parameters["colour"].schema["items"]["enum"] == ["green", "red"]
    answer = owner.get("/api/v1/captures/?colour=red")
    assert [row["id"] for row in answer.json["captures"]] == [str(red)]


def test_every_field_that_a_facet_counts_is_one() -> None:
    assert [field.name for field in CAPTURE_FIELDS.facets()] == [
        "verdict", "result", "finding", "rule", "model", "finish_reason", "dialect", "vendor",
        "tag", "key", "upstream", "prompt",
    ]  # fmt: skip


def test_a_name_stands_for_one_field() -> None:
    registry = Registry()
    registry.register(COLOUR)
    registry.register(COLOUR)
    with pytest.raises(ImproperlyConfigured, match="two fields are named colour"):
        registry.register(Field("colour", FieldKind.TEXT, "another"))


def test_a_field_with_keys_is_found_only_with_one() -> None:
    assert CAPTURE_FIELDS.find("metadata.user") is CAPTURE_FIELDS.fields["metadata"]
    assert CAPTURE_FIELDS.find("metadata") is None
    assert CAPTURE_FIELDS.find("metadata.") is None
    assert CAPTURE_FIELDS.find("tokens.in") is CAPTURE_FIELDS.fields["tokens.in"]
    assert CAPTURE_FIELDS.find("tokens.on") is None


def test_every_stored_name_is_short_enough_to_be_asked_for() -> None:
    assert VALUE_CHARACTERS == MODEL_CHARACTERS


@pytest.mark.parametrize("registry", [CAPTURE_FIELDS, VOTE_FIELDS])
def test_every_entry_says_how_it_is_found(registry: Registry) -> None:
    for field in registry:
        is_found = bool(field.column) or field.condition is not None
        assert is_found or field.kind is FieldKind.PRESENCE, field.name
        assert field.meaning, field.name


def test_filters_of_values_are_those_of_the_text() -> None:
    params = parse_filter_params({"q": ["verdict:complete tag:a tag:b late"]}, timezone.now())
    assert params.filters == Filters.of(verdict=("complete",), tag=("a", "b"), q="late")


def test_the_page_of_queries_is_made_of_the_registries() -> None:
    written = Path(query_page.__file__).parents[2] / "docs/query.md"
    assert written.read_text() == query_page.page(CAPTURE_FIELDS, VOTE_FIELDS)
