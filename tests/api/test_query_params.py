import pytest
from django.http import QueryDict

from api.api_error import ApiError
from api.query_params import abbreviated, query_params


def test_named_parameters_are_read_once_or_as_often_as_they_stand() -> None:
    asked = query_params(QueryDict("a=1&b=2&b=3"), once=("a", "c"), many=("b", "d"))
    assert (asked.one("a"), asked.one("c")) == ("1", None)
    assert (asked.many("b"), asked.many("d")) == (("2", "3"), ())
    assert (asked.number("a", 5), asked.number("c", 5)) == (1, 5)


@pytest.mark.parametrize("query", ["x=1", "A=1", "a[]=1", "a__in=1"])
def test_an_unknown_name_is_refused(query: str) -> None:
    with pytest.raises(ApiError) as refused:
        query_params(QueryDict(query), once=("a",))
    assert (refused.value.status_code, refused.value.code) == (422, "unknown_parameter")


@pytest.mark.parametrize(
    ("query", "what"),
    [
        ("modell=x", "'modell'; did you mean model?"),
        ("zz=1", "'zz'"),
        ("Tags=1", "'Tags'; did you mean tag?"),
    ],
)
def test_an_unknown_name_is_told_the_nearest_known_one(query: str, what: str) -> None:
    with pytest.raises(ApiError) as refused:
        query_params(QueryDict(query), once=("model", "limit"), many=("tag",))
    assert refused.value.message == f"unknown query parameter {what}"


@pytest.mark.parametrize("text", ["", "0", "-1", "1.0", "1e3", "٣", " 1", "1000000000"])
def test_what_is_no_count_is_refused(text: str) -> None:
    with pytest.raises(ApiError):
        query_params(QueryDict(f"a={text}"), once=("a",)).number("a", 1)


def test_a_name_is_shown_short_and_plain() -> None:
    assert abbreviated("a\0é\ud800") == "'a\\x00\\xe9\\ud800'"
    assert len(abbreviated("a" * 1_000)) < 100
