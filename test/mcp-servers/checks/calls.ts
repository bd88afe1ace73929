import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import type { Check } from "../../mcp-clients/check.ts";
import { type Agent, type Json, KINDS } from "../../support/mcp-agent/agent.ts";
import { asAgentsSee, kindred, nameOf, timeless, uriOf } from "../as-agents-see.ts";
import { outcomeOf } from "../outcome.ts";
import { EVERYTHING } from "../servers.ts";
import { check, type Under } from "../under.ts";

/** Tools with their arguments. */
const CALLS: readonly (readonly [name: string, args?: Json])[] = [
  ["echo", { message: "Grüße, 世界 🌍" }],
  ["get-sum", { a: 1, b: 2.5 }],
  ["get-structured-content", { location: "New York" }],
  ["get-tiny-image"],
  ["get-annotated-message", { messageType: "error", includeImage: true }],
  ["get-annotated-message", { messageType: "debug" }],
  ["get-resource-links", { count: 4 }],
  ["get-resource-reference", { resourceType: "Text", resourceId: 3 }],
  ["get-resource-reference", { resourceType: "Blob", resourceId: 4 }],
  ["gzip-file-as-resource", { name: "a.gz", data: "data:text/plain,hello", outputType: "resource" }],
  ["get-sum", { a: "not a number" }],
  ["get-resource-reference", { resourceType: "Text", resourceId: -1 }],
  ["no-such-tool", {}],
];

const PROMPTS: readonly (readonly [name: string, args?: Record<string, string>])[] = [
  ["simple-prompt"],
  ["args-prompt", { city: "Lisbon" }],
  ["args-prompt"],
  ["resource-prompt", { resourceType: "Text", resourceId: "2" }],
  ["no-such-prompt"],
];

const URIS = [
  "demo://resource/static/document/features.md",
  "demo://resource/dynamic/text/7",
  "demo://resource/dynamic/blob/8",
  "demo://resource/dynamic/text/none",
  "demo://resource/nowhere",
];

const DEPARTMENT = {
  ref: { type: "ref/prompt", name: "completable-prompt" },
  argument: { name: "department", value: "S" },
};
const MEMBER = {
  ...DEPARTMENT,
  argument: { name: "name", value: "" },
  context: { arguments: { department: "Sales" } },
};
const TEMPLATE = "demo://resource/dynamic/text/{resourceId}";

/** Whatever a server answers directly, an agent gets through the gateway. */
export function callChecks(under: Under): readonly Check[] {
  return KINDS.flatMap((kind) =>
    EVERYTHING.flatMap((app) => {
      const both = (what: string, run: (through: Agent, direct: Agent) => Promise<void>) =>
        check(under, `${app}, ${kind}: ${what}`, async (agents) => {
          const [through, direct] = [await agents.through({ kind }), await agents.direct(app, { kind })];
          await through.listTools();
          await direct.listTools();
          await run(through, direct);
        });
      const same = async (work: Promise<Json>, expected: Promise<Json>, what: string) => {
        // Both at once: a refusal that nobody waits for yet would end the run.
        const [got, said] = await Promise.all([outcomeOf(work), outcomeOf(expected)]);
        // What a server does not list it is not asked for, and the gateway refuses it in its own words.
        if (/no-such|nowhere/.test(what)) return ok(got.error !== undefined, what);
        deepStrictEqual(kindred(kind, timeless(got)), kindred(kind, asAgentsSee(app, timeless(said))), what);
      };
      return [
        both("results of tools, and refusals", async (through, direct) => {
          for (const [name, args] of CALLS)
            await same(
              through.callTool({ name: nameOf(app, name), ...(args && { arguments: args }) }),
              direct.callTool({ name, ...(args && { arguments: args }) }),
              name,
            );
        }),
        both("prompts", async (through, direct) => {
          for (const [name, args] of PROMPTS)
            await same(
              through.getPrompt({ name: nameOf(app, name), ...(args && { arguments: args }) }),
              direct.getPrompt({ name, ...(args && { arguments: args }) }),
              name,
            );
        }),
        both("resources", async (through, direct) => {
          for (const uri of URIS)
            await same(through.readResource({ uri: uriOf(app, uri) }), direct.readResource({ uri }), uri);
        }),
        both("completion", async (through, direct) => {
          for (const params of [DEPARTMENT, MEMBER]) {
            const ref = { ...params.ref, name: nameOf(app, params.ref.name) };
            await same(through.complete({ ...params, ref }), direct.complete(params), params.argument.name);
          }
          const params = { ref: { type: "ref/resource", uri: TEMPLATE }, argument: { name: "resourceId", value: "5" } };
          const ref = { ...params.ref, uri: uriOf(app, TEMPLATE) };
          await same(through.complete({ ...params, ref }), direct.complete(params), TEMPLATE);
        }),
        both("links in results lead to resources", async (through) => {
          const { content } = await through.callTool({
            name: nameOf(app, "get-resource-links"),
            arguments: { count: 2 },
          });
          const links = (content as readonly Json[]).filter(({ type }) => type === "resource_link");
          strictEqual(links.length, 2);
          for (const { uri } of links) {
            const { contents } = await through.readResource({ uri: String(uri) });
            ok((contents as readonly Json[]).every((read) => read.uri === uri));
          }
        }),
      ];
    }),
  );
}
