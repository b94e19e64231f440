"""A FastAPI application with a bit of everything; it remembers what it received.

`shop.py document` prints its OpenAPI document; `shop.py serve` prints the port it listens on, then serves until its
standard input ends.
"""

from __future__ import annotations

import base64
import datetime
import enum
import json
import socket
import sys
import threading
from decimal import Decimal
from typing import Annotated, Any, Literal, Union
from uuid import UUID
from xml.etree import ElementTree

import uvicorn
from fastapi import Body, Cookie, FastAPI, File, Form, Header, Path, Query, Request, UploadFile
from fastapi.encoders import jsonable_encoder
from fastapi.responses import PlainTextResponse, Response, StreamingResponse
from fastapi.security import HTTPBearer
from fastapi import Depends, HTTPException
from pydantic import BaseModel, Field

app = FastAPI(title="Shop", version="1.2.3")
received: list[Any] = []

PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


class Size(str, enum.Enum):
    small = "S"
    large = "X L"


class Cat(BaseModel):
    kind: Literal["cat"]
    lives: int = Field(ge=0, le=9)


class Dog(BaseModel):
    kind: Literal["dog"]
    good: bool = True


Pet = Annotated[Union[Cat, Dog], Field(discriminator="kind")]


class Item(BaseModel):
    name: str
    price: Decimal
    sizes: list[Size] = []
    made: datetime.date
    sold: datetime.datetime | None = None
    pets: list[Pet] = []
    parent: Item | None = None
    labels: dict[str, int] = {}


class Filter(BaseModel):
    q: str = ""
    limit: int = Field(10, gt=0, le=100)
    tags: list[str] = []
    model_config = {"extra": "forbid"}


class Login(BaseModel):
    user: str
    remember: bool = False
    codes: list[int] = []


class Secret(BaseModel):
    token: str


bearer = HTTPBearer(scheme_name="token")


def note(**said: Any) -> Any:
    received.append(jsonable_encoder(said))
    return received[-1]


@app.post("/items/{item_id}", status_code=201, operation_id="createItem")
def create_item(item_id: UUID, item: Item, dry: bool = False) -> Item:
    note(item_id=item_id, item=item, dry=dry)
    return item


@app.get("/items", operation_id="findItems")
def find_items(filter: Annotated[Filter, Query()]) -> list[str]:
    note(filter=filter)
    return ["a", filter.q]


@app.get("/sizes/{size}", operation_id="bySize")
def by_size(
    size: Size,
    since: Annotated[datetime.datetime, Query()],
    sizes: Annotated[list[Size] | None, Query()] = None,
    x_trace: Annotated[list[str] | None, Header()] = None,
    x_count: Annotated[int, Header()] = 0,
    session: Annotated[str | None, Cookie()] = None,
) -> int:
    note(size=size, since=since, sizes=sizes, trace=x_trace, count=x_count, session=session)
    return 2**53 + 1


@app.get("/files/{path:path}", operation_id="readFile", response_class=PlainTextResponse)
def read_file(path: Annotated[str, Path()]) -> str:
    note(path=path)
    return f"text of {path} – ü"


@app.post("/login", operation_id="login")
def login(form: Annotated[Login, Form()]) -> bool:
    note(form=form)
    return True


@app.post("/uploads", operation_id="upload")
async def upload(
    photo: UploadFile,
    title: Annotated[str, Form()],
    raw: Annotated[bytes | None, File()] = None,
    more: list[UploadFile] | None = None,
    numbers: Annotated[list[int] | None, Form()] = None,
) -> dict[str, int]:
    files = [photo, *(more or [])]
    note(
        title=title,
        numbers=numbers,
        raw=raw and base64.b64encode(raw).decode(),
        files=[
            [one.filename, one.content_type, base64.b64encode(await one.read()).decode()]
            for one in files
        ],
    )
    return {"files": len(files)}


@app.put("/pet", operation_id="putPet")
def put_pet(pet: Annotated[Pet, Body()]) -> Pet:
    note(pet=pet)
    return pet


@app.patch("/both", operation_id="patchBoth")
def patch_both(
    first: Cat, second: Annotated[list[int], Body()], third: Annotated[str | None, Body()] = None
) -> None:
    note(first=first, second=second, third=third)


@app.post("/maybe", operation_id="maybe")
def maybe(item: Dog | None = None) -> str:
    note(item=item)
    return "none" if item is None else "some"


@app.delete("/items/{item_id}", status_code=204, operation_id="deleteItem")
def delete_item(item_id: UUID) -> None:
    note(deleted=item_id)


@app.get(
    "/image",
    operation_id="image",
    response_class=Response,
    responses={200: {"content": {"image/png": {}}}},
)
def image() -> Response:
    note(image=True)
    return Response(PIXEL, media_type="image/png")


@app.get(
    "/download",
    operation_id="download",
    response_class=Response,
    responses={200: {"content": {"application/zip": {}}}},
)
def download() -> Response:
    note(download=True)
    return Response(
        b"PK\x00\xff",
        media_type="application/zip",
        headers={"Content-Disposition": 'attachment; filename="all.zip"'},
    )


@app.get("/latin", operation_id="latin", response_class=PlainTextResponse)
def latin() -> Response:
    note(latin=True)
    return Response("é".encode("latin-1"), media_type="text/plain; charset=iso-8859-1")


@app.get(
    "/lines",
    operation_id="lines",
    responses={200: {"content": {"application/x-ndjson": {}}}},
    response_class=StreamingResponse,
)
def lines() -> StreamingResponse:
    note(lines=True)
    return StreamingResponse(
        (f'{{"n":{n}}}\n' for n in range(3)), media_type="application/x-ndjson"
    )


@app.get(
    "/events",
    operation_id="events",
    responses={200: {"content": {"text/event-stream": {}}}},
    response_class=StreamingResponse,
)
def events() -> StreamingResponse:
    note(events=True)
    return StreamingResponse(
        (f"event: tick\ndata: {n}\n\n" for n in range(2)), media_type="text/event-stream"
    )


@app.get("/secret", operation_id="secret")
def secret(found: Annotated[Any, Depends(bearer)]) -> Secret:
    note(token=found.credentials)
    return Secret(token="hidden")


@app.get("/broken", operation_id="broken")
def broken() -> None:
    note(broken=True)
    raise HTTPException(409, {"code": "busy", "message": "Someone else is at it"})


def either(json_schema: str) -> dict[str, Any]:
    """Media types that FastAPI has no words for."""
    order = {
        "type": "object",
        "xml": {"name": "order", "namespace": "urn:shop"},
        "required": ["id"],
        "properties": {
            "id": {"type": "integer", "xml": {"attribute": True}},
            "lines": {
                "type": "array",
                "xml": {"wrapped": True, "name": "lines"},
                "items": {"type": "string", "xml": {"name": "line"}},
            },
            "note": {"type": "string", "xml": {"name": "remark"}},
        },
    }
    upload = {
        "type": "object",
        "required": ["sheet"],
        "properties": {"sheet": {"type": "string", "format": "binary"}, "name": {"type": "string"}},
    }
    contents = {
        "xml": {"application/xml": {"schema": order}},
        "choice": {
            "application/json": {
                "schema": {
                    "type": "object",
                    "properties": {"rows": {"type": "array", "items": {"type": "integer"}}},
                }
            },
            "multipart/form-data": {"schema": upload},
            "text/csv": {"schema": {"type": "string"}},
            "application/octet-stream": {"schema": {"type": "string", "format": "binary"}},
        },
    }
    return {"requestBody": {"required": True, "content": contents[json_schema]}}


@app.post("/orders", operation_id="order", openapi_extra=either("xml"))
async def order(request: Request) -> int:
    root = ElementTree.fromstring(await request.body())
    space = "{urn:shop}"
    note(
        tag=root.tag,
        id=root.get("id"),
        lines=[one.text for one in root.findall(f"{space}lines/{space}line")],
        note=root.findtext(f"{space}remark"),
    )
    return 1


@app.post("/sheets", operation_id="sheet", openapi_extra=either("choice"))
async def sheet(request: Request) -> str:
    kind = request.headers["content-type"].partition(";")[0]
    if kind == "multipart/form-data":
        form = await request.form()
        file = form["sheet"]
        content: Any = [form.get("name"), file.filename, (await file.read()).decode()]
    elif kind == "application/json":
        content = await request.json()
    else:
        content = (await request.body()).decode()
    note(kind=kind, content=content)
    return kind


@app.get("/_received", include_in_schema=False)
def take_received() -> list[Any]:
    taken, received[:] = list(received), []
    return taken


def serve() -> None:
    listener = socket.create_server(("127.0.0.1", 0))
    print(listener.getsockname()[1], flush=True)
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning"))

    def stop() -> None:
        sys.stdin.read()
        server.should_exit = True

    threading.Thread(target=stop, daemon=True).start()
    server.run(sockets=[listener])


if sys.argv[1] == "document":
    json.dump(app.openapi(), sys.stdout)
else:
    serve()
