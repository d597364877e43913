"""What a rule says of itself, with its code and the documents that it names."""

from collections.abc import Iterator

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from inspector.core.formats.reference_documents import linked

register = template.Library()


@register.filter
def meaning(text: str) -> SafeString:
    """Set double backticks of a rule's docstring line as code, names of documents as links."""
    return format_html_join("", "{}", ((part,) for part in _parts(text)))


def _parts(text: str) -> Iterator[str]:
    for number, part in enumerate(text.split("``")):
        if number % 2:
            yield format_html("<code>{}</code>", part)
            continue
        for words, address in linked(part):
            link = '<a href="{}" rel="noopener noreferrer">{}</a>'
            yield format_html(link, address, words) if address else words
