"""A query is held against what stands above the method that is asked."""

from uuid import uuid4

from api.endpoint import query_names
from api.operation import OPERATION, ResponseBody, header, number, operation, several
from inspector.feedback.vote_fields import VOTE_FIELDS
from tests.archive.samples import WHOLE, accept
from tests.people import Person


def test_names_of_a_query_are_the_declared_parameters_and_filters() -> None:
    @operation(
        "list_colours",
        "list colours",
        ResponseBody("the colours"),
        number("limit", "number of rows"),
        several("tag", "tags"),
        header("If-Match", "an ETag"),
        filters=VOTE_FIELDS,
    )
    def get() -> None: ...

    once, many = query_names(getattr(get, OPERATION))
    assert once == ["limit", *VOTE_FIELDS.single()]
    assert many == ["tag", *VOTE_FIELDS.repeatable()]


def test_an_unknown_name_is_told_alike_of_what_is_there_hidden_or_missing(
    owner: Person, stranger: Person
) -> None:
    there, hidden = accept(owner, WHOLE), accept(stranger, WHOLE)
    for capture_id in (there, hidden, uuid4()):
        for method in ("GET", "HEAD", "PATCH", "DELETE"):
            answer = owner.ask(method, f"/api/v1/captures/{capture_id}/?modell=x")
            assert answer.status == 422, (method, capture_id)
