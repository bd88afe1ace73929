import { describe, expect, test } from "vitest";
import { rpc } from "../behaviour/gateway-fixture.ts";
import { type TokenFields, withOwnExchange } from "../gateway/credentials/own-exchange.ts";

const it = withOwnExchange();

/** Calls of both by turns, and at once: each upstream request has a token of its own caller. */
async function callByTurns(one: TokenFields, other: TokenFields) {
  const tokens = await Promise.all([one, other, one, other].map((fields) => it.token(fields)));
  const callers = [tokens[0], tokens[1], tokens[0], tokens[1]];
  const before = it.upstream.requests.length;
  for (const caller of callers) {
    expect((await rpc(await it.gateway.call("getNote", { noteId: "1" }, caller?.text ?? ""))).result).toBeDefined();
  }
  await Promise.all(callers.map((caller) => it.gateway.call("getNote", { noteId: "1" }, caller?.text ?? "").then(rpc)));
  const sent = it.upstream.requests.slice(before).map(({ authorization }) => authorization);
  const accepted = it.upstream.accepted.slice(-callers.length * 2);
  return { sent, accepted, tokens };
}

describe("39. no credential crosses", () => {
  test("between two people of one agent", async () => {
    const { sent, accepted } = await callByTurns({ subject: "user_one" }, { subject: "user_other" });
    expect(accepted.slice(0, 4).map(({ sub }) => sub)).toEqual(["user_one", "user_other", "user_one", "user_other"]);
    expect(new Set(sent).size).toBe(2);
  });

  test("between two agents of one person", async () => {
    const { accepted } = await callByTurns({ clientId: "one-agent" }, { clientId: "other-agent" });
    expect(accepted.slice(0, 2).map(({ act }) => act)).toEqual([{ sub: "one-agent" }, { sub: "other-agent" }]);
  });

  test("between two organizations, whose apps ask for the same", async () => {
    await it.restart({ otherApps: [{ name: "other", organization: "org_other" }] });
    const first = await it.gateway.dependencies.stores.directory.firstOrganization();
    const [one, other] = await Promise.all([
      it.token({ organizationId: first?.organizationId ?? "" }),
      it.token({ organizationId: "org_other" }),
    ]);
    const call = async (tool: string, text: string) => rpc(await it.gateway.call(tool, { noteId: "1" }, text));
    for (let n = 0; n < 2; n++) {
      await call("getNote", one.text);
      await call("other_getNote", other.text);
    }
    const chains = it.upstream.accepted.slice(-4).map(({ chain }) => (chain as { id: string }).id);
    expect(chains).toEqual([one, other, one, other].map(({ record }) => record.chainId));
    expect((await call("getNote", other.text)).error?.message).toBe("There is no tool of this name.");
  });

  test("between two devices of one person", async () => {
    const { sent, accepted, tokens } = await callByTurns({}, {});
    expect(new Set(sent).size).toBe(2);
    const chains = accepted.slice(0, 2).map(({ chain }) => (chain as { id: string }).id);
    expect(chains).toEqual(tokens.slice(0, 2).map(({ record }) => record.chainId));
  });
});
