"""An upstream on a raw socket, so that tests see every byte of a request and can break an answer anywhere."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

Answer: TypeAlias = "bytes | Callable[[asyncio.StreamWriter], Awaitable[None]]"


class Upstream:
    """Answers in turn, the last answer for ever; `requests` holds what came, byte for byte.

    `left` is set when a client goes while its answer is being made.
    """

    def __init__(self, answers: tuple[Answer, ...]) -> None:
        self.answers = answers
        self.requests: list[bytes] = []
        self.url = ""
        self.left = asyncio.Event()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                self.requests.append(await read_request(reader))
                answer = self.answers[min(len(self.requests), len(self.answers)) - 1]
                if callable(answer):
                    await self._until_left(answer(writer), reader)
                    return
                writer.write(answer)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            pass
        finally:
            writer.close()

    async def _until_left(self, answering: Awaitable[None], reader: asyncio.StreamReader) -> None:
        made, gone = asyncio.ensure_future(answering), asyncio.ensure_future(reader.read(1))
        try:
            await asyncio.wait((made, gone), return_when=asyncio.FIRST_COMPLETED)
            if made.done():
                await made
            else:
                self.left.set()
        except ConnectionError:
            self.left.set()
            raise
        finally:
            made.cancel()
            gone.cancel()

    def lines(self, index: int = -1) -> list[str]:
        """The request line and the headers of one request."""
        return self.requests[index].partition(b"\r\n\r\n")[0].decode("latin-1").split("\r\n")

    def headers(self, index: int = -1) -> dict[str, str]:
        pairs = (line.split(": ", 1) for line in self.lines(index)[1:])
        return {name.lower(): value for name, value in pairs}


async def read_request(reader: asyncio.StreamReader) -> bytes:
    head = await reader.readuntil(b"\r\n\r\n")
    for line in head.lower().split(b"\r\n"):
        if line.startswith(b"content-length:"):
            head += await reader.readexactly(int(line[15:]))
    return head


def answer(
    status: int = 200, body: bytes = b"{}", content_type: str = "application/json", **headers: str
) -> bytes:
    lines = [f"HTTP/1.1 {status} X", f"Content-Length: {len(body)}"]
    if content_type:
        lines.append(f"Content-Type: {content_type}")
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join([*lines, "", ""]).encode() + body


@asynccontextmanager
async def upstream(*answers: Answer) -> AsyncIterator[Upstream]:
    made = Upstream(answers or (answer(),))
    server = await asyncio.start_server(made.serve, "127.0.0.1", 0)
    made.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    try:
        yield made
    finally:
        server.close()


def variables() -> Iterator[str]:
    """The variables of the usual proxies, which tests do without."""
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        yield from (name, name.upper())
