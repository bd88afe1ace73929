import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { application } from "../../functions/routes.ts";
import { StoreUnavailableError } from "../../lib/stores/unavailable.ts";
import { type Asked, type PolledTransmitter, startPolledTransmitter } from "../support/polled-transmitter.ts";
import { EVENTS } from "../support/transmitter.ts";
import { type Receiving, startReceiving } from "./receiving.ts";

describe("security events that are fetched", () => {
  let transmitter: PolledTransmitter;
  let it: Receiving;
  let isAway = false;
  let product: ReturnType<typeof application>;
  beforeAll(async () => {
    transmitter = await startPolledTransmitter();
    it = await startReceiving({
      signals: { token: "token-of-the-stream", poll: { url: transmitter.url, interval: 30_000 } },
      adapt: (dependencies) => {
        const { stops } = dependencies.stores;
        const replaceStops: typeof stops.replaceStops = (...change) =>
          isAway ? Promise.reject(new StoreUnavailableError(new Error("away"))) : stops.replaceStops(...change);
        return { ...dependencies, stores: { ...dependencies.stores, stops: { ...stops, replaceStops } } };
      },
    });
    product = application(it.product.dependencies);
  });
  afterAll(async () => {
    await it.stop();
    await transmitter.stop();
  });

  const poll = async (): Promise<readonly Asked[]> => {
    it.product.clock.set(it.product.clock.now() + 30_000);
    const before = transmitter.asked.length;
    await product.poll({ waitUntil: () => undefined });
    return transmitter.asked.slice(before);
  };
  const jtiOf = (token: string): string =>
    JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString()).jti;
  const give = async (fields: Parameters<Receiving["event"]>[0], sub: string): Promise<string> => {
    const token = await it.event(fields, sub);
    transmitter.waiting.set(jtiOf(token), token);
    return jtiOf(token);
  };

  test("75. all that there is is fetched, and acknowledged after what it brings about is durable", async () => {
    const given = [
      await give({ type: EVENTS.sessionRevoked }, "one"),
      await give({ type: EVENTS.accountDisabled }, "two"),
      await give({ type: EVENTS.assuranceChange }, "three"),
    ];
    const asked = await poll();
    expect(asked.map(({ body }) => body.ack)).toEqual([[], given.slice(0, 2), given.slice(2)]);
    expect(asked[0]).toMatchObject({
      authorization: "Bearer token-of-the-stream",
      body: { returnImmediately: true, setErrs: {} },
    });
    expect((await it.stops()).map(({ target, state }) => [target.id, state])).toEqual([
      ["one", "ended"],
      ["two", "suspended"],
    ]);
    expect(transmitter.waiting.size).toBe(0);
  });

  test("75. what is wrong is told with its code, and the rest is taken", async () => {
    const forged = await give({ type: EVENTS.accountDisabled, claims: { aud: "https://other.example" } }, "mallory");
    const renamed = await it.event({ type: EVENTS.accountDisabled }, "mallory");
    transmitter.waiting.set("another", renamed);
    transmitter.waiting.set("none", 7);
    const good = await give({ type: EVENTS.sessionRevoked }, "four");
    const asked = await poll();
    const told = Object.assign({}, ...asked.map(({ body }) => body.setErrs));
    expect(told).toEqual({
      [forged]: { err: "invalid_audience", description: expect.any(String) },
      another: { err: "invalid_request", description: expect.any(String) },
      none: { err: "invalid_request", description: expect.any(String) },
    });
    expect(asked.flatMap(({ body }) => body.ack)).toEqual([good]);
    expect((await it.stops()).map(({ target }) => target.id)).not.toContain("mallory");
    const refused = (await it.records("signal.refused")).map(({ reason }) => reason);
    expect(refused).toEqual(expect.arrayContaining(["invalid_audience", "invalid_request"]));
  });

  test("75. what cannot be kept now is not acknowledged, and comes again", async () => {
    const jti = await give({ type: EVENTS.accountDisabled }, "five");
    isAway = true;
    expect((await poll()).map(({ body }) => body.ack)).toEqual([[]]);
    expect([...transmitter.waiting.keys()]).toEqual([jti]);
    isAway = false;
    expect((await poll()).map(({ body }) => body.ack)).toEqual([[], [jti]]);
    expect((await it.stops()).at(-1)).toMatchObject({ target: { id: "five" }, state: "suspended" });
  });

  test("of two processes one fetches in each interval, and nobody posts", async () => {
    const other = application(it.product.dependencies);
    it.product.clock.set(it.product.clock.now() + 30_000);
    const before = transmitter.asked.length;
    for (const process of [product, other, product]) await process.poll({ waitUntil: () => undefined });
    expect(transmitter.asked.length - before).toBe(1);
    expect((await it.push(await it.event({ type: EVENTS.accountDisabled }, "six"))).status).toBe(404);
  });

  test("a transmitter that does not answer is asked again later", async () => {
    await transmitter.stop();
    expect(await poll()).toEqual([]);
    expect(it.product.logs.some((line) => line.includes("security events not fetched"))).toBe(true);
  });
});
