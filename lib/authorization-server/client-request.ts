import type { RequestContext } from "../telemetry/request-context.ts";
import { type Form, readForm } from "./form.ts";

/** A request to an OAuth endpoint by a client that authenticates. */
export interface ClientRequest {
  readonly form: Form;
  /** The `Authorization` header. */
  readonly authorization: string | undefined;
  /** The sender's address as far as the runtime knows it. */
  readonly source: string | undefined;
  readonly requestId: string;
  readonly authenticated: RequestContext["authenticated"];
  readonly waitUntil: RequestContext["waitUntil"];
}

/** @throws {OAuthError} `invalid_request` when the body is not a form (`readForm`) */
export async function readClientRequest(request: Request, context: RequestContext): Promise<ClientRequest> {
  return {
    form: await readForm(request),
    authorization: request.headers.get("Authorization") ?? undefined,
    source: context.remoteAddress,
    requestId: context.requestId,
    authenticated: context.authenticated,
    waitUntil: context.waitUntil,
  };
}

/** Headers of every answer that may hold a token or tells about one (RFC 6749 §5.1). */
export const NO_STORE = { "Cache-Control": "no-store", Pragma: "no-cache" } as const;
