import type { OidcProviderConfiguration } from "../../config/configuration.ts";
import type { SignInEndpoints } from "../../config/endpoints.ts";
import type { Connector } from "../../connectors/connectors.ts";
import type { Language } from "../../pages/language.ts";
import type { Page } from "../../pages/page.ts";
import type { RequestContext } from "../../telemetry/request-context.ts";
import type { AuthorizationServerPorts } from "../ports.ts";

/** What the steps of a client's sign-in work with. */
export interface SignInContext extends BrowserContext {
  readonly provider: OidcProviderConfiguration;
}

/** What is known of a browser that signs its person in or out, whoever it is for. */
export interface BrowserContext {
  readonly dependencies: AuthorizationServerPorts;
  readonly endpoints: SignInEndpoints;
  readonly connectors: readonly Connector[];
  readonly request: RequestContext;
  readonly browser: Browser;
}

/** What the browser's cookies say, and what its pages are written in. */
export interface Browser {
  /** Of the session. */
  readonly session: string | undefined;
  /** Ties sign-ins under way to the browser that they began in. */
  readonly binding: string | undefined;
  readonly language: FlowLanguage;
}

/** The language of one flow's pages, which each step of it keeps in its interaction. */
export interface FlowLanguage {
  /** That the flow asked for (`ui_locales`); undefined: what the browser prefers counts. */
  asked(): Language | undefined;
  /** Takes the language for the pages of this request and for the steps after it. Undefined changes nothing. */
  ask(language: Language | undefined): void;
}

/** What a browser gets: a page or a redirect (303), and cookies. */
export type BrowserAnswer = ({ readonly page: Page } | { readonly redirect: string }) & {
  /** The value of the session's cookie from here on; `null`: the browser is to forget it. */
  readonly session?: string | null;
  readonly binding?: string;
  /** Further `Set-Cookie` lines. */
  readonly cookies?: readonly string[];
};
