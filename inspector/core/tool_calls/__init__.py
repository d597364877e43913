"""Tool calls: put together, their arguments examined, and compared with what the request offers."""
