"""What an agent does whose person has not connected an account, whatever version of the SDK it is made with."""

import json
import os
import re
import sys
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Any, Awaitable, Callable, Protocol

import anyio

import checks

NOTE = ("upstream_getNote", {"noteId": "1"})
URL_ELICITATION_REQUIRED = -32042


class Told(Exception):
    """The error of 2025-11-25 that names elicitations, as the SDK hands it to the application."""

    def __init__(self, elicitations: list[Any]):
        super().__init__("elicitation required")
        self.elicitations = elicitations


@dataclass
class Person:
    """The application around the SDK, with its person."""

    name: str
    has_url_mode: bool
    opened: list[str] = field(default_factory=list)
    heard: list[str] = field(default_factory=list)
    """Methods of notifications, and ids of elicitations that are complete."""

    @property
    def token(self) -> str:
        return json.loads(os.environ["TOKENS"])[self.name]

    async def connect(self, link: str) -> None:
        """Whoever started this program opens the link, and says when the account is connected."""
        self.opened.append(link)
        print(json.dumps({"visit": link, "person": self.name}), flush=True)
        await anyio.to_thread.run_sync(sys.stdin.readline)


class Agent(Protocol):
    async def tools(self) -> list[str]: ...
    async def call(self, name: str, arguments: dict[str, Any]) -> checks.Answer: ...
    def listening(self) -> AbstractAsyncContextManager[None]:
        """Hears what changes."""


Start = Callable[[Person], AbstractAsyncContextManager[Agent]]


async def run(start: Start, repeats: bool) -> None:
    """repeats: the SDK makes the call again by itself, after its application has said that the link was opened"""

    async def plain() -> None:
        person = Person("plain", False)
        async with start(person) as agent:
            await person.connect(link_in(await agent.call(*NOTE)))
            await is_served(agent, person, NOTE)

    async def url() -> None:
        person = Person("url", True)
        async with start(person) as agent:
            if repeats:
                await is_served(agent, person, NOTE)
                checks.expect(len(person.opened) == 1, person.opened)
                return
            async with agent.listening():
                try:
                    answer = await agent.call(*NOTE)
                except Told as told:
                    [elicitation] = told.elicitations
                    await person.connect(elicitation["url"])
                    await until(lambda: elicitation["elicitationId"] in person.heard, person.heard)
                else:
                    raise AssertionError(f"it was not told: {answer}")
                await is_served(agent, person, NOTE)

    async def desk() -> None:
        person = Person("desk", False)
        async with start(person) as agent, agent.listening():
            checks.expect(await own(agent) == ["desk_connect"], await own(agent))
            await person.connect(link_in(await agent.call("desk_connect", {})))
            await until(lambda: "notifications/tools/list_changed" in person.heard, person.heard)
            checks.expect("desk_whoami" in await own(agent), await own(agent))
            await is_served(agent, person, ("desk_whoami", {}))

    await checks.report("without URL mode the model gets the link, and the next call goes through", plain)
    await checks.report("with URL mode the link is opened, and the call goes through", url)
    await checks.report("an MCP server has the tool connect first, and its own are heard of", desk)


async def own(agent: Agent) -> list[str]:
    return [name for name in await agent.tools() if name.startswith("desk_")]


async def is_served(agent: Agent, person: Person, tool: tuple[str, dict[str, Any]]) -> None:
    """The upstream says whose token came."""
    answer = await agent.call(*tool)
    checks.expect(not answer.is_error and json.loads(os.environ["LOGINS"])[person.name] in answer.text, answer)


def link_in(answer: checks.Answer) -> str:
    found = re.search(r"http\S+/connect/[\w-]+", answer.text)
    checks.expect(answer.is_error and found is not None, answer)
    return found.group(0) if found else ""


async def until(condition: Callable[[], bool], what: Any) -> None:
    with anyio.move_on_after(checks.PATIENCE - 2):
        while not condition():
            await anyio.sleep(0.05)
    checks.expect(condition(), what)
