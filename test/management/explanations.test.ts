import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createApiClient } from "../../lib/api-clients/administration.ts";
import type { McpBridgeAppConfiguration } from "../../lib/config/app-configuration.ts";
import type { CallExplanation } from "../../lib/management/schemas/explanations.ts";
import { placeStop } from "../../lib/stops/change-stops.ts";
import { PROVIDER } from "../support/in-process.ts";
import { TOOL } from "./example-calls.ts";
import { GATEWAY, managementAsApp } from "./instance.ts";
import { type Caller, type CallerName, startWorld, type World } from "./people.ts";

const EXPRESSION = 'request.mcp.tool.params.arguments.limit < 10 || agent.clientID == "trusted"';
const REGISTERED = "agent_12345678-1234-4123-8123-123456789012";

let world: World;
beforeAll(async () => {
  const app: McpBridgeAppConfiguration = {
    ...(await managementAsApp()),
    inboundTools: [{ name: "listTools", scopes: ["notes:read"] }],
    policies: [{ engine: "cel", name: "rules[0].cel", expression: EXPRESSION }],
    members: "required",
  };
  const others = { ...app, name: "others", organization: "org_another" };
  const catalog = {
    ...app.catalog,
    tools: app.catalog.tools.map((tool) => ({ ...tool, name: `others_${tool.localName}` })),
  };
  world = await startWorld({ configuration: { apps: [app, { ...others, catalog }] } });
});
afterAll(() => world.product.close());

async function ask(body: object, who: CallerName | Caller = "an owner") {
  const caller = typeof who === "string" ? world.callers[who] : who;
  const answer = await world.product.send("/api/v1/explanations", {
    method: "POST",
    headers: { "Content-Type": "application/json", ...(await caller.credentials()) },
    body: JSON.stringify(body),
  });
  return { status: answer.status, body: (await answer.json()) as CallExplanation };
}

const stepOf = ({ steps }: CallExplanation, name: string) => steps.find(({ step }) => step === name);
const newClient = (scopes: readonly string[], resources = [GATEWAY]) =>
  createApiClient(
    world.product.dependencies,
    { id: world.ownerId, organizationId: world.organizationId },
    { name: "a client", scopes, resources },
  );

describe("an explanation of a call with the configuration in use", () => {
  test("is of an API client, with what its token would say and the rules that decide", async () => {
    const { clientId } = await newClient(["notes:read", "audit:read"]);
    const { status, body } = await ask({ tool: TOOL, clientId, arguments: { limit: 20 } });
    expect([status, body]).toMatchObject([
      200,
      {
        tool: TOOL,
        decision: "denied",
        claims: { iss: PROVIDER.issuer, sub: clientId, client_id: clientId, aud: GATEWAY, scope: "notes:read" },
      },
    ]);
    expect(stepOf(body, "scopes")).toEqual({
      ...{ step: "scopes", decision: "allowed", why: "the token has notes:read", rule: "needs notes:read" },
    });
    expect(stepOf(body, "policy")).toEqual({
      ...{ step: "policy", name: "rules[0].cel", decision: "denied", why: "denies the call", rule: EXPRESSION },
    });
    expect(stepOf((await ask({ tool: TOOL, clientId, arguments: { limit: 5 } })).body, "policy")?.decision).toBe(
      "allowed",
    );
  });

  test("is of an API client without the scopes and the audience that the tool needs", async () => {
    const { clientId } = await newClient([], ["https://elsewhere.example/"]);
    const { body } = await ask({ tool: TOOL, clientId });
    expect(stepOf(body, "token")?.why).toContain("aud is none of expectedAudiences");
    expect(stepOf(body, "scopes")).toMatchObject({ decision: "denied", why: "the token lacks notes:read" });
  });

  test("is of a person with an agent that came by itself, with the scopes that its token had", async () => {
    const person = "user_a";
    const { body } = await ask({ tool: TOOL, clientId: REGISTERED, person });
    expect(body.claims).toMatchObject({
      sub: person,
      client_id: REGISTERED,
      act: { sub: REGISTERED },
      scope: "notes:read",
    });
    expect(stepOf(body, "tool")).toMatchObject({ decision: "allowed", rule: "members: required" });
    const narrow = await ask({ tool: TOOL, clientId: "countersign-console", person, scopes: ["notes:other"] });
    expect(narrow.body.claims.scope).toBe("notes:other");
    expect(stepOf(narrow.body, "scopes")?.decision).toBe("denied");
  });

  test("is of written claims, whoever's they are", async () => {
    const claims = { iss: PROVIDER.issuer, aud: GATEWAY, client_id: "trusted", scope: "notes:read" };
    const { body } = await ask({ tool: TOOL, claims });
    expect(stepOf(body, "policy")?.decision).toBe("allowed");
    expect(body.claims).toEqual(claims);
  });

  test("tells what is stopped", async () => {
    const { product, ownerId, organizationId } = world;
    const stop = { kind: "tool", id: "countersign/showOverview", state: "suspended", reason: "It is broken." };
    const actor = { id: ownerId, organizationId, requestId: "request" };
    await placeStop(product.dependencies, actor, stop);
    const { body } = await ask({ tool: "countersign_showOverview", claims: { client_id: "trusted" } });
    expect(stepOf(body, "stop")).toMatchObject({ decision: "denied", why: expect.stringContaining(stop.reason) });
  });

  test("85. is for owners, and knows no tool and no client of another organization", async () => {
    const { clientId } = await newClient(["notes:read"]);
    expect((await ask({ tool: TOOL, clientId }, "a member")).status).toBe(403);
    const other = "an owner of another organization";
    expect((await ask({ tool: TOOL, clientId }, other)).status).toBe(404);
    expect((await ask({ tool: TOOL, clientId: REGISTERED }, other)).status).toBe(404);
    const claims = { client_id: "trusted" };
    const [ours, theirs, none] = await Promise.all([
      ask({ tool: TOOL, claims }, other),
      ask({ tool: "others_listTools", claims }),
      ask({ tool: "nothing_atAll", claims }),
    ]);
    for (const { body } of [ours, theirs]) expect({ ...body, tool: "" }).toEqual({ ...none.body, tool: "" });
    expect(none.body.steps.map(({ step }) => step)).toEqual(["token", "tool"]);
  });

  test.each([
    ["nobody who calls", {}],
    ["claims beside a client", { clientId: REGISTERED, claims: {} }],
    ["scopes that are none", { clientId: REGISTERED, scopes: ['a"b'] }],
    ["arguments that are none", { clientId: REGISTERED, arguments: [] }],
  ])("is refused for %s", async (_, body) => {
    expect((await ask({ tool: TOOL, ...body })).status).toBe(422);
  });
});
