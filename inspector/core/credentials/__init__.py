"""Finds credentials in an exchange, by name and by shape, and removes them."""
