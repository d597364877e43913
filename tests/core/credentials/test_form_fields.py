"""Values of a multipart body, found by the names of their fields."""

from __future__ import annotations

import pytest

from inspector.core.credentials.form_fields import in_multipart


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
