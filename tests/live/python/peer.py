"""A peer of the live tests: the a2a-sdk of this environment signs, verifies and serves AgentCards.

Reads one JSON request a line from standard input and answers with one JSON line on standard output:

    {"verb": "sign", "card": TEXT, "key": JWK}                {"card": TEXT}
    {"verb": "verify", "card": TEXT, "keys": [JWK, ...]}      {"accepted": true or false}
    {"verb": "serve", "card": TEXT, "key": JWK or null}       {"url": URL}
    {"verb": "fetch", "url": URL}                             {"card": TEXT}

`serve` with a key signs the card for every request. Whatever else happens is answered as {"error": TEXT}.
The servers end with the process, the process with its input.
"""

import json
import socket
import sys
import threading
import urllib.request

from a2a.client.card_resolver import parse_agent_card
from a2a.types import AgentCard
from a2a.utils.constants import AGENT_CARD_WELL_KNOWN_PATH
from a2a.utils.signing import (
    InvalidSignaturesError,
    create_agent_card_signer,
    create_signature_verifier,
)
from google.protobuf.json_format import MessageToDict
from jwt import PyJWK


def signer(jwk):
    header = {"kid": jwk["kid"], "alg": jwk["alg"], "jku": None, "typ": "JOSE"}
    return create_agent_card_signer(PyJWK(jwk), header)


def sign(request):
    card = parse_agent_card(json.loads(request["card"]))
    signed = signer(request["key"])(card)
    return {"card": json.dumps(MessageToDict(signed), ensure_ascii=False)}


def verify(request):
    keys = {jwk["kid"]: PyJWK(jwk) for jwk in request["keys"]}
    algorithms = sorted({jwk["alg"] for jwk in request["keys"]})
    verifier = create_signature_verifier(lambda kid, jku: keys[kid], algorithms)
    try:
        verifier(parse_agent_card(json.loads(request["card"])))
    except InvalidSignaturesError:
        return {"accepted": False}
    return {"accepted": True}


def serve(request):
    # Only one of the environments has a server.
    import uvicorn
    from a2a.server.routes.agent_card_routes import create_agent_card_routes
    from starlette.applications import Starlette

    async def sign_anew(card):
        copy = AgentCard()
        copy.CopyFrom(card)
        return signer(request["key"])(copy)

    card = parse_agent_card(json.loads(request["card"]))
    routes = create_agent_card_routes(card, sign_anew if request["key"] else None)
    server = uvicorn.Server(uvicorn.Config(Starlette(routes=routes), log_level="error"))
    # It listens from here on, so that nobody has to wait for the thread.
    listener = socket.create_server(("127.0.0.1", 0))
    threading.Thread(target=server.run, args=([listener],), daemon=True).start()
    return {"url": f"http://127.0.0.1:{listener.getsockname()[1]}{AGENT_CARD_WELL_KNOWN_PATH}"}


def fetch(request):
    # Without the proxy that the environment may name.
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(request["url"], timeout=30) as response:
        return {"card": response.read().decode("utf-8")}


VERBS = {"sign": sign, "verify": verify, "serve": serve, "fetch": fetch}

for line in sys.stdin:
    try:
        request = json.loads(line)
        answer = VERBS[request["verb"]](request)
    except Exception as error:
        answer = {"error": f"{type(error).__name__}: {error}"}
    print(json.dumps(answer), flush=True)
