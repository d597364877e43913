"""The command ``run``: any program, with its calls to models going through the proxy."""
