"""Files that hold exchanges of other programs: recognised by content, read entry by entry. Needs no
framework and no database, so that a command can start without either.
"""
