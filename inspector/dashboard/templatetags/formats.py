"""Template filters for times, sizes, counts and money."""

from django import template
from django.utils.html import format_html, format_html_join

from inspector.dashboard.text.cost_labels import table_words
from inspector.formatting import humanize
from inspector.formatting.told import told_sentence

register = template.Library()

register.filter("count", humanize.count)
register.filter("seconds", humanize.seconds)
register.filter("plain_seconds", humanize.plain_seconds)
register.filter("short_seconds", humanize.short_seconds)
register.filter("short_time", humanize.short_time)
register.filter("milliseconds", humanize.milliseconds)
register.filter("rate", humanize.rate)
register.filter("size", humanize.size)
register.filter("age", humanize.age)
register.filter("elapsed", humanize.elapsed)
register.filter("moment", humanize.moment)
register.filter("exact_moment", humanize.exact_moment)
register.filter("clock", humanize.clock)
register.filter("short_id", humanize.short_id)
register.filter("told_sentence", told_sentence)
register.filter("usd", humanize.usd)
register.filter("short_usd", humanize.short_usd)
register.filter("table_words", table_words)


@register.filter
def at_point(amount: str) -> str:
    """Set an amount so that a column aligns at the decimal point; words stay as they are."""
    whole, point, decimals = amount.partition(".")
    if not any(map(str.isdigit, amount)):
        return amount
    return format_html('{}<span class="decimals">{}</span>', whole, point + decimals)


@register.filter
def maker(name: str) -> str:
    """Return who did it, as records name people: a person's name alone, a key as it is."""
    return name.removeprefix("user ")


@register.filter
def names_as_code(words: str) -> str:
    """Set what stands between backticks as code; with an odd number of them nothing is a name."""
    parts = words.split("`")
    if len(parts) % 2 == 0:
        return words
    pairs = zip(parts[::2], (*parts[1::2], ""), strict=True)
    return format_html_join("", "{}{}", ((text, name and code(name)) for text, name in pairs))


def code(name: str) -> str:
    return format_html("<code>{}</code>", name)
