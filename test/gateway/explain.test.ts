import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { compileConfiguration } from "../../lib/config/compile.ts";
import type { Configuration } from "../../lib/config/configuration.ts";
import { resolveConfiguration } from "../../lib/config/resolve.ts";
import { type ExplainedCall, explainCall } from "../../lib/gateway/explain/explain-call.ts";
import type { ConnectionRecord } from "../../lib/stores/connections.ts";
import { personId } from "../../lib/stores/identities.ts";
import { startAccessRequestService } from "../support/access-request-service.ts";
import { type Opa, startOpa } from "../support/opa.ts";

const PAGE = readFileSync(new URL("../../docs/policies.md", import.meta.url), "utf8");
const OPENAPI = readFileSync(new URL("../support/upstream.openapi.yaml", import.meta.url), "utf8");
const NOW = Date.UTC(2027, 0, 1);
const RESOURCE = "https://gateway.example/mcp";
const CLAIMS = {
  iss: "https://gateway.example",
  aud: RESOURCE,
  sub: "a-person",
  client_id: "an-agent",
  scope: "notes:read",
};

const GITHUB = {
  name: "github",
  type: "oauth",
  oauthClientID: "countersign",
  authorizationURL: "https://github.com/login/oauth/authorize",
  tokenURL: "https://github.com/login/oauth/access_token",
};

/** A gateway before an API of notes, whose `authorization` is given. */
async function configured(
  authorization: unknown,
  limits: readonly object[] = [],
  rules: readonly object[] = [],
): Promise<Configuration> {
  const document = {
    version: "1",
    http: { publicURL: "https://gateway.example" },
    limits,
    connectors: [GITHUB],
    vault: { keys: ["A".repeat(43)] },
    oidcProvider: { region: "us" },
    mcpProvider: {
      enabled: true,
      transports: { stream: { enabled: true, path: "/mcp" } },
      authorization: {
        oauth: {
          enabled: true,
          metadataPath: "/.well-known/oauth-protected-resource",
          servers: [
            {
              wellKnownEndpoint: "https://gateway.example/.well-known/openid-configuration",
              tokenValidation: { method: "jwt", expectedAudiences: [RESOURCE] },
            },
          ],
        },
      },
    },
    apps: [
      {
        type: "oidc",
        name: "gateway",
        clientID: "gateway",
        credentials: { secrets: ["secret of the gateway"] },
        grantTypes: ["urn:ietf:params:oauth:grant-type:token-exchange"],
        allowedAudiences: ["https://ledger.example/"],
        customScopes: { scopes: [{ name: "ledger:read" }, { name: "ledger:write" }] },
      },
      {
        type: "mcpBridge",
        name: "notes",
        mode: "openapi",
        openapi: { baseURL: "https://notes.example", spec: { data: OPENAPI } },
        authorization,
        ...(rules.length > 0 && { tools: { rules } }),
      },
    ],
  };
  const readDocument = async () => Promise.reject(new Error("nothing is read"));
  const compiled = await compileConfiguration(JSON.stringify(document), { file: "countersign.yaml", readDocument });
  if ("errors" in compiled) throw new Error(JSON.stringify(compiled.errors));
  const secrets = { get: async () => Promise.reject(new Error("there are no secrets")) } as never;
  return (await resolveConfiguration(compiled.artifact, { environment: {}, secrets, runtime: "node" })).configuration;
}

describe("47. who belongs to the organization", () => {
  test.each([
    ["required", CLAIMS, ", if the person belongs to the instance's first organization"],
    [undefined, CLAIMS, ", if the person belongs to the instance's first organization, or it is the only one"],
    ["any", CLAIMS, ""],
    ["required", { ...CLAIMS, sub: "an-agent" }, ""],
  ])("is a condition where members is %s", async (members, claims, condition) => {
    const { decision, steps } = await explained({ inbound: { members } }, { claims });
    expect([decision, steps[1]?.why]).toEqual(["allowed", `GET /notes/{noteId} of the app notes${condition}`]);
  });

  test("is nobody whom the token does not name", async () => {
    const { sub: _, ...claims } = { ...CLAIMS, iss: "https://corp.example" };
    const { steps } = await explained({ inbound: { members: "required" } }, { claims });
    expect(steps[1]).toMatchObject({ step: "tool", decision: "denied" });
  });
});

describe("an account that the person connects", () => {
  const userToken = {
    connector: "github",
    scopes: ["read"],
    tools: [{ name: "/create.*/", scopes: [{ name: "write" }] }],
  };
  const outbound = { type: "userToken", userToken };
  const record: ConnectionRecord = {
    ...{ organizationId: "org", person: "a-person", app: "notes", agent: "", connector: "github" },
    connectionId: "connection_1",
    scopes: ["read"],
    sealed: { keyId: "k", wrappedKey: "w", tokens: "t" },
    ...{ canRefresh: false, state: "connected", attempt: 0, connectedAt: NOW, lastUsedAt: NOW },
  };

  test("is told with its connector and scopes, where the store is not looked at", async () => {
    const { decision, steps, account, credential } = await explained({ outbound }, { tool: "notes_createNote" });
    expect(decision).toBe("allowed");
    expect(steps.at(-1)?.why).toBe(
      "the person's own account at github with the scopes read write, if the person has connected it",
    );
    expect(account).toEqual({ connector: "github", scopes: ["read", "write"], perAgent: false });
    expect(credential).toBeUndefined();
  });

  test("is nobody's where the agent acts for itself", async () => {
    const { decision, steps } = await explained({ outbound }, { claims: { ...CLAIMS, sub: "an-agent" } });
    expect([decision, steps.at(-1)?.why]).toEqual(["denied", "no_person: calls need a person's own account at github"]);
  });

  test.each<readonly [string, string, ConnectionRecord | undefined, string, object]>([
    ["is connected", "notes_getNote", record, "allowed", { state: "connected" }],
    ["is not connected", "notes_getNote", undefined, "denied", { state: "none" }],
    ["is given up", "notes_getNote", { ...record, state: "deleted" }, "denied", { state: "none" }],
    ["is at another provider", "notes_getNote", { ...record, connector: "gitlab" }, "denied", { state: "none" }],
    ["has to be connected again", "notes_getNote", { ...record, state: "reconnect" }, "denied", { state: "reconnect" }],
    ["lacks scopes", "notes_createNote", record, "denied", { state: "scopes", missing: ["write"] }],
    ["is over", "notes_getNote", { ...record, expiresAt: NOW }, "denied", { state: "reconnect" }],
    [
      "is over and refused without a reason",
      "notes_getNote",
      { ...record, expiresAt: NOW, canRefresh: true, refusals: 3 },
      ...(["denied", { state: "reconnect" }] as const),
    ],
    [
      "can be renewed",
      "notes_getNote",
      { ...record, expiresAt: NOW, canRefresh: true },
      "allowed",
      { state: "connected" },
    ],
    [
      "has a broader scope",
      "notes_getNote",
      { ...record, scopes: ["https://api/read"] },
      "allowed",
      { state: "connected" },
    ],
    ["is being renewed", "notes_getNote", { ...record, state: "refreshing" }, "allowed", { state: "connected" }],
  ])("%s, where the store is looked at", async (_, tool, found, decision, state) => {
    const configuration = await configured({ outbound });
    const keys: object[] = [];
    const find = async (_: unknown, key: object) => {
      keys.push(key);
      return found;
    };
    const call = { tool, claims: CLAIMS, arguments: {} };
    const ports = { fetch, clock: { now: () => NOW }, connections: { find } };
    const explanation = await explainCall(call, configuration, ports);
    expect(explanation).toMatchObject({ decision, account: { connector: "github", ...state } });
    const why = explanation.steps.at(-1)?.why;
    if (decision === "denied") expect(why).toMatch(/^not connected: .*; needs the person's own account at github with/);
    expect(keys).toEqual([{ person: "a-person", app: "notes", agent: "" }]);
  });

  test("is each agent's own, where the app says so", async () => {
    const configuration = await configured({
      outbound: { type: "userToken", userToken: { ...userToken, perAgent: true } },
    });
    const keys: object[] = [];
    const find = async (_: unknown, key: object) => void keys.push(key);
    const claims = { ...CLAIMS, iss: "https://corp.example" };
    await explainCall({ tool: "notes_getNote", claims, arguments: {} }, configuration, {
      ...{ fetch, clock: { now: () => NOW } },
      connections: { find: find as () => Promise<undefined> },
    });
    const person = personId({ issuer: "https://corp.example", subject: "a-person" });
    // A client id says little without its server.
    const agent = JSON.stringify(["https://corp.example", "an-agent"]);
    expect(keys).toEqual([{ person, app: "notes", agent }]);
  });
});

async function explained(authorization: unknown, call: Partial<ExplainedCall>) {
  const configuration = await configured(authorization);
  const asked = { tool: "notes_getNote", claims: CLAIMS, arguments: {}, ...call };
  return explainCall(asked, configuration, { fetch, clock: { now: () => NOW } });
}

/** The example below a heading of the page, and the rows of its table. */
function example(heading: string): { readonly authorization: unknown; readonly rows: readonly (readonly string[])[] } {
  const [, section = ""] = PAGE.split(`\n## ${heading}\n`);
  const [text = ""] = section.split("\n## ");
  const [, yaml = ""] = /```yaml\n(.*?)```/s.exec(text) ?? [];
  const rows = [...text.matchAll(/^\| (.*) \|$/gm)].map(([, row = ""]) => row.split(" | ").map((cell) => cell.trim()));
  return { authorization: (parse(yaml) as { authorization: unknown }).authorization, rows: rows.slice(2) };
}

const unticked = (cell = "") => cell.replaceAll("`", "");

describe("the page about policies", () => {
  test("shows which sign-in tools take", async () => {
    const { authorization, rows } = example("Stronger and fresher sign-in");
    expect(rows).toHaveLength(6);
    for (const [cell, decision] of rows) {
      const { tool, acr, age } = JSON.parse(unticked(cell)) as { tool: string; acr?: string; age?: number };
      const claims = { ...CLAIMS, acr, ...(age !== undefined && { auth_time: NOW / 1_000 - age }) };
      expect((await explained(authorization, { tool: `notes_${tool}`, claims })).decision, cell).toBe(decision);
    }
  });

  test("shows what tokens toward the API are good for", async () => {
    const { authorization, rows } = example("What calls carry to the API");
    expect(rows).toHaveLength(4);
    for (const [tool, scopes, lifetime] of rows) {
      const { credential, decision } = await explained(authorization, { tool: `notes_${unticked(tool)}` });
      expect(decision).toBe("allowed");
      expect(credential?.scopes.join(" ")).toBe(unticked(scopes));
      expect(`${credential?.ttl} s`).toBe(lifetime);
    }
  });
});

describe("an explanation", () => {
  let opa: Opa;
  beforeAll(async () => {
    opa = await startOpa();
  });
  afterAll(() => opa.stop());

  const denials = async (authorization: unknown, call: Partial<ExplainedCall> = {}) => {
    const { steps, decision } = await explained(authorization, call);
    const denied = steps.filter((step) => step.decision === "denied").map(({ step, name }) => name ?? step);
    expect(decision).toBe(denied.length > 0 ? "denied" : "allowed");
    return denied;
  };

  test.each<[string, ExplainedCall["claims"]]>([
    ["of another issuer", { ...CLAIMS, iss: "https://elsewhere.example" }],
    ["for another audience", { ...CLAIMS, aud: "https://elsewhere.example/" }],
    ["that expired", { ...CLAIMS, exp: NOW / 1_000 }],
    ["of no agent", { iss: CLAIMS.iss, aud: RESOURCE, sub: "a-person" }],
  ])("tells that a token %s is none", async (_, claims) => {
    expect(await denials({}, { claims })).toEqual(["token"]);
  });

  test("tells which scopes are missing", async () => {
    const authorization = { inbound: { tools: [{ name: "getNote", scopes: ["notes:read", "notes:all"] }] } };
    const { steps } = await explained(authorization, {});
    expect(steps.find(({ step }) => step === "scopes")?.why).toBe("the token lacks notes:all");
  });

  test("tells which policy denies, which fails, and which hides", async () => {
    opa.decide(() => ({ allowed: false, external_message: "Not today." }));
    const rules = [{ cel: "request.mcp.tool.params.arguments.amount < 10" }, { cel: 'agent.clientID == "other"' }];
    const authorization = { inbound: { opa: { name: "notes", url: opa.url, timeout: "5s" }, rules } };
    const { steps } = await explained(authorization, { arguments: { amount: 5 } });
    const why = Object.fromEntries(
      steps.filter(({ name }) => name).map(({ step, name, why }) => [`${step} ${name}`, why]),
    );
    expect(why["policy notes"]).toBe("denies the call: Not today.");
    expect(why["policy rules[0].cel"]).toBe("allows the call");
    expect(why["lists rules[1].cel"]).toContain("hides the tool");
    expect(await denials(authorization)).toContain("rules[0].cel");
    expect(opa.inputs.at(-1)?.token.claims).toMatchObject({ client_id: "an-agent" });
  });

  test("says that access can be requested at a decision point's service, and requests none", async () => {
    const service = await startAccessRequestService(() => NOW);
    try {
      const { pdp, token } = service;
      const inbound = { authzen: { name: "pdp", pdp, token, timeout: "5s", accessRequests: true } };
      const { steps } = await explained({ inbound }, {});
      const why = steps.filter(({ name }) => name === "pdp").map((step) => step.why);
      expect(why).toEqual(["denies the call; access can be requested"]);
      expect([service.evaluations.length, service.submissions.length]).toEqual([1, 0]);
    } finally {
      await service.stop();
    }
  });

  test("knows what the gateway may not ask for at this instance", async () => {
    const tools = [{ name: "getNote", scopes: [{ name: "ledger:everything" }] }];
    const tokenExchange = { idp: "oidcProvider", audience: "https://ledger.example/", tools };
    expect(await denials({ outbound: { type: "tokenExchange", tokenExchange } })).toEqual(["credential"]);
  });

  test("73. tells what becomes of the answer, and which rules for results do not fit", async () => {
    const configuration = await configured({ outbound: { type: "unprotected" } });
    const asked = { tool: "notes_getNote", claims: CLAIMS, arguments: { noteId: "1" } };
    const explainedWith = async (remove: readonly string[]) => {
      const rules = [{ tools: ["getNote"], result: { remove, mask: [{ match: "[0-9]{16}", with: "****" }] } }];
      const apps = configuration.apps.map((app) => (app.type === "mcpBridge" ? { ...app, rules } : app));
      return explainCall(asked, { ...configuration, apps }, { fetch, clock: { now: () => NOW } });
    };
    expect((await explainedWith(["/text"])).steps.at(-1)).toEqual({
      step: "result",
      decision: "allowed",
      why: "the agent gets the answer without /text, with [0-9]{16} masked",
    });
    const { steps, decision } = await explainedWith(["/txet"]);
    expect(decision).toBe("denied");
    expect(steps.find((step) => step.decision === "denied")?.why).toContain("result.remove /txet: leads to nothing");
  });

  test("76. tells that a call needs an approval, and by whom", async () => {
    const approval = { by: "owners", separate: true, when: 'request.mcp.tool.params.arguments.noteId == "1"' };
    const configuration = await configured({}, [], [{ tools: ["getNote"], approval }]);
    const explainedOf = async (noteId: string) => {
      const asked = { tool: "notes_getNote", claims: CLAIMS, arguments: { noteId } };
      const { steps } = await explainCall(asked, configuration, { fetch, clock: { now: () => NOW } });
      return steps.find(({ step }) => step === "approval");
    };
    expect(await explainedOf("1")).toEqual({
      ...{ step: "approval", decision: "denied" },
      why: "the call needs an approval by an owner of the organization, but not by the person that the agent acts for",
    });
    expect(await explainedOf("2")).toMatchObject({ decision: "allowed" });
  });

  test("tells which limits count a call, and by what", async () => {
    const configuration = await configured({ outbound: { type: "unprotected" } }, [
      { name: "reads", for: { app: "notes", tool: "/get.*/" }, per: "person", rate: "100/m", quota: "5000/day" },
      { name: "writes", for: { tool: "/create.*/" }, rate: "1/s" },
      { name: "tokens", for: { endpoint: "token" }, rate: "1/s" },
    ]);
    const asked = { tool: "notes_getNote", claims: CLAIMS, arguments: { noteId: "1" } };
    const { steps } = await explainCall(asked, configuration, { fetch, clock: { now: () => NOW } });
    expect(steps.filter(({ step }) => step === "limit")).toEqual([
      {
        step: "limit",
        name: "reads",
        decision: "allowed",
        why: "at most 100 in 60 s, 5000 a day, counted by person/a-person",
      },
    ]);
  });

  test("knows no tool of another name", async () => {
    expect(await denials({}, { tool: "getNote" })).toEqual(["tool"]);
  });
});
