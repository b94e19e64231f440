"""Start the server: `python -m spotify_mcp`, or the command `spotify-mcp`."""

from ._runtime.main import run


def main() -> None:
    run("spotify_mcp")


if __name__ == "__main__":
    main()
