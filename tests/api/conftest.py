from tests.api.serving import server
from tests.patience import patient as patient

__all__ = ["server"]
