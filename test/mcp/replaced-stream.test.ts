import { afterEach, expect, test } from "vitest";
import { readEvents } from "../behaviour/mcp/events.ts";
import { eventually } from "../support/eventually.ts";
import { type OpenGateway, openGateway } from "./open-gateway.ts";

let it: OpenGateway;
afterEach(() => it.close());

test("of streams that open at the same time exactly one is left", async () => {
  it = await openGateway();
  const headers = await it.open();
  const ended = new Set<number>();
  const responses = await Promise.all(Array.from({ length: 5 }, () => it.get(headers)));
  for (const [index, response] of responses.entries())
    void readEvents(response)
      .rest()
      .then(() => ended.add(index));
  expect(
    await eventually(
      async () => ended.size,
      (count) => count >= 4,
    ),
  ).toBe(4);
  const left = [0, 1, 2, 3, 4].find((index) => !ended.has(index));
  // What was replaced has replaced nothing: another one still takes the place of the one that is left.
  const next = readEvents(await it.get(headers));
  await eventually(
    async () => left !== undefined && ended.has(left),
    (isOver) => isOver,
  );
  expect(await next.next()).toBeDefined();
  await next.cancel();
});
