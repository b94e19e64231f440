"""What the command does besides serving; `COMMANDS` in options.py names them."""
