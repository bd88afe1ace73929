import type { OAuthClientProvider } from "@modelcontextprotocol/client";
import { visit } from "../../support/browser.ts";

type Stored = NonNullable<Awaited<ReturnType<OAuthClientProvider["tokens"]>>>;
type Discovered = Parameters<NonNullable<OAuthClientProvider["saveDiscoveryState"]>>[0];
type Registration = NonNullable<Awaited<ReturnType<OAuthClientProvider["clientInformation"]>>>;

/** Nothing listens here: what a browser would be sent to is read from the redirect. */
const REDIRECT_URI = "http://127.0.0.1:9/callback";

/**
 * What an application gives its MCP client for a person who signs in: it keeps what the client obtains, and has a
 * browser. The client registers itself.
 */
export class Person implements OAuthClientProvider {
  readonly redirectUrl: string;
  /** Where the client sent the browser, in order. */
  readonly sentTo: URL[] = [];
  private registration: Registration | undefined;
  private stored: Stored | undefined;
  private discovered: Discovered | undefined;
  private verifier = "";

  constructor(redirectURL: string = REDIRECT_URI) {
    this.redirectUrl = redirectURL;
  }

  get clientMetadata() {
    return {
      client_name: "An agent",
      redirect_uris: [this.redirectUrl],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      application_type: "native" as const,
      token_endpoint_auth_method: "none",
    };
  }
  state(): string {
    return crypto.randomUUID();
  }
  clientInformation(): Registration | undefined {
    return this.registration;
  }
  saveClientInformation(registration: Registration): void {
    this.registration = registration;
  }
  tokens(): Stored | undefined {
    return this.stored;
  }
  saveTokens(tokens: Stored): void {
    this.stored = tokens;
  }
  redirectToAuthorization(url: URL): void {
    this.sentTo.push(url);
  }
  saveCodeVerifier(verifier: string): void {
    this.verifier = verifier;
  }
  codeVerifier(): string {
    return this.verifier;
  }
  saveDiscoveryState(state: Discovered): void {
    this.discovered = state;
  }
  discoveryState(): Discovered | undefined {
    return this.discovered;
  }
  invalidateCredentials(what: "all" | "client" | "tokens" | "verifier" | "discovery"): void {
    if (what === "all" || what === "client") this.registration = undefined;
    if (what === "all" || what === "tokens") this.stored = undefined;
    if (what === "all" || what === "discovery") this.discovered = undefined;
  }

  /** From now on the client presents a token that nobody issued; it can still get another. */
  spoilToken(): void {
    if (this.stored === undefined) throw new Error("the client has no token");
    this.stored = { ...this.stored, access_token: "spoilt" };
  }

  /** Signs in where the client sent the browser last; the parameters that the redirect back carries. */
  async signIn(): Promise<URLSearchParams> {
    const { url, response } = await visit(this.page(), this.redirectUrl);
    if (response !== undefined) throw new Error(`signing in ended at ${url.pathname} with ${response.status}`);
    return url.searchParams;
  }

  /** Where the client sent the browser last. */
  page(): URL {
    const page = this.sentTo.at(-1);
    if (page === undefined) throw new Error("the client sent the browser nowhere");
    return page;
  }
}
