"""Start the server: `python -m twilio_verify_mcp`, or the command `twilio-verify-mcp`."""

from ._runtime.main import run


def main() -> None:
    run("twilio_verify_mcp")


if __name__ == "__main__":
    main()
