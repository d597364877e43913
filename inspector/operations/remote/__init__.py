"""Commands that talk to an installation by its address and a key. They need neither settings nor a
database and import no framework, so that each starts at once.
"""
