import type { Configuration } from "../../config/configuration.ts";
import { connectionAgent } from "../../connections/connect-request.ts";
import { isGranted } from "../../connections/granted-scopes.ts";
import { personOf } from "../../connections/person-connections.ts";
import { isRefused } from "../../connections/refresh.ts";
import type { ConnectionKey, ConnectionRecord } from "../../stores/connections.ts";
import type { ConnectionTerms } from "../credentials/person-token.ts";
import type { Identity } from "../identity.ts";
import type { LocatedTool } from "../tool-index.ts";
import { allowed, denied, type ExplainedAccount, type ExplainedStep } from "./explanation.ts";
import type { ExplainPorts } from "./without-store.ts";

/** Of a step about the credential. */
export interface ExplainedConnection {
  readonly step: ExplainedStep;
  readonly account: ExplainedAccount;
}

/**
 * What a call needs of the person's own account, and where the store is looked at, whether the person has connected it. Undefined where
 * calls carry nothing of that kind. Nothing is refreshed, and no provider is asked.
 *
 * @param identity who calls; undefined: the token names nobody
 */
export async function explainAccount(
  { app, connection: terms }: Pick<LocatedTool, "app" | "connection">,
  identity: Identity | undefined,
  { oidcProvider }: Pick<Configuration, "oidcProvider">,
  { connections, clock }: Pick<ExplainPorts, "connections" | "clock">,
): Promise<ExplainedConnection | undefined> {
  if (terms === undefined) return undefined;
  const person = identity && personOf(identity, oidcProvider?.issuer);
  if (identity === undefined || person === undefined) return explainNobody(terms);
  const agentIssuer = identity.issuer === oidcProvider?.issuer ? {} : { agentIssuer: identity.issuer };
  const { perAgent } = terms.outbound;
  const agent = connectionAgent({ agent: identity.agent.clientID, perAgent, ...agentIssuer });
  return explainConnection(app, terms, { person, agent }, { connections, clock });
}

/** Where nobody is behind the call. */
export function explainNobody({ outbound, scopes }: ConnectionTerms): ExplainedConnection {
  const { connector, perAgent } = outbound;
  const step = denied(STEP, `no_person: calls need a person's own account at ${connector}`);
  return { step, account: { connector, scopes, perAgent } };
}

/** @param of the person, and the agent that the connection is for, as connections name them */
export async function explainConnection(
  app: Pick<LocatedTool["app"], "name" | "organization">,
  terms: ConnectionTerms,
  of: Pick<ConnectionKey, "person" | "agent">,
  { connections, clock }: Pick<ExplainPorts, "connections" | "clock">,
): Promise<ExplainedConnection> {
  const { connector, perAgent } = terms.outbound;
  const account = { connector, scopes: terms.scopes, perAgent };
  const needed = `the person's own account at ${connector}${withScopes(terms)}`;
  if (connections === undefined) {
    return { step: allowed(STEP, `${needed}, if the person has connected it`), account };
  }
  const record = await connections.find(app, { ...of, app: app.name });
  const { state, missing } = stateOf(record, terms, clock.now());
  const explained = { ...account, state, ...(missing.length > 0 && { missing }) };
  if (state === "connected") return { step: allowed(STEP, `${needed}, which is connected`), account: explained };
  return { step: denied(STEP, `not connected: ${REASONS[state]}; needs ${needed}`), account: explained };
}

const STEP = "credential";

function withScopes({ scopes }: ConnectionTerms): string {
  return scopes.length === 0 ? "" : ` with the scopes ${scopes.join(" ")}`;
}

type Lack = Exclude<NonNullable<ExplainedAccount["state"]>, "connected">;

const REASONS: Readonly<Record<Lack, string>> = {
  none: "there is no connection",
  reconnect: "the provider takes its tokens no more, and the person has to connect again",
  scopes: "scopes are missing, and the person has to allow them",
};

/** As the call itself would find it (`lib/connections/connections.ts`), but for what only the provider knows. */
function stateOf(
  record: ConnectionRecord | undefined,
  { outbound, scopes }: ConnectionTerms,
  now: number,
): { readonly state: NonNullable<ExplainedAccount["state"]>; readonly missing: readonly string[] } {
  if (record === undefined || record.state === "deleted" || record.connector !== outbound.connector) {
    return { state: "none", missing: [] };
  }
  const { state, expiresAt = Number.POSITIVE_INFINITY, canRefresh } = record;
  const isLost = state === "reconnect" || (expiresAt <= now && (!canRefresh || isRefused(record)));
  if (isLost) return { state: "reconnect", missing: [] };
  const missing = scopes.filter((scope) => !isGranted(scope, record.scopes));
  return { state: missing.length > 0 ? "scopes" : "connected", missing };
}
