import { isOfCurrentIssuer } from "../authorization-server/authorize/signed-in-person.ts";
import type { OAuthClient } from "../authorization-server/clients/client.ts";
import { findClient } from "../authorization-server/clients/find-client.ts";
import { signInConnectors, webAppConnectors } from "../config/oauth-features.ts";
import type { ConnectRequest } from "../connections/connect-request.ts";
import type { Connector } from "../connectors/connectors.ts";
import { resumeBrowserSession, signInsOf } from "../directory/browser-sessions.ts";
import { stopOfPerson } from "../directory/stopped-person.ts";
import { ANY_ORGANIZATION, createMemberships } from "../gateway/memberships.ts";
import type { ConnectorSignIn } from "../stores/directory.ts";
import { personId } from "../stores/identities.ts";
import type { ConnectContext } from "./connect-context.ts";

/** Who opens a link, held against whose it is. */
export type Opener =
  /** The one whose call asked for the account. */
  | { readonly kind: "asker"; readonly signIn: ConnectorSignIn; readonly sessionHash: string }
  /** Somebody else, who signed in where the asker does. */
  | { readonly kind: "another"; readonly userId: string }
  /** An administrator keeps the asker out. */
  | { readonly kind: "suspended"; readonly userId: string }
  /** Nobody that could be the asker is signed in. */
  | { readonly kind: "nobody" };

/**
 * Compares the browser's session with the person of a request (checklist 66): issuer and subject of a sign-in, and nothing that
 * two people could have in common. Any sign-in of the session counts.
 */
export async function openerOf(request: ConnectRequest, context: ConnectContext): Promise<Opener> {
  const { dependencies, connectors, browser } = context;
  if (browser.session === undefined) return { kind: "nobody" };
  const session = await resumeBrowserSession(dependencies, browser.session);
  if (session === undefined) return { kind: "nobody" };
  const settings = connectors.map((connector) => connector.settings);
  const signIns = signInsOf(session).filter((one) => isOfCurrentIssuer(one, settings));
  const signIn = signIns.find((one) => personId(one) === request.person);
  if (signIn === undefined) {
    const allowed = await connectorsFor(request, context);
    const other = signIns.find((one) => allowed.some((connector) => connector.settings.name === one.connector));
    return other === undefined ? { kind: "nobody" } : { kind: "another", userId: personId(other) };
  }
  const stop = await stopOfPerson(dependencies, session, request.organizationId);
  if (stop === undefined) return { kind: "asker", signIn, sessionHash: session.sessionHash };
  // A session that was ended is no session; who signs in anew has another one.
  return stop.state === "ended" ? { kind: "nobody" } : { kind: "suspended", userId: personId(signIn) };
}

/**
 * Why what a provider just gave is not kept: who could connect when the link was opened may not any more when the answer is there.
 * Undefined: they may.
 */
export async function endedMeanwhile(
  request: ConnectRequest,
  context: ConnectContext,
): Promise<"another session came back" | "the person is suspended" | "it was stopped" | "no member" | undefined> {
  const opener = await openerOf(request, context);
  if (opener.kind === "suspended") return "the person is suspended";
  if (opener.kind !== "asker") return "another session came back";
  if (await context.accounts.isStopped(request, context.request)) return "it was stopped";
  const { dependencies } = context;
  const app = dependencies.configuration().configuration.apps.find(({ name }) => name === request.app);
  // Nothing remembers here: who was removed a moment ago is no member.
  const memberships = createMemberships(dependencies);
  if (app === undefined || !(await memberships.areRequired("members" in app ? app : {}))) return undefined;
  const { issuer, subject: sub } = opener.signIn;
  // An app for several organizations admits members of any of them; each call is decided on by its own.
  const organization = "isShared" in app && app.isShared ? ANY_ORGANIZATION : request.organizationId;
  const isMember = await memberships.isMember({ issuer, user: { sub } }, organization);
  return isMember ? undefined : "no member";
}

/**
 * Where the person of a request may sign in: at the connectors of the agent that asked, or of the web app. An agent that is no client
 * here brought a token of another server; which of the connectors its people know, its person has to tell.
 */
export async function connectorsFor(
  request: ConnectRequest,
  { dependencies, connectors }: ConnectContext,
): Promise<readonly Connector[]> {
  const { configuration } = dependencies.configuration();
  const client = await ownClient(request, dependencies);
  const { apps } = configuration;
  const own = request.agent === "" ? webAppConnectors({ apps: apps.filter(({ name }) => name === request.app) }) : [];
  const named = client?.connectors ?? own;
  const names = named.length === 0 ? signInConnectors(configuration).map(({ name }) => name) : named;
  return connectors.filter(({ settings }) => names.includes(settings.name));
}

/** What a person may know the agent by, beside its id: a name that it may have chosen itself. */
export async function agentName(
  request: ConnectRequest,
  { dependencies }: ConnectContext,
): Promise<string | undefined> {
  const { agent, agentIssuer, organizationId } = request;
  if (agentIssuer !== undefined || agent === "") return undefined;
  const client = await ownClient(request, dependencies);
  return client?.name ?? (await dependencies.stores.apiClients.get(organizationId, agent))?.name;
}

/** An agent of another server may have the id of a client of ours, and is none. */
async function ownClient(
  { agent, agentIssuer }: ConnectRequest,
  dependencies: ConnectContext["dependencies"],
): Promise<OAuthClient | undefined> {
  return agentIssuer === undefined && agent !== "" ? findClient(agent, dependencies) : undefined;
}
