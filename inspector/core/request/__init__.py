"""The request of an exchange: its prompt, parameters and who sent it."""
