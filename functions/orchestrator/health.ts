import type { Endpoint } from "../env.ts";

/** GET `health.location`: no authentication, no messages (D13). An instance that cannot start does not get here. */
export const health: Endpoint = () => (c) => c.json({ status: "up" }, 200, { "Cache-Control": "no-store" });
