/** The package carries no types; this is the part that tests use. */
declare module "oidc-provider" {
  import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";

  /** Errors that become those of RFC 6749 §5.2. */
  export const errors: {
    readonly CustomOIDCProviderError: new (error: string, description: string) => Error;
  };

  export default class Provider {
    constructor(issuer: string, configuration: Readonly<Record<string, unknown>>);
    callback(): RequestListener;
    on(event: "grant.saved", listener: (grant: { readonly jti: string }) => void): void;
    readonly Grant: { find(id: string): Promise<{ destroy(): Promise<void> } | undefined> };
    /** @param parameters those of requests that the handler sees */
    registerGrantType(name: string, handler: (context: never) => Promise<void>, parameters: readonly string[]): void;
    interactionDetails(
      request: IncomingMessage,
      response: ServerResponse,
    ): Promise<{ readonly params: Readonly<Record<string, string | undefined>> }>;
    interactionFinished(
      request: IncomingMessage,
      response: ServerResponse,
      result: Readonly<Record<string, unknown>>,
      options?: { readonly mergeWithLastSubmission?: boolean },
    ): Promise<void>;
  }

  /** What of a request's context checks look at. */
  export interface CheckContext {
    readonly oidc: {
      readonly params: Readonly<Record<string, string | undefined>>;
      readonly session: { readonly acr?: string };
      readonly result?: { readonly login?: unknown };
    };
  }

  export const interactionPolicy: {
    base(): { get(name: string): { readonly checks: { add(check: unknown): void } } };
    readonly Check: new (reason: string, description: string, check: (context: CheckContext) => boolean) => unknown;
  };
}
