"""A server made with FastMCP, version 2 or later, at 127.0.0.1 and the port PORT."""

import asyncio
import os

from fastmcp import Context, FastMCP
from fastmcp.exceptions import ToolError

server = FastMCP("toolbox")
stopped_calls = 0


@server.tool
def greet(name: str) -> str:
    return f"Hello {name}"


@server.tool
def fail() -> str:
    raise ToolError("out of stock")


@server.tool
async def slow() -> str:
    global stopped_calls
    try:
        await asyncio.sleep(60)
    except asyncio.CancelledError:
        stopped_calls += 1
        raise
    return "late"


@server.tool
def stopped() -> str:
    return str(stopped_calls)


@server.tool
async def count(context: Context) -> str:
    for step in (1, 2, 3):
        await context.report_progress(step, 3)
        await asyncio.sleep(0.05)
    return "counted"


@server.tool
async def tell(context: Context) -> str:
    await context.info("I was called")
    return "told"


@server.tool
async def who(context: Context) -> str:
    answer = await context.elicit("Who is it?", response_type=str)
    return f"It is {answer.data}"


@server.tool
def big() -> str:
    return "x" * (1536 * 1024)


@server.resource("toolbox://about", mime_type="text/plain")
def about() -> str:
    return "Ten shelves."


@server.resource("toolbox://items/{item}", mime_type="text/plain")
def item_of(item: str) -> str:
    return f"Item {item}"


@server.prompt
def ask(topic: str) -> str:
    return f"Tell me about {topic}"


server.run(transport="http", host="127.0.0.1", port=int(os.environ["PORT"]), show_banner=False)
