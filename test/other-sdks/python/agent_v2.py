"""An agent of version 2 of the Python SDK, in the generation that MODE names: `legacy` has sessions."""

import os

import anyio
import httpx2
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client
from mcp_types import ElicitResult

import checks
from sign_in import sign_in


class AgentV2:
    def __init__(self, client: Client, logs: list):
        self.client = client
        self.logs = logs

    async def tools(self):
        return [tool.name for tool in (await self.client.list_tools()).tools]

    async def call(self, name, arguments, progress=None, meta=None):
        try:
            result = await self.client.call_tool(name, arguments, progress_callback=progress, meta=meta)
        except MCPError as cause:
            raise checks.Refused(cause.code, cause.message) from cause
        return checks.Answer("".join(getattr(block, "text", "") for block in result.content), bool(result.is_error))

    async def give_up(self, name, after):
        with anyio.move_on_after(after):
            await self.call(name, {})

    async def call_with_logs(self, name, arguments):
        """Without sessions the request says so itself."""
        if os.environ["MODE"] != "legacy":
            return await self.call(name, arguments, meta={"io.modelcontextprotocol/logLevel": "info"})
        await self.client.set_logging_level("info")
        try:
            return await self.call(name, arguments)
        finally:
            await self.client.set_logging_level("emergency")

    async def resources(self):
        return [str(resource.uri) for resource in (await self.client.list_resources()).resources]

    async def templates(self):
        return [each.uri_template for each in (await self.client.list_resource_templates()).resource_templates]

    async def read(self, uri):
        return "".join(getattr(each, "text", "") for each in (await self.client.read_resource(uri)).contents)

    async def prompts(self):
        return [prompt.name for prompt in (await self.client.list_prompts()).prompts]

    async def prompt(self, name, arguments):
        messages = (await self.client.get_prompt(name, arguments)).messages
        return "".join(getattr(message.content, "text", "") for message in messages)


async def main():
    logs = []

    async def log(params):
        logs.append(params.data)

    async def answer(context, params):
        return ElicitResult(action="accept", content=checks.ANSWER)

    async with httpx2.AsyncClient(auth=sign_in(), timeout=60) as http:
        transport = streamable_http_client(os.environ["URL"], http_client=http)
        async with Client(
            transport, mode=os.environ["MODE"], elicitation_callback=answer, logging_callback=log
        ) as client:
            await checks.report(
                f"speaks {os.environ['REVISION']}",
                lambda: speaks(client.protocol_version),
            )
            await checks.run(AgentV2(client, logs))


async def speaks(revision):
    checks.expect(revision == os.environ["REVISION"], revision)


anyio.run(main)
