"""``python -m inspector``: the same as the console script."""

from inspector.command_line import main

if __name__ == "__main__":
    main()
