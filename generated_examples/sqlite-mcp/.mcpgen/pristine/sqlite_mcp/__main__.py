"""Start the server: `python -m sqlite_mcp`, or the command `sqlite-mcp`."""

from ._runtime.main import run


def main() -> None:
    run("sqlite_mcp")


if __name__ == "__main__":
    main()
