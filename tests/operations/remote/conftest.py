from tests.api.serving import server

__all__ = ["server"]
