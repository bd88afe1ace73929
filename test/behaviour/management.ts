import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type RunningRegion, type RunningRegions, type RuntimeUnderTest, SETUP_TOKEN } from "../support/runtime.ts";
import { managementConfiguration } from "./configuration.ts";
import {
  addKey,
  answerOf,
  createClient,
  manage,
  NO_UPSTREAM,
  type Owner,
  setUpOwner,
  startRegions,
} from "./fixture.ts";
import { apiClients } from "./management-api-clients.ts";
import { auditEvents } from "./management-audit.ts";
import { cursors } from "./management-cursors.ts";
import { changingGrants } from "./management-grants.ts";
import { badInput } from "./management-input.ts";
import { keyPairs } from "./management-key-pairs.ts";
import { agentSessions } from "./management-mcp-sessions.ts";
import { organizations } from "./management-organizations.ts";
import { overview } from "./management-overview.ts";
import { passkeys } from "./management-passkeys.ts";
import { gatewaySettings } from "./management-settings.ts";

/** The management API as people and API clients see it. */
export function managementApi(runtime: RuntimeUnderTest): void {
  describe(`management API on ${runtime.name}`, () => {
    let regions: RunningRegions;
    let owner: Owner;
    let attempts: readonly Response[];
    beforeAll(async () => {
      regions = await startRegions(runtime, NO_UPSTREAM, managementConfiguration);
      owner = await setUpOwner(regions.us);
      attempts = await Promise.all(
        Array.from({ length: 20 }, (_, i) => setUp(regions.uk, { email: `u${i}@example.com` })),
      );
    });
    afterAll(() => regions?.stop());

    setup(
      () => regions,
      () => owner,
      () => attempts,
    );
    sessions(
      () => regions,
      () => owner,
    );
    crossSiteRequests(() => owner);
    apiClients(
      () => regions,
      () => owner,
    );
    organizations(() => owner);
    keyPairs(() => owner);
    changingGrants(() => owner);
    badInput(() => owner);
    cursors(() => owner);
    auditEvents(() => owner);
    agentSessions(() => owner);
    overview(() => owner);
    passkeys(() => owner);
    gatewaySettings(() => owner);

    test("34. no private key and no session value is in any log line", async () => {
      const { pem } = await addKey(owner, await createClient(owner));
      const secret = pem.split("\n")[2] as string;
      const logs = regions.us.logs().join("\n");
      expect(secret).toHaveLength(64);
      expect(logs).toContain("/key-pairs");
      for (const hidden of [secret, owner.cookie.split("=")[1] as string, SETUP_TOKEN]) {
        expect(logs).not.toContain(hidden);
      }
    });
  });
}

function setUp(region: RunningRegion, fields: Readonly<Record<string, unknown>>): Promise<Response> {
  return fetch(`${region.url}/api/v1/setup`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ token: SETUP_TOKEN, organization: "Acme", email: "ada@example.com", ...fields }),
  });
}

function setup(regions: () => RunningRegions, usOwner: () => Owner, attempts: () => readonly Response[]): void {
  const made = () => attempts().find(({ status }) => status === 201) as Response;

  test("setup works for one of 20 parallel holders of the token, and never again", async () => {
    expect(
      attempts()
        .map(({ status }) => status)
        .toSorted(),
    ).toEqual([201, ...Array.from({ length: 19 }, () => 403)]);
    const again = await setUp(regions().uk, {});
    expect([again.status, again.headers.getSetCookie()]).toEqual([403, []]);
    expect((await setUp(regions().uk, { token: `${SETUP_TOKEN}x` })).status).toBe(403);
    expect((await setUp(regions().uk, { email: "nobody" })).status).toBe(422);
    // Nothing in the configuration says that this owner is to be recovered.
    const back = await setUp(regions().us, { email: "owner@example.com" });
    expect([back.status, back.headers.getSetCookie()]).toEqual([403, []]);
  });

  test("33. the session cookie is host-bound, secure, out of reach of scripts and not sent by other sites", () => {
    const [cookie] = made().headers.getSetCookie();
    expect(cookie).toMatch(
      /^__Host-countersign-console=[\w-]{43}; Max-Age=\d+; Path=\/; Secure; HttpOnly; SameSite=Lax$/,
    );
    expect(made().headers.get("Cache-Control")).toBe("no-store");
  });

  test("32. a client of one region does not exist for an owner of the other", async () => {
    const owner: Owner = { region: regions().uk, cookie: cookieOf(made()) };
    const clientId = await createClient(usOwner());
    expect((await manage(usOwner(), "GET", `/api-clients/${clientId}`)).status).toBe(200);
    expect((await manage(owner, "GET", `/api-clients/${clientId}`)).status).toBe(404);
    expect((await answerOf(manage(owner, "GET", "/api-clients"))).body).toMatchObject({ items: [] });
  });

  test("33. signing out ends the session on the server and empties the cookie", async () => {
    const owner: Owner = { region: regions().uk, cookie: cookieOf(made()) };
    expect((await manage(owner, "GET", "/me")).status).toBe(200);
    const out = await manage(owner, "POST", "/sign-out");
    expect(out.status).toBe(204);
    expect(out.headers.getSetCookie()).toEqual([
      "__Host-countersign-console=; Max-Age=0; Path=/; Secure; HttpOnly; SameSite=Lax",
    ]);
    expect((await manage(owner, "GET", "/me")).status).toBe(401);
    expect((await manage(owner, "POST", "/sign-out")).status).toBe(204);
  });
}

function sessions(regions: () => RunningRegions, owner: () => Owner): void {
  test("the person signed in is described with the organization the request is about", async () => {
    const { status, body, headers } = await answerOf(manage(owner(), "GET", "/me"));
    expect(status).toBe(200);
    expect(headers.get("Cache-Control")).toBe("no-store");
    expect(body).toEqual({
      userId: expect.stringMatching(/^user_[0-9a-f-]{36}$/),
      email: "owner@example.com",
      organizations: [{ organizationId: expect.stringMatching(/^org_/), name: "Example", role: "owner" }],
      organizationId: expect.stringMatching(/^org_/),
      role: "owner",
      sessionId: expect.stringMatching(/^[\w-]{43}$/),
    });
  });

  test("33. a made-up cookie, another region's cookie and no cookie are 401 with a challenge", async () => {
    const requests = [
      fetch(`${regions().us.url}/api/v1/me`),
      fetch(`${regions().us.url}/api/v1/me`, { headers: { Cookie: `__Host-countersign-console=${"A".repeat(43)}` } }),
      fetch(`${regions().us.url}/api/v1/me`, { headers: { Cookie: "__Host-countersign-console=%00" } }),
      fetch(`${regions().uk.url}/api/v1/me`, { headers: { Cookie: owner().cookie } }),
    ];
    for (const answer of await Promise.all(requests.map(answerOf))) {
      expect(answer.status).toBe(401);
      expect(answer.headers.get("WWW-Authenticate")).toBe('Bearer realm="countersign"');
      expect(answer.headers.get("Content-Type")).toBe("application/problem+json");
      expect(answer.body).toMatchObject({ type: "urn:countersign:problem:not_signed_in", status: 401 });
    }
  });

  test("an unknown sign-in link signs nobody in", async () => {
    const response = await fetch(`${regions().us.url}/api/v1/sign-in/link`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ token: "A".repeat(43) }),
    });
    expect([response.status, response.headers.getSetCookie()]).toEqual([403, []]);
  });

  test("32. an organization one does not belong to is not found", async () => {
    for (const organization of ["org_00000000-0000-4000-8000-000000000000", "", "x".repeat(500)]) {
      const headers = { Cookie: owner().cookie, "Countersign-Organization": organization };
      expect((await fetch(`${owner().region.url}/api/v1/api-clients`, { headers })).status).toBe(404);
    }
  });
}

function crossSiteRequests(owner: () => Owner): void {
  const post = (headers: Readonly<Record<string, string>>, body = '{"name":"forged"}') =>
    fetch(`${owner().region.url}/api/v1/api-clients`, {
      method: "POST",
      headers: { Cookie: owner().cookie, ...headers },
      body,
    });
  const json = { "Content-Type": "application/json" };

  test.each<[string, Record<string, string>]>([
    ["another origin", { ...json, Origin: "https://evil.example" }],
    ["an opaque origin", { ...json, Origin: "null" }],
    ["another site by fetch metadata", { ...json, "Sec-Fetch-Site": "cross-site" }],
    ["a sibling site by fetch metadata", { ...json, "Sec-Fetch-Site": "same-site" }],
    ["a form", { "Content-Type": "application/x-www-form-urlencoded" }],
    ["a text form", { "Content-Type": "text/plain" }],
    ["a multipart form", { "Content-Type": "multipart/form-data; boundary=x" }],
  ])("33. a request of %s is refused although the cookie is right", async (_, headers) => {
    expect((await post(headers)).status).toBe(403);
  });

  test("33. the console's own requests pass", async () => {
    const { origin } = new URL(owner().region.url);
    const response = await post({ ...json, Origin: origin, "Sec-Fetch-Site": "same-origin" }, '{"name":"own"}');
    expect(response.status).toBe(201);
  });

  test("33. signing in is protected as well", async () => {
    const response = await fetch(`${owner().region.url}/api/v1/sign-in/link`, {
      method: "POST",
      headers: { ...json, Origin: "https://evil.example" },
      body: JSON.stringify({ token: "A".repeat(43) }),
    });
    expect((await answerOf(response)).body).toMatchObject({ detail: "Requests from this origin are not accepted." });
  });
}

function cookieOf(response: Response): string {
  return response.headers.getSetCookie()[0]?.split(";")[0] as string;
}
