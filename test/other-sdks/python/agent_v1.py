"""An agent of version 1 of the Python SDK, which speaks the generation with sessions."""

import os

import anyio
import httpx
from mcp import ClientSession, McpError, types
from mcp.client.streamable_http import streamable_http_client

import checks
from sign_in import sign_in


class AgentV1:
    def __init__(self, session: ClientSession, logs: list):
        self.session = session
        self.logs = logs

    async def tools(self):
        return [tool.name for tool in (await self.session.list_tools()).tools]

    async def call(self, name, arguments, progress=None):
        try:
            result = await self.session.call_tool(name, arguments, progress_callback=progress)
        except McpError as cause:
            raise checks.Refused(cause.error.code, cause.error.message) from cause
        return checks.Answer("".join(getattr(block, "text", "") for block in result.content), bool(result.isError))

    async def give_up(self, name, after):
        """This version does not tell the server by itself when a call is given up."""
        request_id = self.session._request_id
        async with anyio.create_task_group() as group:
            group.start_soon(self._call_for_nothing, name)
            await anyio.sleep(after)
            told = types.CancelledNotification(
                params=types.CancelledNotificationParams(requestId=request_id, reason="nobody waits")
            )
            await self.session.send_notification(types.ClientNotification(told))
            group.cancel_scope.cancel()

    async def _call_for_nothing(self, name):
        await self.call(name, {})

    async def call_with_logs(self, name, arguments):
        await self.session.set_logging_level("info")
        try:
            return await self.call(name, arguments)
        finally:
            await self.session.set_logging_level("emergency")

    async def resources(self):
        return [str(resource.uri) for resource in (await self.session.list_resources()).resources]

    async def templates(self):
        return [each.uriTemplate for each in (await self.session.list_resource_templates()).resourceTemplates]

    async def read(self, uri):
        return "".join(getattr(each, "text", "") for each in (await self.session.read_resource(uri)).contents)

    async def prompts(self):
        return [prompt.name for prompt in (await self.session.list_prompts()).prompts]

    async def prompt(self, name, arguments):
        messages = (await self.session.get_prompt(name, arguments)).messages
        return "".join(getattr(message.content, "text", "") for message in messages)


async def main():
    logs = []

    async def log(params):
        logs.append(params.data)

    async def answer(context, params):
        return types.ElicitResult(action="accept", content=checks.ANSWER)

    async with httpx.AsyncClient(auth=sign_in(), timeout=60) as http:
        async with streamable_http_client(os.environ["URL"], http_client=http) as (read, write, _):
            async with ClientSession(
                read, write, elicitation_callback=answer, logging_callback=log
            ) as session:
                await session.initialize()
                await checks.run(AgentV1(session, logs))


anyio.run(main)
