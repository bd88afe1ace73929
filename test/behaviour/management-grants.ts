import { expect, test } from "vitest";
import {
  type Answer,
  answerOf,
  createSigner,
  issueToken,
  manage,
  type Owner,
  requestToken,
  type Signer,
} from "./fixture.ts";

const MCP = "https://gateway.example/mcp";
/** Enough for every lane of a client to be asked, and for whatever is cached to be used. */
const REQUESTS = 32;

/** What an owner grants and takes away is what the very next token request meets. */
export function changingGrants(owner: () => Owner): void {
  const ask = async (signer: Signer, parameters: Readonly<Record<string, string>> = {}): Promise<Answer> =>
    answerOf(requestToken(owner().region, signer, { parameters }));
  const askOften = (signer: Signer, parameters?: Readonly<Record<string, string>>) =>
    Promise.all(Array.from({ length: REQUESTS }, () => ask(signer, parameters)));
  const change = async ({ clientId }: Signer, fields: unknown) => {
    const { status } = await answerOf(manage(owner(), "PATCH", `/api-clients/${clientId}`, fields));
    expect(status).toBe(200);
  };
  const all = (answer: object) => Array.from({ length: REQUESTS }, () => expect.objectContaining(answer));
  const granted = (scope: string | undefined) => all({ status: 200, body: tokenWith(scope) });
  const refused = (error: string) => all({ status: 400, body: { error } });

  test("8. a scope that was taken away is in no token from the very next request on, whatever was cached", async () => {
    const signer = await createSigner(owner(), { scopes: ["audit:read", "tools:read"] });
    expect(await askOften(signer)).toEqual(granted("audit:read tools:read"));
    await change(signer, { scopes: ["tools:read"] });
    expect(await askOften(signer)).toEqual(granted("tools:read"));
    expect(await askOften(signer, { scope: "audit:read" })).toEqual(refused("invalid_scope"));
    expect(await askOften(signer, { scope: "tools:read audit:read" })).toEqual(granted("tools:read"));
  });

  test("8. asking for a scope right after it was taken away is invalid_scope, although a token with it was just issued", async () => {
    const signer = await createSigner(owner(), { scopes: ["audit:read", "tools:read"] });
    for (const scopes of [["tools:read"], ["audit:read", "tools:read"], []]) {
      await change(signer, { scopes: ["audit:read", "tools:read"] });
      expect(await ask(signer, { scope: "audit:read" })).toMatchObject({ status: 200, body: { scope: "audit:read" } });
      await change(signer, { scopes });
      const expected = scopes.includes("audit:read")
        ? { status: 200 }
        : { status: 400, body: { error: "invalid_scope" } };
      expect([scopes, await ask(signer, { scope: "audit:read" })]).toMatchObject([scopes, expected]);
    }
  });

  test("8. a resource that was taken away is invalid_target from the very next request on", async () => {
    const signer = await createSigner(owner(), { scopes: ["notes:read"], resources: [MCP] });
    expect(await askOften(signer, { resource: MCP })).toEqual(granted("notes:read"));
    await change(signer, { resources: [] });
    expect(await askOften(signer, { resource: MCP })).toEqual(refused("invalid_target"));
    expect(await ask(signer)).toMatchObject({ status: 200 });
  });

  test("what was granted is there on the very next request, whatever was cached", async () => {
    const signer = await createSigner(owner());
    expect(await askOften(signer)).toEqual(granted(undefined));
    await change(signer, { scopes: ["audit:read", "notes:read"] });
    expect(await ask(signer, { scope: "audit:read" })).toMatchObject({ status: 200, body: { scope: "audit:read" } });
    expect(await askOften(signer)).toEqual(granted("audit:read"));
    await change(signer, { resources: [MCP] });
    expect(await ask(signer, { resource: MCP })).toMatchObject({ status: 200, body: { scope: "notes:read" } });
  });

  test("8. requests that meet a change are answered, and none after it carries what was taken away", async () => {
    const signer = await createSigner(owner(), { scopes: ["audit:read", "tools:read"] });
    await askOften(signer);
    const meeting = askOften(signer);
    await change(signer, { scopes: ["tools:read"] });
    const after = await askOften(signer);
    expect(after).toEqual(granted("tools:read"));
    for (const { status, body } of await meeting) {
      const { scope } = body as { scope: string };
      expect([status, ["tools:read", "audit:read tools:read"].includes(scope)]).toEqual([200, true]);
    }
  });

  test("a token keeps what it was issued with when the owner takes it away", async () => {
    const signer = await createSigner(owner(), { scopes: ["audit:read"] });
    const token = await issueToken(owner().region, signer);
    await change(signer, { scopes: [] });
    const response = await fetch(`${owner().region.url}/api/v1/audit-events`, {
      headers: { Authorization: `Bearer ${token}` },
    });
    expect(response.status).toBe(200);
  });
}

/** A token response with exactly this scope. */
function tokenWith(scope: string | undefined): object {
  return {
    access_token: expect.any(String),
    token_type: "Bearer",
    expires_in: expect.any(Number),
    ...(scope !== undefined && { scope }),
  };
}
