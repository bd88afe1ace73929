import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import type { Check } from "../../mcp-clients/check.ts";
import type { Agent, Json } from "../../support/mcp-agent/agent.ts";
import { asAgentsSee, nameOf } from "../as-agents-see.ts";
import type { App } from "../servers.ts";
import { check, type Under } from "../under.ts";

/** The version of the SDK's client that follows a task to its end, and the servers of the generation that has it. */
const KIND = "version 1";
const APPS: readonly App[] = ["stream", "legacy"];

const TOOL = "simulate-research-query";
const RELATED = "io.modelcontextprotocol/related-task";

/** A call that becomes a task, among several servers that have tasks. */
export function taskChecks(under: Under): readonly Check[] {
  return APPS.flatMap((app) =>
    [false, true].map((ambiguous) =>
      check(
        under,
        `${app}, ${KIND}: follows a task${ambiguous ? " that asks something" : ""} to its end`,
        async (agents) => {
          const [through, direct] = [await agents.through({ kind: KIND }), await agents.direct(app, { kind: KIND })];
          const args = { topic: "python", ambiguous };
          const [got, said] = await Promise.all([follow(through, nameOf(app, TOOL), args), follow(direct, TOOL, args)]);
          deepStrictEqual(got.statuses, said.statuses);
          deepStrictEqual(got.content, asAgentsSee(app, { content: said.content }).content);
          strictEqual(got.taskId.slice(0, app.length + 1), `${app}+`);
          const asked = through.inbox.all.filter(({ method }) => method === "elicitation/create");
          deepStrictEqual(
            asked.map(({ params = {} }) => (params._meta as Json)[RELATED]),
            ambiguous ? [{ taskId: got.taskId }] : [],
          );
        },
      ),
    ),
  );
}

interface Followed {
  readonly taskId: string;
  /** Without repetitions. */
  readonly statuses: readonly string[];
  readonly content: unknown;
}

async function follow(agent: Agent, name: string, args: Json): Promise<Followed> {
  await agent.listTools();
  const { tasks } = (agent as unknown as Client).experimental;
  const statuses = new Set<string>();
  let taskId = "";
  for await (const message of tasks.callToolStream({ name, arguments: args })) {
    if (message.type === "error") throw message.error;
    if (message.type === "result") {
      const { content, _meta: meta } = message.result;
      deepStrictEqual(meta?.[RELATED], { taskId });
      const { tasks: listed } = await tasks.listTasks();
      ok(
        listed.some((task) => task.taskId === taskId),
        "the task is listed",
      );
      match(JSON.stringify(content), /Research Report: python/);
      return { taskId, statuses: [...statuses], content };
    }
    taskId ||= message.task.taskId;
    strictEqual(message.task.taskId, taskId);
    statuses.add(message.task.status);
  }
  throw new Error(`${name} came to no end`);
}
