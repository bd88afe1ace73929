import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { base64url, utf8 } from "../../lib/kernel/encoding.ts";
import { type AnsweringServer, startAnsweringServer } from "./answering-server.ts";
import { RESOURCE, trusted } from "./started.ts";
import { withGateway } from "./with-gateway.ts";

const it = withGateway();
let odd: AnsweringServer;

beforeAll(async () => {
  odd = await startAnsweringServer();
});
afterAll(() => odd.stop());

const good = { aud: RESOURCE, scope: "notes:read" };
const encode = (value: unknown) => base64url(utf8(JSON.stringify(value)));
const members = (names: string) =>
  fc.record(Object.fromEntries(names.split(" ").map((name) => [name, fc.jsonValue()])), { requiredKeys: [] });
const metadataStatus = async () => (await it.gateway.send("/.well-known/oauth-protected-resource")).status;

describe("37. a JWT whose JSON has other types than a JWT's", () => {
  test.each([{ typ: 1 }, { typ: null }, { typ: {} }, { typ: [] }, { typ: true }, { typ: ["at+jwt"] }])(
    "with %j in its header is refused, signed or not",
    async (header) => {
      const claims = encode({ ...good, iss: it.server.issuer });
      expect(await it.statusOf(`${encode({ alg: "ES256", ...header })}.${claims}.c2ln`)).toBe(401);
      expect(await it.statusOf(await it.server.sign(good, header))).toBe(401);
    },
  );

  test.each([{ iss: 1 }, { iss: null }, { iss: {} }, { iss: [] }, { iss: "" }])(
    "with %j is refused",
    async (claims) => {
      expect(await it.statusOf(`${encode({ alg: "ES256" })}.${encode({ ...good, ...claims })}.c2ln`)).toBe(401);
      expect(await it.statusOf(await it.server.sign({ ...good, ...claims }))).toBe(401);
    },
  );

  test.each(["[]", "null", "1", '"x"', "{", "", "\uFEFF{}", '{"alg":"ES256"}'])(
    "with the payload %j is refused",
    async (text) => {
      const payload = base64url(utf8(text));
      expect(await it.statusOf(`${encode({ alg: "ES256" })}.${payload}.c2ln`)).toBe(401);
    },
  );

  test("with a header that is no UTF-8 is refused", async () => {
    const header = base64url(new Uint8Array([...utf8('{"alg":"ES256","x":"'), 0xff, ...utf8('"}')]));
    expect(await it.statusOf(`${header}.${encode({ ...good, iss: it.server.issuer })}.c2ln`)).toBe(401);
  });

  test("with whatever header and claims is refused when its signature is not its server's", async () => {
    const header = members("alg typ kid crit b64 cty jwk jku x5c zip").map((more) => ({ alg: "ES256", ...more }));
    const claims = members("aud exp nbf iat sub client_id azp act scope scp cnf");
    await fc.assert(
      fc.asyncProperty(header, claims, async (first, second) => {
        const token = `${encode(first)}.${encode({ ...good, ...second, iss: it.server.issuer })}.c2ln`;
        expect(await it.statusOf(token)).toBe(401);
      }),
      { numRuns: 300 },
    );
  });

  test("with whatever claims is decided on when it is signed", async () => {
    await fc.assert(
      fc.asyncProperty(members("aud exp nbf iat sub client_id azp act scope scp cnf nonce"), async (claims) => {
        expect([200, 401, 403]).toContain(await it.statusOf(await it.server.sign({ ...good, ...claims })));
      }),
      { numRuns: 100 },
    );
  });
});

describe("37. an introspection answer whose members have other types", () => {
  const introspecting = () =>
    trusted(odd.wellKnown, {
      method: "introspection",
      introspection: { clientID: "gateway", clientSecret: "secret", timeout: 2_000, maxRetries: 0 },
    });
  const answering = async (claims: unknown) => {
    odd.describe({});
    odd.answer("/introspection", JSON.stringify(claims));
    await it.restart({ servers: [introspecting()] });
    return it.statusOf("opaque");
  };
  const inTime = () => Math.floor(Date.now() / 1000) + 60;
  const active = () => ({ ...good, active: true, client_id: "agent", exp: inTime() });

  test("is accepted when it is as it should be, also with null for what there is nothing to say of", async () => {
    expect(await answering(active())).toBe(200);
    expect(await answering({ ...active(), token_type: "bearer", nbf: null, sub: null, act: null })).toBe(200);
    expect(await answering({ ...active(), token_type: null })).toBe(200);
  });

  test.each([
    { active: "true" },
    { active: 1 },
    { aud: { "0": RESOURCE } },
    { aud: [[RESOURCE]] },
    { iss: null },
    { iss: ["x"] },
    { token_type: ["DPoP"] },
    { token_type: 1 },
    { nbf: "4000000000" },
    { nbf: {} },
    { exp: "4000000000" },
    { exp: null },
    { client_id: 1 },
    { client_id: {} },
    { cnf: null },
  ])("is refused with %j", async (claims) => {
    expect(await answering({ ...active(), ...claims })).toBe(401);
  });

  test.each([{ scope: 1 }, { scope: { notes: "read" } }, { scope: [["notes:read"]] }])(
    "grants nothing with %j",
    async (claims) => {
      expect(await answering({ ...active(), ...claims })).toBe(403);
    },
  );

  test.each([[[]], ["x"], [null], [[{ active: true }]]])("is no answer when it is %j", async (answer) => {
    expect(await answering(answer)).toBe(503);
  });
});

describe("37. what a server publishes with other types", () => {
  test.each([
    { issuer: 1 },
    { issuer: null },
    { issuer: {} },
    { issuer: "" },
    { jwks_uri: 1 },
    { jwks_uri: "file:///x" },
  ])("a discovery document with %j is 503 for tokens, and no error of the metadata", async (more) => {
    odd.describe({ ...more, ...(more.issuer === undefined && { issuer: it.server.issuer }) });
    await it.restart({ servers: [trusted(odd.metadata)] });
    expect(await it.statusOf(await it.server.sign(good))).toBe(503);
    expect(await metadataStatus()).toBe(200);
  });

  test.each(["[]", "null", "1", "{", '{"keys":{}}', '{"keys":"x"}', '[{"keys":[]}]'])(
    "the key set %s is 503 for tokens",
    async (text) => {
      odd.describe({ issuer: it.server.issuer });
      odd.answer("/jwks", text);
      await it.restart({ servers: [trusted(odd.metadata)] });
      expect(await it.statusOf(await it.server.sign(good))).toBe(503);
    },
  );

  test("members of a key set that are no keys do not spoil the others", async () => {
    const { keys } = (await (await fetch(`${it.server.issuer}/jwks`)).json()) as { keys: readonly object[] };
    const others = [null, 1, "x", [], {}, { kty: 1 }, { kty: "EC", crv: {}, x: 1 }, { kty: "EC", key_ops: "verify" }];
    odd.describe({ issuer: it.server.issuer });
    odd.answer("/jwks", JSON.stringify({ keys: [...others, ...keys] }));
    await it.restart({ servers: [trusted(odd.metadata)] });
    expect(await it.statusOf(await it.server.sign(good))).toBe(200);
  });
});
