import { describe, expect, test } from "vitest";
import { checkText } from "../../console/configuration-check/check.ts";
import { artifactInUse } from "../../console/configuration-check/compiled-in-use.ts";
import { namedDocuments } from "../../console/configuration-check/named-documents.ts";
import { compareAccess } from "../../console/configuration-trial/compare.ts";
import { decidingVariables, tryable } from "../../console/configuration-trial/configurations.ts";
import { explainWith } from "../../console/configuration-trial/explain.ts";
import { load } from "../../console/configuration-trial/load.ts";
import type { Caller, TriedClient } from "../../console/configuration-trial/protocol.ts";
import { createTrial } from "../../console/configuration-trial/trial.ts";
import { rowsOf } from "../../console/pages/configuration-trial/steps.ts";
import type { ConfigurationArtifact } from "../../lib/config/artifact.ts";
import { resolveConfiguration } from "../../lib/config/resolve.ts";
import { explainCall } from "../../lib/gateway/explain/explain-call.ts";
import type { Clock } from "../../lib/kernel/clock.ts";

const CLOCK: Clock = { now: () => Date.UTC(2026, 0, 1), setTimeout: () => () => undefined } as never;
const MCP = "https://us.example/mcp";

/** A gateway with the operations of a REST API and an MCP server. */
const configured = ({ inbound = "", more = "", api = "https://us.example" } = {}) => `version: v1
http:
  publicURL: ${api}
oidcProvider:
  region: us
  discovery:
    issuer: https://us.example
  keySecret: <v.key>
  apiClients:
    idSecret: <v.id>
mcpProvider:
  enabled: true
  authorization:
    oauth:
      enabled: true
      metadataPath: /.well-known/oauth-protected-resource
      servers:
        - wellKnownEndpoint: https://us.example/.well-known/oauth-authorization-server
          tokenValidation:
            method: jwt
            expectedAudiences: [${MCP}]
apps:
  - name: books
    type: mcpBridge
    openapi:
      spec:
        uri: file://books.json
${inbound}${more}`;

const API = (...operations: readonly string[]) =>
  JSON.stringify({
    openapi: "3.1.0",
    info: { title: "Books", version: "1" },
    servers: [{ url: "https://books.example" }],
    paths: Object.fromEntries(
      operations.map((operationId) => [
        `/${operationId}`,
        { get: { operationId, responses: { 200: { description: "All." } } } },
      ]),
    ),
  });

async function compiled(text: string, ...operations: readonly string[]): Promise<ConfigurationArtifact> {
  const files = { "file://books.json": API(...operations) };
  const { artifact, result } = await checkText(
    text,
    namedDocuments({ files, mayFetch: false }, new Map(), () => undefined),
  );
  if (artifact === undefined) throw new Error(JSON.stringify(result.messages));
  return artifact;
}

const CLIENT: TriedClient = { clientId: "client_1", name: "nightly", scopes: ["books:read"], resources: [MCP] };
const OTHER: TriedClient = { ...CLIENT, clientId: "client_2", name: "writer", scopes: ["books:write"] };
const ORGANIZATION = "org_1";

const inbound = (rules: string) => `    authorization:\n      inbound:\n${rules}`;
const CEL = inbound(`        cel: 'agent.clientID == "client_2"'\n`);
const READS = inbound(`        cel: 'request.mcp.tool.params.arguments.id == "1"'\n`);
const SERVER = inbound(
  "        authzen:\n          name: pdp\n          pdp: https://pdp.example\n          list: true\n",
);
const PDP = "the decision point https://pdp.example";
const SCOPED = inbound('        tools:\n          - {name: list, scopes: ["books:read"]}\n');
const STEPPED = inbound("        stepUp:\n          - {tools: [list], acr: gold}\n");
const APPROVED = "    tools:\n      rules:\n        - {tools: [list], approval: {by: owners}}\n";

describe("a call", () => {
  const tryWith = async (text: string, caller: Caller, tool = "books_list", given = "{}") =>
    explainWith(await tryable(await compiled(text, "list", "drop"), {}), { caller, tool, arguments: given }, CLOCK);
  const claims = { iss: "https://us.example", aud: MCP, sub: "ada", client_id: "agent", scope: "books:read" };
  const person: Caller = { kind: "claims", claims: JSON.stringify(claims) };

  test.each([
    ["no rule", configured(), "books_list"],
    ["a scope", configured({ inbound: SCOPED }), "books_list"],
    ["a tool that no entry names", configured({ inbound: SCOPED }), "books_drop"],
    ["a policy", configured({ inbound: CEL }), "books_list"],
    ["another sign-in", configured({ inbound: STEPPED }), "books_list"],
    ["an approval", configured({ more: APPROVED }), "books_list"],
    ["no such tool", configured(), "books_lost"],
  ])("is explained in the words of the command: %s", async (_, text, tool) => {
    const artifact = await compiled(text, "list", "drop");
    const secrets = { get: async () => "A".repeat(43) };
    const { configuration } = await resolveConfiguration(artifact, { environment: {}, secrets, runtime: "node" });
    const ports = { fetch: () => Promise.reject(new Error("asked")), clock: CLOCK };
    const { steps, decision } = await explainCall({ tool, claims, arguments: {} }, configuration, ports);
    expect(await tryWith(text, person, tool)).toEqual({ steps, decision });
  });

  test("what a server decides is left open, and a denial of something else is not", async () => {
    const tried = await tryWith(configured({ inbound: SERVER }), person);
    expect(tried).toMatchObject({ decision: "unknown" });
    expect("steps" in tried && tried.steps.filter(({ name }) => name === "pdp")).toEqual([
      { step: "policy", name: "pdp", decision: "unknown", why: expect.stringContaining("not asked here"), rule: PDP },
      { step: "lists", name: "pdp", decision: "unknown", why: expect.stringContaining("not asked here"), rule: PDP },
    ]);
    const wrong: Caller = { kind: "claims", claims: JSON.stringify({ ...claims, aud: "https://other.example" }) };
    expect(await tryWith(configured({ inbound: SERVER }), wrong)).toMatchObject({ decision: "denied" });
  });

  test("of an API client has the claims of its tokens, without scopes of the management API", async () => {
    const client = { ...CLIENT, scopes: ["books:read", "audit:read"], resources: ["https://other.example", MCP] };
    const tried = await tryWith(configured({ inbound: SCOPED }), { kind: "client", client });
    expect(tried).toMatchObject({
      decision: "allowed",
      steps: expect.arrayContaining([
        { step: "token", decision: "allowed", why: "agent client_1 for itself" },
        { step: "scopes", decision: "allowed", why: "the token has books:read", rule: "needs books:read" },
      ]),
    });
    const without = await tryWith(configured(), { kind: "client", client: { ...CLIENT, resources: [] } });
    expect(without).toMatchObject({
      decision: "denied",
      steps: expect.arrayContaining([
        { step: "token", decision: "denied", why: expect.stringContaining("aud is none") },
      ]),
    });
  });

  test.each([
    ["{", "{}", /^The claims are no JSON/],
    ["[]", "{}", /^The claims are not one JSON object/],
    [JSON.stringify(claims), "{", /^The arguments are no JSON/],
  ])("with claims %s and arguments %s is refused", async (text, given, message) => {
    await expect(tryWith(configured(), { kind: "claims", claims: text }, "books_list", given)).rejects.toThrow(message);
  });
});

describe("what is in use", () => {
  test("is rebuilt from what the API shows, and secrets that it hides get stand-ins", async () => {
    const artifact = await compiled(configured({ inbound: SCOPED }), "list");
    const document = {
      ...(artifact.document as object),
      oidcProvider: {
        ...{ region: "us", discovery: { issuer: "https://us.example" }, keySecret: "(a secret)" },
        apiClients: { idSecret: "<v.id>" },
      },
    };
    const shown = { document, hidden: ["oidcProvider.keySecret"], catalogs: artifact.catalogs };
    const rebuilt = artifactInUse(shown);
    if (rebuilt === undefined) throw new Error("It was not rebuilt.");
    const [one, other] = [await tryable(artifact, {}), await tryable(rebuilt, {})];
    expect("problems" in other).toBe(false);
    expect(other.configuration?.apps).toEqual(one.configuration?.apps);
    expect(artifactInUse({ document, hidden: [] })).toBeUndefined();
  });

  test("variables that decide are asked for, and without them the problems are told", async () => {
    const artifact = await compiled(configured({ api: '"{{ env.URL }}"' }), "list");
    expect(decidingVariables(artifact)).toEqual(["URL"]);
    expect(load({ draft: artifact, inUse: undefined }).about).toEqual({
      ...{ tools: ["books_list"], servers: [], variables: ["URL"] },
    });
    expect(await tryable(artifact, {})).toMatchObject({ problems: [expect.stringContaining("URL")] });
    expect(await tryable(artifact, { URL: "https://us.example" })).toHaveProperty("configuration");
  });
});

describe("who gains or loses what", () => {
  const compare = async (
    [before, ...operationsBefore]: readonly [string, ...string[]],
    [after, ...operationsAfter]: readonly [string, ...string[]],
    clients: readonly TriedClient[] = [CLIENT, OTHER],
  ) => {
    const [inUse, draft] = [
      await tryable(await compiled(before, ...operationsBefore), {}),
      await tryable(await compiled(after, ...operationsAfter), {}),
    ];
    const announced: number[] = [];
    const found = await compareAccess({ draft, inUse }, { clients, organizationId: ORGANIZATION }, CLOCK, (done) =>
      announced.push(done),
    );
    if ("problems" in found) throw new Error(JSON.stringify(found.problems));
    return { ...found, announced };
  };
  const PLAIN = configured();
  const only = (client: TriedClient) => [{ clientId: client.clientId, name: client.name }];
  const list = (words: unknown) => [{ tool: "books_list", words }];
  const nothing = { gained: [], lost: [], changed: [] };

  test.each([
    ["the same", PLAIN, PLAIN, [], 2],
    [
      ...["a policy", PLAIN, configured({ inbound: CEL })],
      ...[[{ ...nothing, clients: only(CLIENT), lost: list("lists do not show it") }], 1],
    ],
    [
      ...["a policy that goes", configured({ inbound: CEL }), PLAIN],
      ...[[{ ...nothing, clients: only(CLIENT), gained: list("") }], 1],
    ],
    [
      ...["a scope", PLAIN, configured({ inbound: SCOPED })],
      ...[[{ ...nothing, clients: only(OTHER), lost: list("the token lacks books:read") }], 1],
    ],
    [
      ...["a sign-in that clients never have", PLAIN, configured({ inbound: STEPPED })],
      ...[[{ ...nothing, clients: [...only(CLIENT), ...only(OTHER)], lost: list("acr is none of gold") }], 0],
    ],
    [
      ...["a policy that reads arguments", PLAIN, configured({ inbound: READS })],
      ...[
        [
          {
            ...{ ...nothing, clients: [...only(CLIENT), ...only(OTHER)] },
            changed: list("each call needs cel, which depends on arguments; before: nothing more"),
          },
        ],
        0,
      ],
    ],
    [
      ...[
        "other words of such a policy",
        configured({ inbound: READS }),
        configured({ inbound: READS.replace('"1"', '"2"') }),
      ],
      ...[
        [
          {
            ...{ ...nothing, clients: [...only(CLIENT), ...only(OTHER)] },
            changed: list("each call needs cel, which depends on arguments, decided in another way"),
          },
        ],
        0,
      ],
    ],
    [
      ...["a server that decides, and an approval", configured({ inbound: SERVER }), configured({ more: APPROVED })],
      ...[
        [
          {
            ...{ ...nothing, clients: [...only(CLIENT), ...only(OTHER)] },
            changed: list("each call needs an approval; before: pdp, which asks a server"),
          },
        ],
        0,
      ],
    ],
    [
      ...[
        "an organization that is another one",
        PLAIN,
        PLAIN.replace("name: books", "name: books\n    organization: org_2"),
      ],
      ...[[{ ...nothing, clients: [...only(CLIENT), ...only(OTHER)], lost: list("lists do not show it") }], 0],
    ],
    [
      ...["an audience", PLAIN, PLAIN.replace(`[${MCP}]`, "[https://us.example]")],
      ...[
        [
          {
            ...{ ...nothing, clients: [...only(CLIENT), ...only(OTHER)] },
            lost: list(expect.stringContaining("its token is not accepted: aud is none of")),
          },
        ],
        0,
      ],
    ],
  ] as unknown as readonly (readonly [string, string, string, unknown, number])[])(
    "%s",
    async (_, before, after, groups, unchanged) => {
      expect(await compare([before, "list"], [after, "list"])).toEqual({
        ...{ groups, unchanged, newTools: [], goneTools: [], servers: [], announced: [] },
      });
    },
  );

  test("tools that come and go are told, and how far it is", async () => {
    const clients = Array.from({ length: 25 }, (_, index) => ({ ...CLIENT, clientId: `client_${index}` }));
    const found = await compare([PLAIN, "list", "drop"], [PLAIN, "list", "add"], clients);
    expect(found).toMatchObject({ newTools: ["books_add"], goneTools: ["books_drop"], announced: [10, 20] });
    expect(found.groups).toMatchObject([
      {
        gained: [{ tool: "books_add" }],
        lost: [{ tool: "books_drop", words: "there is no such tool" }],
      },
    ]);
    expect(found.groups[0]?.clients).toHaveLength(25);
  });

  test("what cannot be resolved is told of each", async () => {
    const artifact = await compiled(configured({ api: '"{{ env.URL }}"' }), "list");
    const [draft, inUse] = [await tryable(artifact, {}), await tryable(await compiled(PLAIN, "list"), {})];
    expect(
      await compareAccess({ draft, inUse }, { clients: [], organizationId: ORGANIZATION }, CLOCK, () => 0),
    ).toEqual({
      problems: { draft: [expect.stringContaining("URL")], inUse: [] },
    });
  });
});

describe("the worker of trials", () => {
  class FakeWorker extends EventTarget {
    readonly sent: { readonly id: number; readonly kind: string }[] = [];
    isEnded = false;
    postMessage(message: { readonly id: number; readonly kind: string }): void {
      this.sent.push(message);
    }
    terminate(): void {
      this.isEnded = true;
    }
    answer(data: object): void {
      this.dispatchEvent(new MessageEvent("message", { data }));
    }
  }
  const started = () => {
    const workers: FakeWorker[] = [];
    const trial = createTrial({ draft: {}, inUse: undefined }, () => {
      workers.push(new FakeWorker());
      return workers.at(-1) as unknown as Worker;
    });
    return { trial, workers };
  };
  const compare = { kind: "compare", clients: [], organizationId: ORGANIZATION, variables: {} } as const;

  test("is given the configurations once, and tells how far it is", async () => {
    const { trial, workers } = started();
    const done: number[] = [];
    const asked = trial.ask(compare, (count) => done.push(count));
    const [worker] = workers;
    worker?.answer({ id: 1, result: {} });
    await expect.poll(() => worker?.sent.map(({ kind }) => kind)).toEqual(["load", "compare"]);
    worker?.answer({ id: 2, done: 10 });
    worker?.answer({ id: 2, result: "compared" });
    expect([await asked, done]).toEqual(["compared", [10]]);
    const failing = trial.ask(compare);
    await expect.poll(() => worker?.sent.length).toBe(3);
    worker?.answer({ id: 3, failed: "it failed" });
    await expect(failing).rejects.toThrow("it failed");
  });

  test("ends when it is stopped, and the next question starts another one", async () => {
    const { trial, workers } = started();
    const asked = trial.ask(compare);
    workers[0]?.answer({ id: 1, result: {} });
    await expect.poll(() => workers[0]?.sent.length).toBe(2);
    trial.stop();
    await expect(asked).rejects.toThrow("It was stopped.");
    expect(workers[0]?.isEnded).toBe(true);
    const again = trial.load();
    workers[1]?.answer({ id: 3, result: "loaded" });
    expect(await again).toBe("loaded");
  });
});

test("steps of both stand side by side, and a word says how they differ", () => {
  const step = (name: string, why = "") => ({ step: "policy", name, decision: "allowed", why }) as const;
  const tried = (...steps: readonly ReturnType<typeof step>[]) => ({ decision: "allowed", steps }) as const;
  const both = {
    draft: tried(step("a"), step("b", "new words"), step("c")),
    inUse: tried(step("a"), step("b"), step("d")),
  };
  const marks = rowsOf(both).map(({ title, mark }) => [title, mark]);
  expect(marks).toEqual([
    ["policy: a", undefined],
    ["policy: b", "Differs"],
    ["policy: c", "New"],
    ["policy: d", "Gone"],
  ]);
  expect(rowsOf({ ...both, inUse: { problems: ["it has none"] } }).every(({ mark }) => mark === undefined)).toBe(true);
});
