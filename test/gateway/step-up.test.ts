import { describe, expect, test } from "vitest";
import { rpc } from "../behaviour/gateway-fixture.ts";
import { ISSUER } from "../support/in-process.ts";
import { withOwnExchange } from "./credentials/own-exchange.ts";

const it = withOwnExchange({
  outbound: { type: "unprotected" },
  stepUp: [
    { tools: ["deleteNote"], acr: ["urn:example:strong", "urn:example:stronger"], maxAge: 300_000 },
    { tools: ["/list.*/"], maxAge: 60_000 },
  ],
});

const seconds = () => Math.floor(it.gateway.clock.now() / 1_000);
const call = (text: string, tool = "deleteNote") =>
  it.gateway.call(tool, tool === "listNotes" ? {} : { noteId: "1" }, text);
const strong = (age: number) => ({ acr: "urn:example:strong", auth_time: seconds() - age });

describe("a tool that takes a sign-in of a certain kind", () => {
  test("is called after such a sign-in", async () => {
    const { text } = await it.token({ claims: strong(299) });
    expect((await rpc(await call(text))).error).toBeUndefined();
    expect(it.upstream.requests.length).toBeGreaterThan(0);
  });

  test.each([
    ["of another kind", () => ({ acr: "urn:example:weak", auth_time: seconds() })],
    ["too long ago", () => strong(301)],
    ["at a time that is not known", () => ({ acr: "urn:example:strong" })],
    ["of which nothing is known", () => ({})],
  ])("sends who signed in %s there again, by header and body", async (_, claims) => {
    const { text } = await it.token({ claims: claims() });
    const before = it.upstream.requests.length;
    const response = await call(text);
    expect(response.status).toBe(401);
    const challenge = response.headers.get("www-authenticate") ?? "";
    const facts = {
      error: "insufficient_user_authentication",
      acr_values: "urn:example:strong urn:example:stronger",
      max_age: "300",
      scope: "notes:read",
      resource_metadata: `${ISSUER}/.well-known/oauth-protected-resource`,
    };
    for (const [name, value] of Object.entries(facts)) expect(challenge).toContain(`${name}="${value}"`);
    const body = (await response.json()) as Readonly<Record<string, unknown>>;
    expect(body).toMatchObject(facts);
    expect(challenge).toContain(`error_description="${String(body.error_description)}"`);
    expect(it.upstream.requests).toHaveLength(before);
  });

  test("leaves a record of the call that was not made", async () => {
    await call((await it.token()).text);
    const { stores } = it.gateway.dependencies;
    const organization = await stores.directory.firstOrganization();
    const filter = { organizationId: organization?.organizationId, type: "tool.invoked" };
    const [record] = (await stores.auditLog.query(filter, { limit: 1 })).items;
    expect(record).toMatchObject({ outcome: "denied", reason: "insufficient_authentication", tool: "deleteNote" });
  });

  test("leaves the others as they are", async () => {
    expect((await rpc(await call((await it.token()).text, "getNote"))).result).toBeDefined();
  });

  test("asks for what its own entry says", async () => {
    const response = await call((await it.token({ claims: strong(61) })).text, "listNotes");
    expect(response.headers.get("www-authenticate")).toContain('max_age="60"');
    expect(response.headers.get("www-authenticate")).not.toContain("acr_values");
  });

  test("is no tool at all to whom a policy hides it", async () => {
    const cel = 'request.mcp.tool.params.name != "deleteNote"';
    await it.restart({ policies: [{ engine: "cel", name: "cel", expression: cel }] });
    const answer = await rpc(await call((await it.token()).text));
    expect(answer.error?.message).toBe("There is no tool of this name.");
  });
});
