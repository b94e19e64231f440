"""Start the server: `python -m petshop_mcp`, or the command `petshop-mcp`."""

from ._runtime.main import run


def main() -> None:
    run("petshop_mcp")


if __name__ == "__main__":
    main()
