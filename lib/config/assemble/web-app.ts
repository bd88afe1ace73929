import { canonicalPath } from "../../protocol/http/request-target.ts";
import { parseLocation } from "../../reverse-proxy/locations.ts";
import { parseRoutePattern } from "../../reverse-proxy/routes.ts";
import { assembleWebPolicies } from "../policy-engines.ts";
import { type AppPolicies, compiledOf } from "../policy-plans.ts";
import { OWN_PROVIDER } from "../rules/names.ts";
import type { WebAppConfiguration, WebPolicyConfiguration } from "../web-app-configuration.ts";
import type { WebAppDocument } from "./context.ts";
import { present } from "./context.ts";
import { assembleWebHeaders, type HeaderContext } from "./headers.ts";
import { assembleUserToken } from "./mcp-app.ts";

export interface WebAppContext extends HeaderContext {
  /** Names of the connectors that people can sign in at. */
  readonly signIn: readonly string[];
  /** Policies in Rego, by app name. */
  readonly policies: Readonly<Record<string, AppPolicies>>;
}

/** @param index of the app among all of the document */
export function assembleWebApp(app: WebAppDocument, index: number, context: WebAppContext): WebAppConfiguration {
  const { preserveHost, timeout, maxBody, forwardAuthorization } = app;
  return {
    type: "proxy",
    name: app.name,
    ...present({ organization: app.organization, isShared: app.shared || undefined, members: app.members }),
    routes: app.routePatterns.map(parseRoutePattern).filter((route) => route !== undefined),
    upstream: withoutTrailingSlash(app.upstream),
    stripPrefix: withoutTrailingSlash(pathOf(app.stripPrefix) ?? ""),
    ...{ preserveHost, timeout, maxBody, forwardAuthorization },
    headers: assembleWebHeaders(app.headers, index, context),
    policies: app.policies.flatMap((policy, at) =>
      assemblePolicy(policy, at, context, compiledOf(app.name, context.policies)),
    ),
    allowedOrigins: app.cors.allowedOrigins,
    ...present({
      tls: app.tls,
      assertion: assembleAssertion(app),
      outbound: assembleOutbound(app),
      unauthorizedPage: app.unauthorizedPage,
      errorPage: app.errorPage,
      logoutPath: pathOf(app.logoutURL),
    }),
  };
}

type PolicyDocument = WebAppDocument["policies"][number];

function assemblePolicy(
  { location: written, methods, authentication, authorization }: PolicyDocument,
  index: number,
  { signIn }: WebAppContext,
  compiled: AppPolicies,
): readonly WebPolicyConfiguration[] {
  const location = parseLocation(written);
  // The schema has refused it.
  if ("problem" in location) return [];
  return [
    {
      location,
      ...present({ methods, bearer: authentication?.bearer }),
      allowUnauthenticated: authentication?.allowUnauthenticated ?? false,
      idps: connectorsOf(authentication?.idps ?? [], signIn),
      policies: assembleWebPolicies(authorization, `policies[${index}].`, compiled),
    },
  ];
}

/** Each once, those at which nobody can sign in left out; `oidcProvider` stands for all others. */
function connectorsOf(idps: readonly string[], signIn: readonly string[]): readonly string[] {
  const named = idps.flatMap((name) => (name === OWN_PROVIDER ? signIn : [name]));
  return [...new Set(named)].filter((name) => signIn.includes(name));
}

function assembleOutbound({ authorization }: WebAppDocument): WebAppConfiguration["outbound"] {
  const { type, userToken } = authorization.outbound ?? {};
  return type === "userToken" && userToken !== undefined ? assembleUserToken(userToken) : undefined;
}

function assembleAssertion({ assertion, upstream }: WebAppDocument): WebAppConfiguration["assertion"] {
  if (assertion === undefined) return undefined;
  const { header, claims, lifetime, audience = new URL(upstream).origin } = assertion;
  return { header: header.toLowerCase(), audience, claims, lifetime };
}

/** A canonical path; one that has no such form was refused by the rules. */
function pathOf(written: string | undefined): string | undefined {
  const path = written === undefined ? undefined : canonicalPath(written);
  return typeof path === "string" ? path : undefined;
}

function withoutTrailingSlash(text: string): string {
  return text.endsWith("/") ? text.slice(0, -1) : text;
}
