import { describe, expect, test } from "vitest";
import { rpc, textOf } from "../behaviour/gateway-fixture.ts";
import { withOwnExchange } from "../gateway/credentials/own-exchange.ts";

const it = withOwnExchange();

const call = async (text: string) => rpc(await it.gateway.call("getNote", { noteId: "1" }, text));
const tokensSent = () => it.upstream.requests.map(({ authorization }) => authorization);

describe("29. an upstream's 401", () => {
  test("leads to one exchange more, and the call goes through", async () => {
    const { text } = await it.token();
    await call(text);
    const before = it.upstream.requests.length;
    // A token of the same second would say the same; the upstream's clock goes on.
    it.gateway.clock.set(it.gateway.clock.now() + 1_000);
    it.upstream.refuse(1);
    expect((await call(text)).result?.isError).toBeUndefined();
    const sent = tokensSent().slice(before);
    expect(sent).toHaveLength(2);
    expect(sent[1]).not.toBe(sent[0]);
    await call(text);
    expect(tokensSent().at(-1)).toBe(sent[1]);
  });

  test("that stays is a failed result that says who refused what", async () => {
    const { text } = await it.token();
    const before = it.upstream.requests.length;
    it.upstream.refuse(10);
    const response = await it.gateway.call("getNote", { noteId: "1" }, text);
    expect(response.status).toBe(200);
    const answer = await rpc(response);
    expect(answer.result?.isError).toBe(true);
    expect(textOf(answer)).toContain("HTTP 401");
    expect(textOf(answer)).toContain("The API refused the token that the gateway had obtained for this call.");
    expect(it.upstream.requests.length - before).toBe(2);
    for (const authorization of tokensSent()) expect(textOf(answer)).not.toContain(String(authorization).slice(7));
  });
});
