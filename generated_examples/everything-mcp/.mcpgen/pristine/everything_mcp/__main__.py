"""Start the server: `python -m everything_mcp`, or the command `everything-mcp`."""

from ._runtime.main import run


def main() -> None:
    run("everything_mcp")


if __name__ == "__main__":
    main()
