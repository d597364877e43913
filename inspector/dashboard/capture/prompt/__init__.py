"""Messages and tools of a request, as the prompt panel shows them."""
