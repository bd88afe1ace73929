import { expect, test } from "vitest";
import { createUpstreamStates, unreachableUpstreams } from "../../lib/gateway/upstream-states.ts";
import { createHealthCheck } from "../../lib/health/health.ts";
import type { Logger } from "../../lib/logging/logger.ts";
import { createUpstreamGuard } from "../../lib/upstream/guard/guard.ts";

const ignore = () => undefined;
const logger: Logger = { debug: ignore, info: ignore, warn: ignore, error: ignore, with: () => logger };

test("health names the MCP servers that do not answer, with what is done about it, and stays up", async () => {
  let now = 0;
  const upstreams = createUpstreamStates();
  const guard = createUpstreamGuard({ clock: { now: () => now }, logger });
  const health = createHealthCheck(
    [],
    async () => true,
    () => unreachableUpstreams({ upstreams, proxies: { guard } }),
  );
  const outcome = async (app: string, end: "answered" | "failed") =>
    (await guard.enter(app, 1, new AbortController().signal)).end(end);

  await outcome("reports", "answered");
  expect(await health(ignore)).toEqual({ status: "up" });
  await outcome("reports", "failed");
  for (const _ of Array(5)) await outcome("ledger", "failed");
  const reports = { name: "app:reports", status: "down" };
  const ledger = { name: "app:ledger", status: "down" };
  expect(await health(ignore)).toEqual({ status: "up", components: [reports, { ...ledger, circuit: "open" }] });
  now += 10_000;
  expect(await health(ignore)).toEqual({ status: "up", components: [reports, { ...ledger, circuit: "half_open" }] });
  await outcome("ledger", "answered");
  await outcome("reports", "answered");
  expect(await health(ignore)).toEqual({ status: "up" });
});

test("health names an API that cut the connection before any answer, and none that had begun one", () => {
  const upstreams = createUpstreamStates();
  const brokenOff = { result: { content: [] }, outcome: "upstream_error", reason: "broken_off" } as const;
  upstreams.note("notes", { ...brokenOff, cause: "UND_ERR_SOCKET" });
  upstreams.note("tags", brokenOff);
  expect(upstreams.unreachable()).toEqual(["notes"]);
});
