"""The words by which an exchange is found, and those that are searched for."""
