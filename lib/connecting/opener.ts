import { isOfCurrentIssuer } from "../authorization-server/authorize/signed-in-person.ts";
import type { OAuthClient } from "../authorization-server/clients/client.ts";
import { findClient } from "../authorization-server/clients/find-client.ts";
import { signInConnectors } from "../config/oauth-features.ts";
import type { ConnectRequest } from "../connections/connect-request.ts";
import type { Connector } from "../connectors/connectors.ts";
import { resumeBrowserSession, signInsOf } from "../directory/browser-sessions.ts";
import { stopOfPerson } from "../directory/stopped-person.ts";
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
 * Where the person of a request may sign in: at the connectors of the agent that asked. An agent that is no client here brought a
 * token of another server; which of the connectors its people know, its person has to tell.
 */
export async function connectorsFor(
  request: ConnectRequest,
  { dependencies, connectors }: ConnectContext,
): Promise<readonly Connector[]> {
  const { configuration } = dependencies.configuration();
  const client = await ownClient(request, dependencies);
  const names =
    client === undefined || client.connectors.length === 0
      ? signInConnectors(configuration).map(({ name }) => name)
      : client.connectors;
  return connectors.filter(({ settings }) => names.includes(settings.name));
}

/** What a person may know the agent by, beside its id: a name that it may have chosen itself. */
export async function agentName(
  request: ConnectRequest,
  { dependencies }: ConnectContext,
): Promise<string | undefined> {
  const { agent, agentIssuer, organizationId } = request;
  if (agentIssuer !== undefined) return undefined;
  const client = await ownClient(request, dependencies);
  return client?.name ?? (await dependencies.stores.apiClients.get(organizationId, agent))?.name;
}

/** An agent of another server may have the id of a client of ours, and is none. */
async function ownClient(
  { agent, agentIssuer }: ConnectRequest,
  dependencies: ConnectContext["dependencies"],
): Promise<OAuthClient | undefined> {
  return agentIssuer === undefined ? findClient(agent, dependencies) : undefined;
}
