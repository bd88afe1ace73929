import { describe, expect, test } from "vitest";
import { rpc, textOf } from "../../behaviour/gateway-fixture.ts";
import { GATEWAY_CLIENT, OUTBOUND, withOwnExchange } from "./own-exchange.ts";

const it = withOwnExchange();

const call = async (text: string, tool = "getNote") => {
  const given = tool === "listNotes" ? {} : { noteId: "1" };
  return rpc(await it.gateway.call(tool, given, text));
};
const claims = () => it.upstream.accepted.at(-1);
/** Newest first. */
const records = async (type: "tool.invoked" | "token.exchanged") => {
  const { stores } = it.gateway.dependencies;
  const organization = await stores.directory.firstOrganization();
  const filter = { organizationId: organization?.organizationId, type };
  return (await stores.auditLog.query(filter, { limit: 20 })).items;
};

describe("a call to an app with token exchange", () => {
  test("carries a token for the upstream alone that names the person and the agent", async () => {
    const { text } = await it.token();
    expect((await call(text)).result?.isError).toBeUndefined();
    const seconds = Math.floor(it.gateway.clock.now() / 1_000);
    expect(claims()).toMatchObject({
      sub: "user_a-person",
      act: { sub: "an-agent" },
      client_id: "gateway",
      scope: "ledger:read",
      iat: seconds,
      exp: seconds + 120,
    });
  });

  test("has the scopes and the lifetime of the first entry that matches its tool", async () => {
    const { text } = await it.token();
    await call(text, "listNotes");
    expect(claims()?.scope).toBe("ledger:list");
    expect(Number(claims()?.exp) - Number(claims()?.iat)).toBe(900);
  });

  test("has no scopes and a minute where no entry matches its tool", async () => {
    const { text } = await it.token();
    await call(text, "deleteNote");
    expect(claims()?.scope ?? "").toBe("");
    expect(Number(claims()?.exp) - Number(claims()?.iat)).toBe(60);
  });

  test("names the person alone by impersonation, where the gateway's client may do that", async () => {
    const tokenExchange = { ...GATEWAY_CLIENT.tokenExchange, impersonation: true };
    await it.restart({
      outbound: { ...OUTBOUND, mode: "impersonation" },
      clients: [{ ...GATEWAY_CLIENT, tokenExchange }],
    });
    const { text } = await it.token();
    await call(text);
    expect(claims()?.sub).toBe("user_a-person");
    expect(claims()?.act).toBeUndefined();
  });

  test("leaves a record of the exchange and one of itself", async () => {
    const { text, record } = await it.token();
    await call(text);
    expect((await records("tool.invoked"))[0]).toMatchObject({
      outcome: "success",
      agent: "an-agent",
      user: "user_a-person",
      details: { tokenId: record.tokenId },
    });
    expect(await records("token.exchanged")).toHaveLength(1);
  });
});

describe("an exchanged token is used again", () => {
  test("until five seconds before it expires", async () => {
    const { text } = await it.token();
    const began = it.gateway.clock.now();
    await call(text);
    it.gateway.clock.set(began + 114_999);
    await call(text);
    expect(await records("token.exchanged")).toHaveLength(1);
    it.gateway.clock.set(began + 115_000);
    await call(text);
    expect(await records("token.exchanged")).toHaveLength(2);
  });

  test("for half of its life where that is longer", async () => {
    await it.restart({ outbound: { ...OUTBOUND, tools: [{ name: "getNote", ttl: 6_000, scopes: [] }] } });
    const { text } = await it.token();
    const began = it.gateway.clock.now();
    await call(text);
    it.gateway.clock.set(began + 2_999);
    await call(text);
    expect(await records("token.exchanged")).toHaveLength(1);
    it.gateway.clock.set(began + 3_000);
    await call(text);
    expect(await records("token.exchanged")).toHaveLength(2);
  });

  test("by calls at the same time", async () => {
    const { text } = await it.token();
    await Promise.all(Array.from({ length: 20 }, () => call(text)));
    expect(await records("token.exchanged")).toHaveLength(1);
  });

  test("not for a tool with other scopes", async () => {
    const { text } = await it.token();
    await call(text, "getNote");
    await call(text, "listNotes");
    expect(await records("token.exchanged")).toHaveLength(2);
  });
});

describe("a call without a credential is not made", () => {
  const refused = async (text: string, error: string) => {
    const before = it.upstream.requests.length;
    const answer = await call(text);
    expect(answer.result?.isError).toBe(true);
    expect(textOf(answer)).toBe(
      `The call was not made: the gateway is not given a token for the app "notes" (${error}).`,
    );
    expect(it.upstream.requests).toHaveLength(before);
    const [record] = await records("tool.invoked");
    expect(record).toMatchObject({ outcome: "denied", reason: "credential_refused", details: { error } });
  };

  test("where the gateway's client may not have its scopes", async () => {
    await it.restart({ clients: [{ ...GATEWAY_CLIENT, scopes: [] }] });
    await refused((await it.token()).text, "invalid_scope");
  });

  test("where the gateway's client may not have its audience", async () => {
    await it.restart({ clients: [{ ...GATEWAY_CLIENT, allowedAudiences: [] }] });
    await refused((await it.token()).text, "invalid_target");
  });

  test("where the gateway's client may not exchange, or not impersonate", async () => {
    await it.restart({ clients: [{ ...GATEWAY_CLIENT, grantTypes: [] }] });
    await refused((await it.token()).text, "unauthorized_client");
    await it.restart({ outbound: { ...OUTBOUND, mode: "impersonation" } });
    await refused((await it.token()).text, "unauthorized_client");
  });

  test("where the agent's token is not taken: the agent is sent for another", async () => {
    const tokenExchange = { ...GATEWAY_CLIENT.tokenExchange, subjectAudiences: ["https://elsewhere.example/"] };
    await it.restart({ clients: [{ ...GATEWAY_CLIENT, tokenExchange }] });
    const { text } = await it.token();
    const response = await it.gateway.call("getNote", { noteId: "1" }, text);
    expect(response.status).toBe(401);
    expect(response.headers.get("www-authenticate")).toContain('error="invalid_token"');
    expect((await records("tool.invoked"))[0]).toMatchObject({ outcome: "denied", reason: "token_refused" });
  });

  test("and other apps are not affected", async () => {
    const otherApps = [{ name: "open", outbound: { type: "unprotected" } as const }];
    await it.restart({ clients: [{ ...GATEWAY_CLIENT, scopes: [] }], otherApps });
    const { text } = await it.token();
    expect((await call(text)).result?.isError).toBe(true);
    await call(text, "open_getNote");
    expect(it.upstream.requests.at(-1)?.authorization).toBeUndefined();
  });
});
