import type { BrowserContext } from "../authorization-server/authorize/sign-in-context.ts";
import type { ConnectRequest } from "../connections/connect-request.ts";
import type { PersonConnections } from "../connections/connections.ts";
import type { ProviderTokens } from "../connections/provider.ts";
import type { ResolvedProvider } from "../connections/resolved-provider.ts";
import type { SessionChannel } from "../stores/session-channel.ts";

/** What the steps of connecting an account work with. */
export interface ConnectContext extends BrowserContext {
  readonly dependencies: BrowserContext["dependencies"] & { readonly sessionChannel?: SessionChannel | undefined };
  readonly accounts: AccountConnections;
}

/** Accounts at providers, as far as connecting them in a browser needs them. */
export interface AccountConnections
  extends Pick<PersonConnections, "complete" | "hold" | "held" | "discardHeld" | "discard" | "isStopped"> {
  /** @throws {AccountProviderError} it cannot be found for now */
  provider(request: ConnectRequest): Promise<AccountProvider>;
  /** The account that serves now; undefined where there is none, or nobody knows which it is. */
  formerAccount(request: ConnectRequest): Promise<ProviderAccount | undefined>;
}

/** What a provider calls an account. */
export type ProviderAccount = NonNullable<ProviderTokens["account"]>;

/** The provider of one request. */
export interface AccountProvider {
  readonly resolved: ResolvedProvider;
  authorizationURL(sent: {
    readonly state: string;
    readonly redirectURL: string;
    readonly codeVerifier?: string;
  }): Promise<string>;
  /** @throws {AccountProviderError} */
  redeem(answer: {
    readonly code: string;
    readonly redirectURL: string;
    readonly codeVerifier?: string;
  }): Promise<ProviderTokens>;
}

/** A provider that does not do what was asked. The message is for the log, and holds nothing that it sent but codes. */
export class AccountProviderError extends Error {
  /** `refused`: it said no, and will again. `unavailable`: it may do it later. `too_long`: what it gave is too long to be kept. */
  readonly failure: "refused" | "unavailable" | "too_long";
  constructor(failure: AccountProviderError["failure"], message: string, options: { readonly cause?: unknown } = {}) {
    super(message, options);
    this.name = "AccountProviderError";
    this.failure = failure;
  }
}
