"""The OAuth flow of both versions of the SDK. Whoever started this program visits the page and says where that led."""

import json
import os
import sys
from urllib.parse import parse_qs, urlsplit

import anyio
from mcp.client.auth import OAuthClientProvider
from mcp.shared import auth


class Memory:
    """What the SDK keeps between runs of a program, here for one run."""

    tokens = None
    client = None

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens

    async def get_client_info(self):
        return self.client

    async def set_client_info(self, client):
        self.client = client


async def visit(url):
    print(json.dumps({"visit": url}), flush=True)


async def came_back():
    line = await anyio.to_thread.run_sync(sys.stdin.readline)
    said = {name: values[0] for name, values in parse_qs(urlsplit(line.strip()).query).items()}
    if hasattr(auth, "AuthorizationCodeResult"):
        return auth.AuthorizationCodeResult(code=said["code"], state=said.get("state"), iss=said.get("iss"))
    return said["code"], said.get("state")


def sign_in():
    metadata = auth.OAuthClientMetadata(client_name="python-agent", redirect_uris=[os.environ["CALLBACK"]])
    return OAuthClientProvider(os.environ["URL"], metadata, Memory(), visit, came_back)
