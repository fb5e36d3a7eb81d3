"""An agent of the live tests: the a2a-sdk of this environment answers messages over TLS, and asks agents.

Reads one JSON request a line from standard input and answers with one JSON line on standard output:

    {"verb": "listen"}                                                   {"port": PORT}
    {"verb": "serve", "port": PORT, "card": TEXT, "chain": PATH, "key": PATH}          {}
    {"verb": "gateway", "port": PORT, "from": TEXT, "to": TEXT, "chain": PATH, "key": PATH,
     "upstream": URL, "ca": PATH}                                                      {}
    {"verb": "ask", "url": URL, "binding": NAME, "version": VERSION, "ca": PATH, "text": TEXT}  {"text": TEXT}

`listen` takes a port of the loopback interface, so that a card can name it before it is served; `serve` on the same port
replaces the card. The agent answers a message with its text, after `echo: `. A gateway gets what it is asked for from
`upstream` and replaces `from` by `to` in it. `ask` sends a message to the URL of an interface, with no card but a minimal
one. Whatever else happens is answered as {"error": TEXT}. The servers end with the process, the process with its input.
"""

import asyncio
import json
import socket
import ssl
import sys
import threading
import urllib.request

import httpx
import uvicorn
from a2a.client import ClientConfig, ClientFactory, minimal_agent_card
from a2a.client.card_resolver import parse_agent_card
from a2a.helpers import get_stream_response_text, new_text_message
from a2a.server.agent_execution import AgentExecutor
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.routes.agent_card_routes import create_agent_card_routes
from a2a.server.routes.jsonrpc_routes import create_jsonrpc_routes
from a2a.server.tasks import InMemoryTaskStore
from a2a.types import Role, SendMessageRequest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

# Ports that were taken and do not serve yet.
listeners = {}
# What is served at a port, to be replaced by another card.
applications = {}


def listen(request):
    listener = socket.create_server(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    listeners[port] = listener
    return {"port": port}


class Echo(AgentExecutor):
    async def execute(self, context, event_queue):
        await event_queue.enqueue_event(new_text_message(f"echo: {context.get_user_input()}"))

    async def cancel(self, context, event_queue):
        raise NotImplementedError


def start(request, routes):
    """Serves over TLS on a port that was taken, or replaces what is served there."""
    port = request["port"]
    is_new = port not in applications
    applications[port] = Starlette(routes=routes)
    if is_new:

        async def current(scope, receive, send):
            await applications[port](scope, receive, send)

        config = uvicorn.Config(
            current,
            log_level="error",
            lifespan="off",
            ssl_certfile=request["chain"],
            ssl_keyfile=request["key"],
        )
        server = uvicorn.Server(config)
        threading.Thread(target=server.run, args=([listeners.pop(port)],), daemon=True).start()
    return {}


def serve(request):
    card = parse_agent_card(json.loads(request["card"]))
    handler = DefaultRequestHandler(Echo(), InMemoryTaskStore(), card)
    return start(request, create_agent_card_routes(card) + create_jsonrpc_routes(handler, "/a2a"))


def gateway(request):
    context = ssl.create_default_context(cafile=request["ca"])
    # Without the proxy that the environment may name.
    opener = urllib.request.build_opener(
        urllib.request.ProxyHandler({}), urllib.request.HTTPSHandler(context=context)
    )

    def get(path):
        with opener.open(request["upstream"] + path, timeout=30) as response:
            return response.read().decode("utf-8")

    async def forward(asked: Request):
        body = await asyncio.to_thread(get, asked.url.path)
        return Response(body.replace(request["from"], request["to"]), media_type="application/json")

    return start(request, [Route("/{path:path}", forward)])


async def send(request):
    context = ssl.create_default_context(cafile=request["ca"])
    async with httpx.AsyncClient(verify=context, trust_env=False, timeout=30) as http:
        card = minimal_agent_card(request["url"], [request["binding"]])
        card.supported_interfaces[0].protocol_version = request["version"]
        config = ClientConfig(
            streaming=False, httpx_client=http, supported_protocol_bindings=[request["binding"]]
        )
        client = ClientFactory(config).create(card)
        message = new_text_message(request["text"], role=Role.ROLE_USER)
        events = [event async for event in client.send_message(SendMessageRequest(message=message))]
        return "".join(get_stream_response_text(event) for event in events)


def ask(request):
    return {"text": asyncio.run(send(request))}


VERBS = {"listen": listen, "serve": serve, "gateway": gateway, "ask": ask}

for line in sys.stdin:
    try:
        request = json.loads(line)
        answer = VERBS[request["verb"]](request)
    except Exception as error:
        answer = {"error": f"{type(error).__name__}: {error}"}
    print(json.dumps(answer), flush=True)
