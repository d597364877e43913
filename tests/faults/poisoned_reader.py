"""A reader process whose readings are poisoned as those of the program that started it."""

from inspector.archive.readers import extract, process
from inspector.archive.readers.extract import Extract
from inspector.core.wire.exchange import Exchange
from tests.faults.strikes import effect_of

read = extract.extract


def poisoned(exchange: Exchange) -> Extract:
    effect_of(exchange.body)
    return read(exchange)


if __name__ == "__main__":
    # A task names its function, which is looked up in its module.
    extract.extract = poisoned
    process.main()
