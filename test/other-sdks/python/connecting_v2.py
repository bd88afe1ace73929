"""
An agent of version 2 of the Python SDK whose person has not connected an account, in the generation that MODE names: `legacy` has
sessions. With a callback for elicitation this version declares URL mode. Without sessions it opens links by that callback, and makes
the call again by itself. With sessions it raises MCPError for -32042, and the application makes the call again.
"""

import os
from contextlib import asynccontextmanager

import anyio
import httpx2
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client
from mcp_types import ElicitCompleteNotification, ElicitResult

import checks
import connecting

HAS_SESSIONS = os.environ["MODE"] == "legacy"


class AgentV2:
    def __init__(self, client: Client, stream: anyio.Event):
        self.client = client
        self.stream = stream

    async def tools(self):
        return [tool.name for tool in (await self.client.list_tools(cache_mode="refresh")).tools]

    async def call(self, name, arguments):
        try:
            result = await self.client.call_tool(name, arguments)
        except MCPError as cause:
            if cause.code != connecting.URL_ELICITATION_REQUIRED:
                raise
            raise connecting.Told(cause.data["elicitations"]) from cause
        return checks.Answer("".join(getattr(block, "text", "") for block in result.content), bool(result.is_error))

    @asynccontextmanager
    async def listening(self):
        """The SDK opens the stream of a session by itself."""
        if HAS_SESSIONS:
            await self.stream.wait()
            yield
            return
        async with self.client.listen(tools_list_changed=True):
            yield


@asynccontextmanager
async def start(person: connecting.Person):
    async def hear(message):
        person.heard.append(getattr(message, "method", ""))
        if isinstance(message, ElicitCompleteNotification):
            person.heard.append(message.params.elicitation_id)

    async def answer(context, params):
        checks.expect(params.mode == "url" and not HAS_SESSIONS, params)
        await person.connect(params.url)
        return ElicitResult(action="accept")

    stream = anyio.Event()

    async def came(response):
        if response.request.method == "GET" and response.is_success:
            stream.set()

    headers = {"Authorization": f"Bearer {person.token}"}
    async with httpx2.AsyncClient(headers=headers, timeout=60, event_hooks={"response": [came]}) as http:
        transport = streamable_http_client(os.environ["URL"], http_client=http)
        callback = answer if person.has_url_mode else None
        async with Client(
            transport, mode=os.environ["MODE"], elicitation_callback=callback, message_handler=hear
        ) as client:
            checks.expect(client.protocol_version == os.environ["REVISION"], client.protocol_version)
            yield AgentV2(client, stream)


anyio.run(connecting.run, start, not HAS_SESSIONS)
