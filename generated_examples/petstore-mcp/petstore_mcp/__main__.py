"""Start the server: `python -m petstore_mcp`, or the command `petstore-mcp`."""

from ._runtime.main import run


def main() -> None:
    run("petstore_mcp")


if __name__ == "__main__":
    main()
