"""`python -m mcpgen` is the command `mcpgen`."""

from mcpgen.cli import main

main()
