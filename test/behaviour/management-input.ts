import { generateKeyPairSync } from "node:crypto";
import { expect, test } from "vitest";
import { answerOf, createClient, manage, type Owner } from "./fixture.ts";

const p384 = generateKeyPairSync("ec", { namedCurve: "P-384" });
const p256 = generateKeyPairSync("ec", { namedCurve: "P-256" });
const p256Public = p256.publicKey.export({ type: "spki", format: "pem" });
/** In a JWK, and in a line of each PEM. */
const privateParts = [
  p256.privateKey.export({ format: "jwk" }).d,
  ...(["pkcs8", "sec1"] as const).map((type) => String(p256.privateKey.export({ type, format: "pem" })).split("\n")[1]),
] as readonly string[];

/** What the management API refuses, and how it says so. */
export function badInput(owner: () => Owner): void {
  test.each<[unknown, readonly string[]]>([
    [{}, ["/name"]],
    [{ name: "" }, ["/name"]],
    [{ name: "x".repeat(201), description: 7 }, ["/name", "/description"]],
    [{ name: "a\u0000" }, ["/name"]],
    [{ name: "ok", scopes: ["a b", "audit:read", "members:write"] }, ["/scopes/0", "/scopes/2"]],
    [{ name: "ok", scopes: "audit:read" }, ["/scopes"]],
    [{ name: "ok", resources: ["/relative", "https://a.example/#x"] }, ["/resources/0", "/resources/1"]],
    [{ name: "ok", clientId: "client_x" }, ["/clientId"]],
  ])("an API client with bad fields is 422 and names each: %j", async (body, pointers) => {
    const answer = await answerOf(manage(owner(), "POST", "/api-clients", body));
    expect(answer.status).toBe(422);
    expect(answer.headers.get("Content-Type")).toBe("application/problem+json");
    const { errors, ...problem } = answer.body as { errors: { pointer: string; detail: string }[] };
    expect(problem).toMatchObject({ type: "urn:countersign:problem:invalid_field", status: 422 });
    expect(errors.map(({ pointer }) => pointer)).toEqual(pointers);
  });

  test.each<[string, unknown]>([
    ["a private key", p256.privateKey.export({ type: "pkcs8", format: "pem" })],
    ["a private key of OpenSSL's older form", p256.privateKey.export({ type: "sec1", format: "pem" })],
    ["a private key after its public one", `${p256Public}${p256.privateKey.export({ type: "pkcs8", format: "pem" })}`],
    ["a private JWK", p256.privateKey.export({ format: "jwk" })],
    ["a private JWK as text", JSON.stringify(p256.privateKey.export({ format: "jwk" }))],
    ["a set of private JWKs", { keys: [p256.privateKey.export({ format: "jwk" })] }],
    ["a P-384 key", p384.publicKey.export({ type: "spki", format: "pem" })],
    ["a number", 5],
    ["null", null],
    ["an array", []],
    ["an empty text", ""],
    ["an RSA JWK", { kty: "RSA", n: "AQAB", e: "AQAB" }],
  ])("%s is no public key: 422 that does not repeat it", async (_, publicKey) => {
    const path = `/api-clients/${await createClient(owner())}/key-pairs`;
    const answer = await answerOf(manage(owner(), "POST", path, { publicKey }));
    expect(answer).toMatchObject({ status: 422, body: { errors: [{ pointer: "/publicKey" }] } });
    for (const secret of privateParts) expect(JSON.stringify(answer.body)).not.toContain(secret);
    expect((await answerOf(manage(owner(), "GET", path))).body).toEqual({ items: [] });
  });

  test.each<[string, BodyInit, number]>([
    ["no JSON", "{", 400],
    ["an empty body", "", 400],
    ["an array", "[]", 400],
    ["null", "null", 400],
    ["a text", '"name"', 400],
    ["no UTF-8", new Uint8Array([0x22, 0xff, 0x22]), 400],
    ["deeply nested JSON", "[".repeat(30_000) + "]".repeat(30_000), 400],
    ["a megabyte", JSON.stringify({ name: "x".repeat(1_000_000) }), 413],
  ])("a body of %s is refused cleanly", async (_, body, status) => {
    for (const [method, path] of [
      ["POST", "/api-clients"],
      ["PATCH", `/api-clients/${await createClient(owner())}`],
    ] as const) {
      const response = await fetch(`${owner().region.url}/api/v1${path}`, {
        method,
        headers: { Cookie: owner().cookie, "Content-Type": "application/json" },
        body,
      });
      const answer = await answerOf(response);
      expect([answer.status, answer.headers.get("Content-Type")]).toEqual([status, "application/problem+json"]);
    }
  });

  test.each([
    "/api-clients?limit=0",
    "/api-clients?limit=201",
    "/api-clients?limit=ten",
    "/api-clients?limit=1&limit=2",
    "/api-clients?cursor=",
    "/api-clients?cursor=%00",
    "/audit-events?outcome=good",
    "/audit-events?type=nope",
    "/audit-events?agnet=client_x",
    "/api-clients?name=x",
    "/audit-events?from=yesterday",
    "/audit-events?to=2026-13-01",
    "/audit-events?from=1969-12-31",
    "/audit-events?to=9999-12-31T23:59-23:59",
    "/audit-events?instance=maybe",
    `/audit-events?user=${"x".repeat(600)}`,
  ])("a bad query is 422: %s", async (path) => {
    const answer = await answerOf(manage(owner(), "GET", path));
    expect(answer).toMatchObject({ status: 422, body: { errors: [{ pointer: expect.stringMatching(/^\/\w+$/) }] } });
  });

  test.each(["x", "-1", "1e9", "%F0%9F%93%A6", "x".repeat(512), "eyJ9", "01ARZ3NDEKTSV4RRFFQ69G5FAV"])(
    "37. a cursor that nobody gave out breaks nothing: %s",
    async (cursor) => {
      for (const path of ["/api-clients", "/audit-events"]) {
        const { status } = await manage(owner(), "GET", `${path}?cursor=${cursor}`);
        expect([path, status < 500]).toEqual([path, true]);
      }
    },
  );

  test("a query that a change or a single client does not know is refused, and nothing happens", async () => {
    const path = `/api-clients/${await createClient(owner())}`;
    const before = await answerOf(manage(owner(), "GET", path));
    const answers = await Promise.all([
      manage(owner(), "POST", "/api-clients?dryRun=true", { name: "x" }),
      manage(owner(), "GET", `${path}?fields=name`),
      manage(owner(), "PATCH", `${path}?dryRun=true`, { name: "x" }),
      manage(owner(), "DELETE", `${path}?revokeToken=true`),
      manage(owner(), "POST", `${path}/key-pairs?kid=mine`),
      manage(owner(), "POST", `${path}/key-pairs/key_00000000-0000-4000-8000-000000000000/revoke?force=true`),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([422, 422, 422, 422, 422, 422]);
    expect((await answerOf(manage(owner(), "GET", path))).body).toEqual(before.body);
  });

  test("a bad revokeTokens deletes nothing", async () => {
    const path = `/api-clients/${await createClient(owner())}`;
    expect((await manage(owner(), "DELETE", `${path}?revokeTokens=yes`)).status).toBe(422);
    expect((await manage(owner(), "GET", path)).status).toBe(200);
  });
}
