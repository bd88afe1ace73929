import type { Handler as HonoHandler } from "hono";
import type { Dependencies } from "../lib/application/dependencies.ts";
import type { Language } from "../lib/pages/language.ts";
import type { Branding } from "../lib/pages/page.ts";
import type { AcceptSocket, ForwardedAnswer } from "../lib/reverse-proxy/forward.ts";
import type { ClientFields } from "../lib/reverse-proxy/request-headers.ts";
import type { RequestContext } from "../lib/telemetry/request-context.ts";
import type { RequestTelemetry } from "../lib/telemetry/telemetry.ts";

/** What the runtime tells about one request; each entry in `infra/` fills it. */
export interface HostRequest {
  /** The peer's address, undefined where the runtime does not tell. */
  readonly remoteAddress: string | undefined;
  /** Keeps the runtime alive until the work settles. */
  readonly waitUntil: (work: Promise<unknown>) => void;
  /** The request target (RFC 9112 section 3.2) as it came: of the URL of a request, escapes and dot segments may be gone. */
  readonly target: string;
  /** The request's headers, where they are at hand without an object of the Web. Absent or undefined: they are not. */
  readonly fields?: () => ClientFields | undefined;
  /**
   * To be called before the body of the request is carried on as a stream: it may then take any time, as long as it is not silent.
   * Absent: this runtime bounds all requests alike.
   */
  readonly streamsBody?: () => void;
  /**
   * Makes the response that passes an answer of an upstream on: nothing is added to it, and if it breaks off, so does the client's.
   * Absent: every response of this runtime is such a one.
   */
  readonly passesOn?: (answer: ForwardedAnswer) => Response;
  /** Makes a WebSocket of the request. Absent: it asks for none, or this runtime has none. */
  readonly acceptSocket?: AcceptSocket;
}

/** Hono's type parameters for every handler and middleware in `functions/`. */
export interface Env {
  Bindings: { host: HostRequest };
  /**
   * `caller` is who was authenticated; `telemetry` is absent where nothing is measured; `answersPages` is true where people's
   * browsers come. Of requests for web apps: `app` is its name, `isCarried` is true for an answer of the app itself; `status` is
   * that of the answer where a `Response` cannot have it.
   */
  Variables: {
    request: RequestContext;
    /** Of our pages. */
    branding?: Branding | undefined;
    /** Of our pages, where their flow asked for one. */
    language?: Language;
    caller?: string;
    telemetry?: RequestTelemetry;
    answersPages?: boolean;
    app?: string;
    isCarried?: boolean;
    status?: number;
  };
}

export type Handler = HonoHandler<Env>;

/** An endpoint: receives the dependencies once, answers requests. */
export type Endpoint = (dependencies: Dependencies) => Handler;
