"""The API that every measured server asks: a fixed answer, as fast as a loop can give it. `python upstream.py PORT`."""

from __future__ import annotations

import asyncio
import sys

BODY = (
    b'{"id":7,"name":"a thing","status":"new","labels":["a","b","c"],'
    b'"owner":{"id":1,"email":"ann@example.com","address":{"city":"Oslo"}}}'
)
ANSWER = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s" % (
    len(BODY),
    BODY,
)


class Upstream(asyncio.Protocol):
    """Every measured call is a GET, whose end is the blank line."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        self.transport.write(ANSWER * data.count(b"\r\n\r\n"))


async def main(port: int) -> None:
    server = await asyncio.get_running_loop().create_server(Upstream, "127.0.0.1", port)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1])))
