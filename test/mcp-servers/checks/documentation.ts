import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import type { Check } from "../../mcp-clients/check.ts";
import { KINDS } from "../../support/mcp-agent/agent.ts";
import { nameOf } from "../as-agents-see.ts";
import { outcomeOf, textOf } from "../outcome.ts";
import { check, isStateless, type Under } from "../under.ts";

const CALLS = [
  ["resolve-library-id", { query: "routes", libraryName: "Hono" }],
  ["query-docs", { libraryId: "/honojs/hono", query: "routes" }],
  ["query-docs", { libraryId: 1 }],
] as const;

/** A server without sessions: agents of its own generation reach it as they are, others as the gateway introduces them. */
export function documentationChecks(under: Under): readonly Check[] {
  return KINDS.map((kind) =>
    check(under, `docs, ${kind}: answers as directly`, async (agents) => {
      const [through, direct] = [await agents.through({ kind }), await agents.direct("docs", { kind })];
      for (const [name, args] of CALLS) {
        const outcome = await outcomeOf(through.callTool({ name: nameOf("docs", name), arguments: args }));
        deepStrictEqual(outcome, await outcomeOf(direct.callTool({ name, arguments: args })), name);
      }
      // What a server does not list it is not asked for.
      const unknown = await outcomeOf(through.callTool({ name: nameOf("docs", "no-such-tool"), arguments: {} }));
      ok(unknown.error);
      const answer = await through.callTool({ name: nameOf("docs", "query-docs"), arguments: CALLS[1][1] });
      match(textOf(answer), /About routes\./);
      // It takes this of the envelope, which requests of the other generation do not have.
      if (isStateless(kind)) strictEqual(under.documentation.lastHeaders()["x-context7-client-ide"], "agent");
    }),
  );
}
