"""What an agent does before the gateway, whatever SDK it is made with. Prints one line of JSON a check."""

import json
import os
import traceback
from dataclasses import dataclass
from typing import Any, Awaitable, Callable, Protocol

import anyio

BIG = 1536 * 1024
ANSWER = {"value": "Ada"}
UNKNOWN_TOOL = -32602
PATIENCE = 20


@dataclass
class Answer:
    """A tool's result."""

    text: str
    is_error: bool


class Refused(Exception):
    """A JSON-RPC error."""

    def __init__(self, code: int, message: str):
        super().__init__(f"{code}: {message}")
        self.code = code


class Agent(Protocol):
    """What both versions of the SDK can do. It answers questions with ANSWER."""

    logs: list[Any]
    """What servers told it of what they do."""

    async def tools(self) -> list[str]: ...
    async def call(self, name: str, arguments: dict[str, Any], progress: Any = None) -> Answer: ...
    async def give_up(self, name: str, after: float) -> None:
        """Calls a tool and cancels the call."""

    async def call_with_logs(self, name: str, arguments: dict[str, Any]) -> Answer:
        """Servers tell it of what they do, at the level `info` and above."""

    async def resources(self) -> list[str]: ...
    async def templates(self) -> list[str]: ...
    async def read(self, uri: str) -> str: ...
    async def prompts(self) -> list[str]: ...
    async def prompt(self, name: str, arguments: dict[str, str]) -> str: ...


def expect(condition: bool, what: Any) -> None:
    if not condition:
        raise AssertionError(str(what)[:500])


async def run(agent: Agent) -> None:
    for app in os.environ["APPS"].split(","):
        for name, check in CHECKS.items():
            if app == "bridge" and name in OF_SERVERS:
                continue
            await report(f"{app}: {name}", lambda: check(agent, app))
    await report("an unknown tool is an error with its code", lambda: unknown_tool(agent))


async def report(name: str, check: Callable[[], Awaitable[None]]) -> None:
    error = None
    try:
        with anyio.fail_after(PATIENCE):
            await check()
    except Exception as cause:
        error = "".join(traceback.format_exception(cause))[-2000:]
    print(json.dumps({"name": name, "error": error}), flush=True)


async def lists_tools(agent: Agent, app: str) -> None:
    names = await agent.tools()
    wanted = {f"{app}_{name}" for name in ["greet", "fail", "slow", "stopped", "count", "big"]}
    expect(wanted <= set(names), names)


async def calls_a_tool(agent: Agent, app: str) -> None:
    answer = await agent.call(f"{app}_greet", {"name": "Ada"})
    expect(not answer.is_error and "Hello Ada" in answer.text, answer)


async def gets_an_error(agent: Agent, app: str) -> None:
    answer = await agent.call(f"{app}_fail", {})
    expect(answer.is_error and "out of stock" in answer.text, answer)


async def unknown_tool(agent: Agent) -> None:
    try:
        answer = await agent.call("nobody_has_this", {})
    except Refused as refused:
        expect(refused.code == UNKNOWN_TOOL, refused)
        return
    raise AssertionError(f"there was an answer: {answer}")


async def cancels(agent: Agent, app: str) -> None:
    async def stopped() -> int:
        text = (await agent.call(f"{app}_stopped", {})).text
        return int("".join(filter(str.isdigit, text)))

    before = await stopped()
    await agent.give_up(f"{app}_slow", 0.5)
    with anyio.fail_after(10):
        while await stopped() == before:
            await anyio.sleep(0.1)


async def hears_progress(agent: Agent, app: str) -> None:
    heard: list[float] = []

    async def progress(value: float, total: float | None, message: str | None) -> None:
        heard.append(value)

    answer = await agent.call(f"{app}_count", {}, progress)
    expect(not answer.is_error, answer.text[:200])
    # Of an API's answer: as often as the gateway reads something of it.
    wanted = 2 if app == "bridge" else 3
    with anyio.move_on_after(5):
        while len(heard) < wanted:
            await anyio.sleep(0.05)
    expect(len(heard) >= wanted and heard == sorted(set(heard)), heard)


async def takes_a_big_answer(agent: Agent, app: str) -> None:
    answer = await agent.call(f"{app}_big", {})
    expect(not answer.is_error and len(answer.text) >= BIG, (len(answer.text), answer.text[:200]))


async def hears_logs(agent: Agent, app: str) -> None:
    agent.logs.clear()
    tool, arguments = ("greet", {"name": "Ada"}) if app == "bridge" else ("tell", {})
    answer = await agent.call_with_logs(f"{app}_{tool}", arguments)
    expect(not answer.is_error, answer)
    with anyio.move_on_after(5):
        while not agent.logs:
            await anyio.sleep(0.05)
    expect(len(agent.logs) > 0, "nothing was told")
    if app != "bridge":
        expect("I was called" in json.dumps(agent.logs), agent.logs)


async def answers_a_question(agent: Agent, app: str) -> None:
    answer = await agent.call(f"{app}_who", {})
    expect(not answer.is_error and "It is Ada" in answer.text, answer)


async def reads_resources(agent: Agent, app: str) -> None:
    resources = await agent.resources()
    expect(f"{app}+toolbox://about" in resources, resources)
    expect("Ten shelves" in await agent.read(f"{app}+toolbox://about"), "the text differs")
    templates = await agent.templates()
    expect(f"{app}+toolbox://items/{{item}}" in templates, templates)
    expect("Item 7" in await agent.read(f"{app}+toolbox://items/7"), "the text differs")


async def gets_prompts(agent: Agent, app: str) -> None:
    prompts = await agent.prompts()
    expect(f"{app}_ask" in prompts, prompts)
    text = await agent.prompt(f"{app}_ask", {"topic": "shelves"})
    expect("Tell me about shelves" in text, text)


CHECKS = {
    "lists tools": lists_tools,
    "calls a tool": calls_a_tool,
    "gets a tool's error": gets_an_error,
    "cancels a call, whose work stops": cancels,
    "hears progress": hears_progress,
    "takes an answer of 1.5 MiB": takes_a_big_answer,
    "hears log messages": hears_logs,
    "answers a question": answers_a_question,
    "reads resources": reads_resources,
    "gets a prompt": gets_prompts,
}

OF_SERVERS = {"answers a question", "reads resources", "gets a prompt"}
