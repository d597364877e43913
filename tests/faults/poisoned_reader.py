"""A reader process whose readings are poisoned as those of the program that started it."""

from inspector.archive.readers import operations, process
from tests.faults.strikes import effect_of

read = operations.OPERATIONS[operations.extract.__name__]


def poisoned(exchange: operations.Any) -> operations.Any:
    effect_of(exchange.body)
    return read(exchange)


if __name__ == "__main__":
    operations.OPERATIONS[operations.extract.__name__] = poisoned
    process.main()
