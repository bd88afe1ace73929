import { deepStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import type { Check } from "../../mcp-clients/check.ts";
import { type Agent, type Json, KINDS, type Kind } from "../../support/mcp-agent/agent.ts";
import { nameOf, uriOf } from "../as-agents-see.ts";
import { hearing } from "../hearing.ts";
import { type App, EVERYTHING } from "../servers.ts";
import { check, isStateless, STATELESS, type Under } from "../under.ts";

/** What servers tell while a request runs, and without one. */
export function noticeChecks(under: Under): readonly Check[] {
  return EVERYTHING.flatMap((app) =>
    KINDS.flatMap((kind) => [...duringCalls(app, kind, under), ...between(app, kind, under)]),
  );
}

function duringCalls(app: App, kind: Kind, under: Under): readonly Check[] {
  const name = nameOf(app, "trigger-long-running-operation");
  return [
    check(under, `${app}, ${kind}: hears of progress`, async (agents) => {
      const through = await agents.through({ kind });
      const heard: Json[] = [];
      const onprogress = (progress: Json) => void heard.push(progress);
      await through.callTool({ name, arguments: { duration: 0.3, steps: 3 } }, { onprogress });
      // The wrapper lets the answer overtake the last step.
      const steps = app === "wrapped" ? [1, 2] : [1, 2, 3];
      deepStrictEqual(
        heard.slice(0, steps.length).map(({ progress, total }) => [progress, total]),
        steps.map((step) => [step, 3]),
      );
    }),
    check(under, `${app}, ${kind}: gives a call up, and goes on`, async (agents) => {
      const through = await agents.through({ kind });
      const given = new AbortController();
      const options = { signal: given.signal, onprogress: () => given.abort("enough") };
      await rejects(through.callTool({ name, arguments: { duration: 60, steps: 600 } }, options));
      const echo = await through.callTool({ name: nameOf(app, "echo"), arguments: { message: "still here" } });
      deepStrictEqual(echo.content, [{ type: "text", text: "Echo: still here" }]);
    }),
  ];
}

/** Between requests servers tell whoever has a session there. */
function between(app: App, kind: Kind, under: Under): readonly Check[] {
  if (isStateless(kind) && !STATELESS.has(app)) return [];
  const call = (agent: Agent, name: string, args: Json = {}) =>
    agent.callTool({ name: nameOf(app, name), arguments: args });
  const hears = (what: string, run: (agent: Agent) => Promise<void>) =>
    check(under, `${app}, ${kind}: ${what}`, async (agents) => {
      const agent = await agents.through({ kind });
      if (!isStateless(kind)) await hearing(agent, app);
      await run(agent);
    });
  const resource = "demo://resource/dynamic/text/1";
  const updates = hears("follows a resource", async (agent) => {
    const following = await agent.follow(uriOf(app, resource));
    await call(agent, "toggle-subscriber-updates");
    try {
      const { params } = await agent.inbox.find("notifications/resources/updated");
      strictEqual(params?.uri, uriOf(app, resource));
    } finally {
      await call(agent, "toggle-subscriber-updates");
      await following.end();
    }
  });
  if (isStateless(kind)) return [updates];
  return [
    updates,
    hears("hears log messages of its level", async (agent) => {
      await agent.setLoggingLevel("debug");
      await call(agent, "toggle-simulated-logging");
      try {
        const { params } = await agent.inbox.find("notifications/message", ({ data }) => /-level/.test(String(data)));
        ok(params);
      } finally {
        await call(agent, "toggle-simulated-logging");
      }
    }),
    hears("hears that a list changed, and finds what is new", async (agent) => {
      await agent.listResources();
      const name = `${crypto.randomUUID()}.gz`;
      const { content } = await call(agent, "gzip-file-as-resource", { name, data: "data:text/plain,hello" });
      await agent.inbox.find("notifications/resources/list_changed");
      const uri = uriOf(app, `demo://resource/session/${name}`);
      strictEqual((content as readonly Json[])[0]?.uri, uri);
      const { resources } = await agent.listResources();
      ok(
        (resources as readonly Json[]).some((listed) => listed.uri === uri),
        "listed",
      );
      const { contents } = await agent.readResource({ uri });
      strictEqual((contents as readonly Json[])[0]?.uri, uri);
    }),
  ];
}
