"""Values of a multipart body, found by the names of their fields."""

import pytest

from inspector.core.credentials.form_fields import FORM_CHARACTERS, in_multipart, in_urlencoded


def found(text: str) -> list[str]:
    return [text[span.start : span.end] for span in in_multipart(text)]


def test_a_field_with_the_name_of_a_credential_is_found() -> None:
    assert found(
        '--b\r\nContent-Disposition: form-data; name="model"\r\n\r\nm-1\r\n'
        '--b\r\nContent-Disposition: form-data; name="api_key"\r\n\r\nfirst line\r\nsecond\r\n--b--\r\n'
    ) == ["first line\r\nsecond"]


def test_headers_after_the_name_are_passed_over() -> None:
    part = 'Content-Disposition: form-data; name="password"; filename="x"\r\nContent-Type: text/plain\r\n'
    assert found(f"--b\r\n{part}\r\nhush\r\n--b--") == ["hush"]


def test_a_value_that_is_cut_is_found_as_far_as_it_goes() -> None:
    assert found('--b\r\nContent-Disposition: form-data; name="secret"\r\n\r\nhus') == ["hus"]


@pytest.mark.parametrize("name", ["model", "max_tokens", "prompt"])
def test_other_fields_are_left(name: str) -> None:
    part = f'--b\r\nContent-Disposition: form-data; name="{name}"\r\n\r\nplain\r\n--b--'
    assert found(part) == []


def test_a_name_in_prose_is_no_field() -> None:
    assert found('say form-data; name="api_key" and then\r\n a line') == []


def found_like_query(text: str) -> list[str]:
    return [text[span.start : span.end] for span in in_urlencoded(text)]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("grant_type=client_credentials&client_secret=hush&scope=a+b", ["hush"]),
        ("api_key=hush", ["hush"]),
        ("a=1&pass%77ord=hu%73h\r\n", ["hu%73h\r\n"]),
        ("code=4%2F0Ab&redirect_uri=https%3A%2F%2Fh%2F%3Ftoken%3Dhush", ["4%2F0Ab", "hush"]),
        ("q=sk-proj-0123456789abcdefABCDEF", ["sk-proj-0123456789abcdefABCDEF"]),
        ("token=", []),
        ("model=m-1&max_tokens=20&prompt=tell+me", []),
        ("password=hush and then more prose", []),
        ('{"password=hush": 1}', []),
        ("password", []),
        ("", []),
        ("a=1&" * (FORM_CHARACTERS // 4) + "password=hush", []),
    ],
)
def test_a_form_like_a_query_loses_what_an_address_would(text: str, values: list[str]) -> None:
    assert found_like_query(text) == values
