import { importPKCS8 } from "jose";
import { expect, test } from "vitest";
import { answerOf, issueToken, manage, type Owner, requestToken, type Signer } from "./fixture.ts";
import { mcpURL } from "./gateway-fixture.ts";

/** Organizations, who belongs to them and where those people are signed in. */
export function organizations(owner: () => Owner): void {
  const call = (method: string, path: string, body?: unknown, by: Owner = owner()) =>
    answerOf(manage(by, method, path, body));

  const invite = async (email: string, role: string): Promise<string> => {
    const { status, body } = await call("POST", "/invitations", { email, role });
    expect(status).toBe(201);
    return new URL((body as { link: string }).link).hash.replace("#token=", "");
  };

  const join = async (email: string, role = "member"): Promise<Owner & { readonly userId: string }> => {
    const accepted = await post(owner(), "accept", await invite(email, role));
    expect(accepted.status).toBe(200);
    const cookie = accepted.headers.getSetCookie()[0]?.split(";")[0] as string;
    return { region: owner().region, cookie, userId: (accepted.body as { userId: string }).userId };
  };

  test("somebody who is invited joins, is given a role, and is out once removed", async () => {
    const token = await invite("bob@example.com", "member");
    expect((await post(owner(), "preview", token)).body).toMatchObject({ organization: "Example", role: "member" });
    const open = (await call("GET", "/invitations")).body as { items: readonly unknown[] };
    expect(open.items).toMatchObject([{ email: "bob@example.com", role: "member" }]);
    const bob = await join("bob@example.com");
    // An address is a name: the link makes another person of it, who is removed again.
    const { body } = await post(owner(), "accept", token);
    expect((await call("DELETE", `/members/${(body as { userId: string }).userId}`)).status).toBe(204);
    expect((await call("PATCH", `/members/${bob.userId}`, { role: "owner" }, bob)).status).toBe(403);
    expect((await call("PATCH", `/members/${bob.userId}`, { role: "owner" })).body).toMatchObject({ role: "owner" });
    expect((await call("POST", "/api-clients", { name: "bob's" }, bob)).status).toBe(201);
    const members = (await call("GET", "/members", undefined, bob)).body as { items: readonly unknown[] };
    expect(members.items).toMatchObject([
      { email: "owner@example.com", role: "owner", isYou: false },
      { email: "bob@example.com", role: "owner", isYou: true },
    ]);
    expect((await call("DELETE", `/members/${bob.userId}`)).status).toBe(204);
    expect((await call("GET", "/me", undefined, bob)).status).toBe(401);
    expect((await post(owner(), "accept", token)).status).toBe(404);
  });

  test("an invitation is used up by one of 20 who come at once", async () => {
    const token = await invite("carol@example.com", "member");
    const answers = await Promise.all(Array.from({ length: 20 }, () => post(owner(), "accept", token)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array.from({ length: 19 }, () => 404)]);
    const accepted = answers.find(({ status }) => status === 200)?.body;
    expect((await call("DELETE", `/members/${(accepted as { userId: string }).userId}`)).status).toBe(204);
  });

  test("an organization keeps one owner of two who leave at once", async () => {
    const second = await call("POST", "/organizations", { name: "Second" });
    const { organizationId } = second.body as { organizationId: string };
    const inSecond = (by: Owner, method: string, path: string, body?: unknown) =>
      fetch(`${by.region.url}/api/v1${path}`, {
        method,
        headers: {
          Cookie: by.cookie,
          "Countersign-Organization": organizationId,
          ...(body !== undefined && { "Content-Type": "application/json" }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }).then(answerOf);
    const dave = await join("dave@example.com");
    const invited = await inSecond(owner(), "POST", "/invitations", { email: "dave2@example.com", role: "owner" });
    const token = new URL((invited.body as { link: string }).link).hash.replace("#token=", "");
    expect((await post(dave, "accept", token, dave.cookie)).body).toMatchObject({ userId: dave.userId });
    const { userId } = (await call("GET", "/me")).body as { userId: string };
    const left = await Promise.all([
      inSecond(owner(), "DELETE", `/members/${userId}`),
      inSecond(dave, "DELETE", `/members/${dave.userId}`),
    ]);
    expect(left.map(({ status }) => status).toSorted()).toEqual([204, 409]);
    expect((await call("DELETE", `/members/${dave.userId}`)).status).toBe(204);
  });

  test("an organization's name changes with the entity tag that was shown, and with no older one", async () => {
    const { organizationId } = (await call("POST", "/organizations", { name: "Third" })).body as {
      organizationId: string;
    };
    const rename = (name: string, tag: string) =>
      fetch(`${owner().region.url}/api/v1/organizations/${organizationId}`, {
        method: "PATCH",
        headers: { Cookie: owner().cookie, "Content-Type": "application/json", "If-Match": tag },
        body: JSON.stringify({ name }),
      }).then(answerOf);
    const shown = await call("GET", `/organizations/${organizationId}`);
    const tag = shown.headers.get("ETag") as string;
    const answers = await Promise.all([rename("One", tag), rename("Two", tag)]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 412]);
  });

  test("86. of an organization that is deleted nothing works any more, and its name can be given again", async () => {
    const { region } = owner();
    const made = await call("POST", "/organizations", { name: "For a while" });
    const { organizationId } = made.body as { organizationId: string };
    const path = `/organizations/${organizationId}`;
    const there = (method: string, what: string, body?: unknown) =>
      fetch(`${region.url}/api/v1${what}`, {
        method,
        headers: {
          Cookie: owner().cookie,
          "Countersign-Organization": organizationId,
          ...(body !== undefined && { "Content-Type": "application/json" }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }).then(answerOf);
    const { clientId } = (await there("POST", "/api-clients", { name: "Theirs", scopes: ["sessions:read"] })).body as {
      clientId: string;
    };
    const keyPair = (await there("POST", `/api-clients/${clientId}/key-pairs`)).body as { privateKey: string };
    const privateKey = await importPKCS8(keyPair.privateKey, "ES256");
    const signer: Signer = { clientId, key: { keyPairId: "", fingerprint: "", pem: "", privateKey } };
    const resource = `${region.url}/api/v1`;
    const ask = () => requestToken(region, signer, { parameters: { resource } });
    const token = await issueToken(region, signer, { resource });
    const isAccepted = async () => {
      const headers = { Authorization: `Bearer ${token}` };
      return (await answerOf(fetch(`${region.url}/api/v1/mcp-sessions`, { headers }))).status;
    };
    expect(await isAccepted()).toBe(200);
    const open = await there("POST", "/invitations", { email: "judy@example.com", role: "member" });
    const opened = new URL((open.body as { link: string }).link).hash.replace("#token=", "");
    const invited = await there("POST", "/invitations", { email: "frank@example.com", role: "owner" });
    const secret = new URL((invited.body as { link: string }).link).hash.replace("#token=", "");
    const accepted = await post(owner(), "accept", secret);
    const frank: Owner = { region, cookie: accepted.headers.getSetCookie()[0]?.split(";")[0] as string };

    const first = ((await call("GET", "/me")).body as { organizationId: string }).organizationId;
    expect((await call("DELETE", `/organizations/${first}`)).status).toBe(409);
    const both = await Promise.all([call("DELETE", path), call("DELETE", path, undefined, frank)]);
    const [counts, other] = both.map(({ status }) => status).toSorted((one, two) => one - two);
    expect(counts).toBe(204);
    expect([401, 403, 404]).toContain(other);

    expect((await answerOf(ask())).body).toMatchObject({ error: "invalid_client" });
    expect(await isAccepted()).toBe(401);
    expect((await call("GET", path)).status).toBe(404);
    expect((await there("POST", "/api-clients", { name: "Late" })).status).toBe(404);
    expect((await call("GET", "/me", undefined, frank)).status).toBe(401);
    expect((await post(owner(), "accept", opened)).status).toBe(404);
    const { items } = (await call("GET", "/organizations")).body as { items: readonly { organizationId: string }[] };
    expect(items.map((one) => one.organizationId)).not.toContain(organizationId);
    expect((await call("DELETE", path)).status).toBe(404);
    const records = (await call("GET", "/audit-events?type=organization.deleted")).body as { items: readonly object[] };
    expect(records.items).toMatchObject([
      { details: { organizationId, stage: "removed" } },
      { details: { organizationId, stage: "closed" }, names: { [organizationId]: "For a while" } },
    ]);
    const again = (await call("POST", "/organizations", { name: "For a while" })).body as { organizationId: string };
    expect(again.organizationId).not.toBe(organizationId);
  });

  test("33. a session that its person ends elsewhere is over", async () => {
    const erin = await join("erin@example.com");
    const { sessionId } = (await call("GET", "/me", undefined, erin)).body as { sessionId: string };
    const { items } = (await call("GET", "/browser-sessions", undefined, erin)).body as { items: readonly unknown[] };
    expect(items).toMatchObject([{ sessionId, method: "invitation", isCurrent: true }]);
    expect((await call("DELETE", `/browser-sessions/${sessionId}`)).status).toBe(404);
    expect((await call("DELETE", `/browser-sessions/${sessionId}`, undefined, erin)).status).toBe(204);
    expect((await call("GET", "/me", undefined, erin)).status).toBe(401);
    expect((await call("DELETE", `/members/${erin.userId}`)).status).toBe(204);
  });

  test("the instance tells where agents connect and what they can be granted", async () => {
    const { url } = owner().region;
    expect((await call("GET", "/instance")).body).toMatchObject({
      region: "us",
      issuer: url,
      managementAudience: `${url}/api/v1`,
      mcpURLs: [mcpURL(owner().region)],
      resources: [{ url: mcpURL(owner().region), name: "MCP" }],
      scopes: expect.arrayContaining([expect.objectContaining({ scope: "audit:read", kind: "management" })]),
      documentationURL: "https://docs.example/v1",
      isFirstOrganization: true,
    });
  });
}

/** Opens an invitation's link, in a browser where nobody is signed in unless there is a cookie. */
function post({ region }: Pick<Owner, "region">, what: "preview" | "accept", token: string, cookie?: string) {
  return answerOf(
    fetch(`${region.url}/api/v1/invitations/${what}`, {
      method: "POST",
      headers: { "Content-Type": "application/json", ...(cookie !== undefined && { Cookie: cookie }) },
      body: JSON.stringify({ token }),
    }),
  );
}
