"""Sessions: calls that belong together, what each turn added, and why the cache was missed."""
