import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import type { Check } from "../../mcp-clients/check.ts";
import { type Json, KINDS } from "../../support/mcp-agent/agent.ts";
import type { Told } from "../../support/mcp-agent/inbox.ts";
import { asAgentsSee, nameOf } from "../as-agents-see.ts";
import { hearing } from "../hearing.ts";
import { outcomeOf, textOf } from "../outcome.ts";
import type { App } from "../servers.ts";
import { canBeAsked, check, isStateless, type Under } from "../under.ts";

/** Tools that ask the agent something before they answer. What a wrapped server asks, its wrapper does not pass on. */
const ASKING: readonly App[] = ["stream", "legacy"];

interface Question {
  readonly what: string;
  readonly tool: string;
  readonly args?: Json;
  readonly asks: string;
}

const QUESTIONS: readonly Question[] = [
  {
    what: "a model's answer",
    tool: "trigger-sampling-request",
    args: { prompt: "What is it?", maxTokens: 20 },
    asks: "sampling/createMessage",
  },
  { what: "what a person fills in", tool: "trigger-elicitation-request", asks: "elicitation/create" },
  {
    what: "a person's visit to a page",
    tool: "trigger-url-elicitation",
    args: { url: "http://127.0.0.1/", elicitationId: "visit" },
    asks: "elicitation/create",
  },
];

export function conversationChecks(under: Under): readonly Check[] {
  return ASKING.flatMap((app) =>
    KINDS.filter((kind) => canBeAsked(app, kind)).flatMap((kind) => [
      ...QUESTIONS.map(({ what, tool, args = {}, asks }) =>
        check(under, `${app}, ${kind}: gives a tool ${what}`, async (agents) => {
          const [through, direct] = [await agents.through({ kind }), await agents.direct(app, { kind })];
          const result = await through.callTool({ name: nameOf(app, tool), arguments: args });
          const expected = await direct.callTool({ name: tool, arguments: args });
          deepStrictEqual(result, asAgentsSee(app, expected));
          const [asked, askedDirectly] = [through, direct].map(({ inbox }) => told(inbox.all, asks));
          strictEqual(asked?.length, 1);
          deepStrictEqual(
            asked,
            askedDirectly?.map((params) => (isStateless(kind) ? withoutId(params) : params)),
          );
        }),
      ),
      check(under, `${app}, ${kind}: is sent to a page by an error`, async (agents) => {
        const [through, direct] = [await agents.through({ kind }), await agents.direct(app, { kind })];
        const args = { url: "http://127.0.0.1/", elicitationId: crypto.randomUUID(), errorPath: true };
        const name = "trigger-url-elicitation";
        const error = await outcomeOf(through.callTool({ name: nameOf(app, name), arguments: args }));
        deepStrictEqual(withoutIds(error), withoutIds(await outcomeOf(direct.callTool({ name, arguments: args }))));
      }),
      check(under, `${app}, ${kind}: tells its roots, also when they change`, async (agents) => {
        const through = await agents.through({ kind });
        if (!isStateless(kind)) await hearing(through, app);
        const result = await through.callTool({ name: nameOf(app, "get-roots-list") });
        match(textOf(result), /1 total[\s\S]*Work[\s\S]*file:\/\/\/work/);
        // Without a session there is nobody to tell.
        if (isStateless(kind)) return;
        through.inbox.clear();
        await through.sendRootsListChanged();
        ok(await through.inbox.find("roots/list"));
      }),
    ]),
  );
}

/** Params of what was asked, without what belongs to the one request. */
function told(all: readonly Told[], method: string): readonly Json[] {
  return all.filter((one) => one.method === method).map(({ params: { _meta: _, ...params } = {} }) => params);
}

/** Later revisions have none. */
function withoutId({ elicitationId: _, ...params }: Json): Json {
  return params;
}

function withoutIds(outcome: Json): Json {
  return JSON.parse(JSON.stringify(outcome), (key, value) => (key === "elicitationId" ? "an id" : value));
}
