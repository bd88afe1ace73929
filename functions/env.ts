import type { Handler as HonoHandler } from "hono";
import type { Dependencies } from "../lib/application/dependencies.ts";
import type { RequestContext } from "../lib/telemetry/request-context.ts";
import type { RequestTelemetry } from "../lib/telemetry/telemetry.ts";

/** What the runtime tells about one request; each entry in `infra/` fills it. */
export interface HostRequest {
  /** The peer's address, undefined where the runtime does not tell. */
  readonly remoteAddress: string | undefined;
  /** Keeps the runtime alive until the work settles. */
  readonly waitUntil: (work: Promise<unknown>) => void;
}

/** Hono's type parameters for every handler and middleware in `functions/`. */
export interface Env {
  Bindings: { host: HostRequest };
  /**
   * `caller` is who was authenticated; `telemetry` is absent where nothing is measured; `answersPages` is true where people's
   * browsers come.
   */
  Variables: { request: RequestContext; caller?: string; telemetry?: RequestTelemetry; answersPages?: boolean };
}

export type Handler = HonoHandler<Env>;

/** An endpoint: receives the dependencies once, answers requests. */
export type Endpoint = (dependencies: Dependencies) => Handler;
