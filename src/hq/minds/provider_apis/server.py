"""`hq mind serve-script`: the scripted mind on a port of this machine, for any program that can talk to a provider."""

from __future__ import annotations

import socket
from collections.abc import Awaitable, Callable
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from hq.errors import HqError, Outage, Refused
from hq.ids import new_id
from hq.json_types import WireBody
from hq.minds.mind import Mind, MindBusy
from hq.minds.provider_apis import anthropic, chat, google, responses
from hq.minds.provider_apis.common import ProviderRequest, parsed
from hq.minds.scripted.mind import shipped

MODELS = ("script", "claude-script", "gpt-script")
LARGEST = 32 * 1024 * 1024
BUSY = 30
"""Seconds after which a program should ask again where a quota is used up or a provider is away."""
HOSTS = ("127.0.0.1", "localhost", "[::1]", "::1")
Endpoint = Callable[[Request], Awaitable[Response]]


def create_app(mind: Mind | None = None) -> Starlette:
    asked = mind or shipped()
    return Starlette(
        routes=[
            Route("/v1/messages", _wire(anthropic, asked), methods=["POST"]),
            Route("/v1/messages/count_tokens", _count(asked), methods=["POST"]),
            *(Route(f"{v}/chat/completions", _wire(chat, asked), methods=["POST"]) for v in ("/v1", "")),
            *(Route(f"{v}/responses", _wire(responses, asked), methods=["POST"]) for v in ("/v1", "")),
            *(Route(f"{v}/models/{{model}}", _google(asked), methods=["POST"]) for v in ("/v1beta", "/v1")),
            Route("/v1/models", _models),
            Route("/v1/models/{model}", _model),
        ]
    )


def _wire(wire: Any, mind: Mind) -> Endpoint:
    async def answer(request: Request) -> Response:
        return await _answered(request, wire, mind, lambda body: wire.read(parsed(body)))

    return answer


def _google(mind: Mind) -> Endpoint:
    async def answer(request: Request) -> Response:
        model, _, method = request.path_params["model"].partition(":")
        streamed = method == "streamGenerateContent"
        return await _answered(request, google, mind, lambda body: google.read(parsed(body), model, stream=streamed))

    return answer


def _count(mind: Mind) -> Endpoint:
    async def count(request: Request) -> Response:
        try:
            asked = anthropic.read(parsed(await _body(request)))
        except (HqError, KeyError, TypeError, AttributeError) as error:
            return _failed(anthropic, error)
        reply = await mind.answer(asked.ask)
        return JSONResponse({"input_tokens": reply.usage.tokens_in})

    return count


async def _answered(request: Request, wire: Any, mind: Mind, read: Callable[[bytes], ProviderRequest]) -> Response:
    try:
        asked = read(await _body(request))
        reply = await mind.answer(asked.ask)
    except (HqError, KeyError, TypeError, AttributeError) as error:
        return _failed(wire, error)
    id_ = new_id().hex
    if asked.stream:
        return StreamingResponse(wire.stream(reply, asked.model, id_), media_type="text/event-stream")
    return JSONResponse(wire.whole(reply, asked.model, id_))


async def _body(request: Request) -> bytes:
    # A page in a browser can reach this port too, under a name that points here: only our own names are answered.
    if request.headers.get("host", "").rsplit(":", 1)[0] not in HOSTS:
        raise Refused.forbidden("this server answers to 127.0.0.1 and localhost only")
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > LARGEST:
            raise Refused("the request is too large", code="too_large")
    return body


def _failed(wire: Any, error: Exception) -> Response:
    if isinstance(error, HqError):
        if isinstance(error, MindBusy):  # programs know how to wait for that
            return JSONResponse(wire.failure(429, error.message), 429, {"retry-after": str(BUSY)})
        status = 400 if error.code.status == 422 else error.code.status
        return JSONResponse(wire.failure(status, error.message), status)
    return JSONResponse(wire.failure(400, f"the request lacks something or has the wrong shape: {error}"), 400)


async def _models(request: Request) -> Response:
    return JSONResponse({"object": "list", "data": [_model_entry(name) for name in MODELS], "has_more": False,
                         "first_id": MODELS[0], "last_id": MODELS[-1]})  # fmt: skip


async def _model(request: Request) -> Response:
    return JSONResponse(_model_entry(request.path_params["model"]))


def _model_entry(name: str) -> WireBody:
    made = {"created": 0, "created_at": "1970-01-01T00:00:00Z", "owned_by": "hq", "display_name": "Scripted mind"}
    return {"id": name, "object": "model", "type": "model", **made}


def serve(port: int, say: Callable[[str], None]) -> None:
    """Serve until Ctrl-C, on the loopback address only: there is nothing to log in with."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(("127.0.0.1", port))
        listener.listen(128)
    except OSError as error:
        listener.close()
        raise Outage(f"port {port} cannot be used: {error.strerror}; say another with --port") from error
    url = f"http://127.0.0.1:{listener.getsockname()[1]}"
    say(f"the scripted mind answers at {url}\nANTHROPIC_BASE_URL={url}\nOPENAI_BASE_URL={url}/v1")
    config = uvicorn.Config(
        create_app(), log_config=None, access_log=False, server_header=False, lifespan="off", ws="none"
    )
    uvicorn.Server(config).run(sockets=[listener])
