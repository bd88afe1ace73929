import { afterEach, expect, test, vi } from "vitest";
import { readEvents } from "../behaviour/mcp/events.ts";
import { request } from "../behaviour/mcp/session.ts";
import { eventually } from "../support/eventually.ts";
import { type OpenGateway, openGateway } from "./open-gateway.ts";

let it: OpenGateway;
afterEach(() => it.close());

test("an answer of the legacy transport that reaches no stream is in the log, without the session's id", async () => {
  it = await openGateway();
  const events = readEvents(await it.send("/sse", { headers: { accept: "text/event-stream" } }));
  const path = (await events.next())?.data ?? expect.fail();
  const headers = { "content-type": "application/json" };
  const ping = () => it.send(path, { method: "POST", headers, body: JSON.stringify(request("ping")) });
  await ping();
  await events.message();
  const told = () => it.logs.filter((line) => line.includes("reached nobody"));
  expect(told()).toEqual([]);
  vi.spyOn(it.dependencies.sessionChannel ?? expect.fail(), "publish").mockResolvedValue(0);
  expect((await ping()).status).toBe(202);
  await eventually(
    async () => told().length,
    (count) => count === 1,
  );
  expect(it.logs.join()).not.toContain(path.split("=")[1]);
  vi.restoreAllMocks();
  await events.cancel();
});
