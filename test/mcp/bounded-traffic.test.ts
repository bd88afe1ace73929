import { afterEach, expect, test, vi } from "vitest";
import type { Gateway } from "../../lib/application/gateway.ts";
import { startOperations } from "../../lib/mcp/operations.ts";
import { readEvents } from "../behaviour/mcp/events.ts";
import { request } from "../behaviour/mcp/session.ts";
import { startUpstream, type Upstream } from "../support/upstream.ts";
import { type OpenGateway, openGateway } from "./open-gateway.ts";

let it: OpenGateway | undefined;
let upstream: Upstream | undefined;
afterEach(async () => {
  await it?.close();
  await upstream?.stop();
});

test.each([
  [20, 20],
  [21, 0],
  [25_000, 0],
])("a batch of %i messages begins %i operations", (length, begun) => {
  const atEnd = vi.fn();
  const telemetry = { span: undefined, record: vi.fn(), atEnd };
  const batch = Array.from({ length }, (_, id) => request("ping", {}, id));
  const from = { request: { telemetry } } as unknown as Parameters<typeof startOperations>[2];
  startOperations(batch, new Headers(), from, { tools: new Map(), search: undefined } as unknown as Gateway);
  expect(atEnd).toHaveBeenCalledTimes(begun);
});

test("a token for progress that is longer than any client's is not repeated in every report", async () => {
  upstream = await startUpstream();
  it = await openGateway({ upstreamURL: upstream.url });
  const reports = async (progressToken: string) => {
    const call = request("tools/call", { name: "listTags", arguments: {}, _meta: { progressToken } });
    const messages = await readEvents((await it?.post(call, await it.open())) ?? expect.fail()).rest();
    return messages.filter(({ method }) => method === "notifications/progress").length;
  };
  expect(await reports("x".repeat(1_000))).toBe(1);
  expect(await reports("x".repeat(1_001))).toBe(0);
});
