import type { HealthCheck } from "../../lib/health/health.ts";
import type { Handler } from "../env.ts";

/** GET `health.location`: no authentication, no messages (D13). An instance that cannot start does not get here. */
export function health(check: HealthCheck): Handler {
  return async (c) => {
    const report = await check(c.get("request").waitUntil);
    return c.json(report, report.status === "down" ? 503 : 200, { "Cache-Control": "no-store" });
  };
}
