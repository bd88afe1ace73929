import type { Logger } from "../logging/logger.ts";
import type { RequestTelemetry } from "./telemetry.ts";

/** What belongs to one request. */
export interface RequestContext {
  readonly requestId: string;
  /** The peer's address as far as the runtime knows it. */
  readonly remoteAddress: string | undefined;
  readonly logger: Logger;
  /** Tells the access log who sent the request: the id of an API client, a person or an agent. */
  readonly authenticated: (caller: string) => void;
  /** Keeps the runtime alive until the work is done. A rejection is logged and affects nothing else. */
  readonly waitUntil: (work: Promise<void>) => void;
  /** The trace that the sender says this is a part of, 32 hexadecimal digits. Anybody may say so. */
  readonly traceId?: string | undefined;
  /** Absent: nothing is measured. */
  readonly telemetry?: RequestTelemetry | undefined;
}
