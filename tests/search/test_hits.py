"""Hits: the same on both databases, and what the pure comparison says."""

from uuid import UUID

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from inspector.core.search.search_terms import SearchTerms, parse_phrase, parse_terms
from inspector.core.search.words import spellings, words
from tests.people import Person
from tests.search.asked import hits, told
from tests.search.catalogue import CATALOGUE

pytestmark = [pytest.mark.both_stacks, pytest.mark.django_db]


@pytest.fixture
def stored(owner: Person) -> dict[UUID, str]:
    texts = [entry.text for entry in CATALOGUE]
    return dict(zip(told(owner, *texts), texts, strict=True))


def expected(stored: dict[UUID, str], text: str, *, is_phrase: bool) -> set[UUID]:
    terms = parse_phrase(text) if is_phrase else parse_terms(text)
    return {capture_id for capture_id, each in stored.items() if is_in(terms, each)}


def is_in(terms: SearchTerms, text: str) -> bool:
    """Compare each term with the words of a text and the other spellings of its names."""
    sequences = [tuple(words(text)), *map(tuple, spellings(text))]
    return bool(terms.terms) and all(
        any([*phrase.starts_in(each)] for phrase in term.spellings for each in sequences)
        for term in terms.terms
    )


def test_each_text_is_found_by_its_words_parts_and_phrases_and_as_the_comparison_says(
    owner: Person, stored: dict[UUID, str], subtests: pytest.Subtests
) -> None:
    ids = {text: capture_id for capture_id, text in stored.items()}
    for entry in CATALOGUE:
        here = ids[entry.text]
        for texts, is_phrase, is_found in [
            (entry.finds, False, True),
            ((entry.text,), True, True),
            (entry.phrases, True, True),
            (entry.misses, False, False),
            (entry.misses, True, False),
        ]:
            for text in texts:
                with subtests.test(text=entry.text, searched=text, is_phrase=is_phrase):
                    found = hits(owner, text, is_phrase=is_phrase)
                    assert (here in found) == is_found
                    assert found == expected(stored, text, is_phrase=is_phrase)


SOUP = st.text(st.sampled_from("ab AB_-.1 é\u0301天气好 ガคำ\0\ud800'\":*&|!()\\"), max_size=14)


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    texts=st.lists(SOUP, min_size=1, max_size=4), searched=st.lists(SOUP, min_size=1, max_size=6)
)
def test_both_databases_find_alike(owner: Person, texts: list[str], searched: list[str]) -> None:
    clean = [text.encode("utf-16", "surrogatepass").decode("utf-16", "replace") for text in texts]
    stored = dict(zip(told(owner, *clean), clean, strict=True))
    for text in [*searched, *texts]:
        for is_phrase in (False, True):
            found = hits(owner, text, is_phrase=is_phrase) & stored.keys()
            assert found == expected(stored, text, is_phrase=is_phrase)
