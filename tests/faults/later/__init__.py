"""The archive's migrations in a later release: all of this one's, and two that come after them."""

import pkgutil

from inspector.archive import migrations

LAST = max(module.name for module in pkgutil.iter_modules(migrations.__path__))
__path__ = [*migrations.__path__, *__path__]
