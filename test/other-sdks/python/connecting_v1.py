"""
An agent of version 1 of the Python SDK whose person has not connected an account. With a callback for elicitation this version
declares URL mode. It has an error class for -32042 but raises McpError, and makes no call again: the application does both.
"""

import os
from contextlib import asynccontextmanager

import anyio
import httpx
from mcp import ClientSession, McpError, types
from mcp.client.streamable_http import streamable_http_client

import checks
import connecting


class AgentV1:
    def __init__(self, session: ClientSession, stream: anyio.Event):
        self.session = session
        self.stream = stream

    async def tools(self):
        return [tool.name for tool in (await self.session.list_tools()).tools]

    async def call(self, name, arguments):
        try:
            result = await self.session.call_tool(name, arguments)
        except McpError as cause:
            if cause.error.code != connecting.URL_ELICITATION_REQUIRED:
                raise
            raise connecting.Told(cause.error.data["elicitations"]) from cause
        return checks.Answer("".join(getattr(block, "text", "") for block in result.content), bool(result.isError))

    @asynccontextmanager
    async def listening(self):
        """The SDK opens the session's stream by itself."""
        await self.stream.wait()
        yield


@asynccontextmanager
async def start(person: connecting.Person):
    async def hear(message):
        if isinstance(message, types.ServerNotification):
            told = message.root
            person.heard.append(told.method)
            if isinstance(told, types.ElicitCompleteNotification):
                person.heard.append(told.params.elicitationId)

    async def answer(context, params):
        raise AssertionError("nothing is asked in this generation")

    stream = anyio.Event()

    async def came(response):
        if response.request.method == "GET" and response.is_success:
            stream.set()

    headers = {"Authorization": f"Bearer {person.token}"}
    async with httpx.AsyncClient(headers=headers, timeout=60, event_hooks={"response": [came]}) as http:
        async with streamable_http_client(os.environ["URL"], http_client=http) as (read, write, _):
            callback = answer if person.has_url_mode else None
            async with ClientSession(read, write, elicitation_callback=callback, message_handler=hear) as session:
                await session.initialize()
                yield AgentV1(session, stream)


anyio.run(connecting.run, start, False)
