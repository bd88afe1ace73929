import { match, ok } from "node:assert/strict";
import type { Check } from "../../mcp-clients/check.ts";
import { type Agent, KINDS } from "../../support/mcp-agent/agent.ts";
import { nameOf } from "../as-agents-see.ts";
import { textOf } from "../outcome.ts";
import { check, isStateless, type Under } from "../under.ts";

/** A browser lives as long as the session it belongs to, over many calls. */
export function browserChecks(under: Under): readonly Check[] {
  return KINDS.map((kind) =>
    isStateless(kind)
      ? check(under, `browser, ${kind}: visits a page in one call`, async (agents) => {
          match(await visit(await agents.through({ kind }), under.page.url), /Page Title: Greeter/);
        })
      : check(
          under,
          `browser, ${kind}: uses a page over several calls, and no other agent is there`,
          async (agents) => {
            const [one, other] = [await agents.through({ kind }), await agents.through({ kind })];
            await Promise.all([one, other].map((agent) => visit(agent, under.page.url)));
            await greet(one, "Ada");
            match(await snapshot(one), /heading "Ada"/);
            for (const agent of [one, other]) await visit(agent, `${under.page.url}again`);
            match(await snapshot(one), /heading "Ada"/);
            match(await snapshot(other), /heading "Nobody"/);
          },
        ),
  );
}

export async function visit(agent: Agent, url: string): Promise<string> {
  return call(agent, "browser_navigate", { url });
}

function snapshot(agent: Agent): Promise<string> {
  return call(agent, "browser_snapshot");
}

async function greet(agent: Agent, name: string): Promise<void> {
  const page = await snapshot(agent);
  const refs = /textbox "Name"[^\n]*\[ref=(\w+)\][\s\S]*button "Greet"[^\n]*\[ref=(\w+)\]/.exec(page);
  ok(refs, page);
  const [, field = "", button = ""] = refs;
  await call(agent, "browser_type", { target: field, element: "the name", text: name });
  await call(agent, "browser_click", { target: button, element: "the button" });
}

async function call(agent: Agent, name: string, args: Readonly<Record<string, string>> = {}): Promise<string> {
  const result = await agent.callTool({ name: nameOf("browser", name), arguments: args });
  ok(result.isError !== true, textOf(result));
  return textOf(result);
}
