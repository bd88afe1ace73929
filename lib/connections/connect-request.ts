import { sha256base64url } from "#sha256";
import type { Clock } from "../kernel/clock.ts";
import { base64url, fromBase64url } from "../kernel/encoding.ts";
import type { JsonObject } from "../kernel/json.ts";
import type { Random } from "../kernel/random.ts";
import type { ConnectionKey } from "../stores/connections.ts";
import type { Grants } from "../stores/grants.ts";
import type { AskingSession } from "./person-connections.ts";

/** What a person is asked to connect: what the link that an agent got leads to. */
export interface ConnectRequest {
  readonly organizationId: string;
  /** Who has to open the link: whose call needs the account (`personId`). */
  readonly person: string;
  readonly app: string;
  /** Name of the `oauth` connector. */
  readonly connector: string;
  /** Client id of the agent that asked; empty: the person themself, in a browser. */
  readonly agent: string;
  /** Of its token, where that is not this instance's own. */
  readonly agentIssuer?: string;
  /** The connection is to serve that agent alone. */
  readonly perAgent: boolean;
  /** All that the provider is asked for: what is granted already, and what is missing. */
  readonly scopes: readonly string[];
  /** The agent's session, which is told when the person has connected; absent: it has none. */
  readonly session?: AskingSession;
  /** Absolute URL of the page of a web app to which the person comes back; absent: they go back to their agent. */
  readonly returnTo?: string;
}

/** A request with the id that its link names it by. */
export interface FoundConnectRequest {
  readonly id: string;
  readonly revision: number;
  readonly request: ConnectRequest;
}

/** What requests are stored with. */
export interface ConnectRequestPorts {
  readonly clock: Clock;
  readonly random: Random;
  readonly stores: { readonly grants: Pick<Grants, "begin" | "interaction" | "advance" | "finish"> };
}

/** How long a link is good, and again from when the person goes on to the provider; milliseconds. */
export const CONNECT_LIFETIME = 600_000;

/** Stores a request. The id is 128 random bits and no credential: it lets nobody do anything but the person of the request. */
export async function storeConnectRequest(
  request: ConnectRequest,
  { clock, random, stores }: ConnectRequestPorts,
): Promise<string> {
  const id = base64url(random.bytes(BYTES));
  await stores.grants.begin({
    interactionHash: sha256base64url(id),
    revision: 1,
    content: contentOf(request),
    expiresAt: clock.now() + CONNECT_LIFETIME,
  });
  return id;
}

/** The request of a link; undefined when it was answered or is over, and for every text that is no id. */
export async function findConnectRequest(
  id: string,
  { clock, stores }: Omit<ConnectRequestPorts, "random">,
): Promise<FoundConnectRequest | undefined> {
  if (!isConnectId(id)) return undefined;
  const record = await stores.grants.interaction(sha256base64url(id), clock.now());
  // Sign-ins lie in the same table. Their secrets are longer, so that no id names one.
  const request = record?.content.connect as ConnectRequest | undefined;
  return record && request && { id, revision: record.revision, request };
}

/** The person is at work on it: it is good for another ten minutes. Nothing happens where another tab just did the same. */
export async function prolongConnectRequest(
  { id, revision, request }: FoundConnectRequest,
  { clock, stores }: Omit<ConnectRequestPorts, "random">,
): Promise<void> {
  const now = clock.now();
  const interactionHash = sha256base64url(id);
  const expiresAt = now + CONNECT_LIFETIME;
  await stores.grants.advance({ interactionHash, revision: revision + 1, content: contentOf(request), expiresAt }, now);
}

/** Takes it away: true for exactly one caller. */
export async function finishConnectRequest(
  { id, revision }: FoundConnectRequest,
  { clock, stores }: Omit<ConnectRequestPorts, "random">,
): Promise<boolean> {
  return stores.grants.finish(sha256base64url(id), revision, clock.now());
}

/** What the connection will be known by. */
export function connectionKeyOf(
  request: Omit<ConnectRequest, "connector" | "scopes" | "session" | "returnTo">,
): ConnectionKey {
  const { organizationId, person, app } = request;
  return { organizationId, person, app, agent: connectionAgent(request) };
}

/** The agent that a connection is for. One of another server is known by both names; empty: every agent of the person. */
export function connectionAgent({
  agent,
  agentIssuer,
  perAgent,
}: Pick<ConnectRequest, "agent" | "agentIssuer" | "perAgent">): string {
  if (!perAgent) return "";
  return agentIssuer === undefined ? agent : JSON.stringify([agentIssuer, agent]);
}

const BYTES = 16;

function isConnectId(text: string): boolean {
  return text.length === 22 && fromBase64url(text)?.length === BYTES;
}

function contentOf(request: ConnectRequest): JsonObject {
  return { connect: request };
}
