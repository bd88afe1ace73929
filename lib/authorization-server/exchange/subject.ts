import type { Connector } from "../../connectors/connectors.ts";
import type { JsonObject } from "../../kernel/json.ts";
import type { Lineage } from "../../stores/lineage.ts";
import type { StoppableRecord } from "../../stores/stop-subjects.ts";
import type { RequestContext } from "../../telemetry/request-context.ts";

/** One party of a delegation (RFC 8693 §4.1). */
export interface Actor {
  readonly sub: string;
  /** Absent: this issuer. */
  readonly iss?: string;
  /** The client that acts for `sub`, where it is not `sub` itself. */
  readonly client_id?: string;
}

/** The content of a subject token of any issuer. It is active and meant for the caller. Times in milliseconds. */
export interface Subject {
  /** The person, or the agent itself. */
  readonly subject: string;
  /** The client to which the token was issued. It acts, unless an actor token names another party. */
  readonly client: Actor;
  readonly organizationId?: string;
  readonly expiresAt: number;
  /** The lineage of the new token without its own id. It joins the subject's chain, or begins one. */
  readonly lineage: Omit<Lineage, "tokenId">;
  /** What the token that was presented is of, as far as stops ask (D171). */
  readonly presented: StoppableRecord;
  /** `act`, `may_act`, claims about the sign-in, and claims of the person. */
  readonly claims: JsonObject;
}

/** What the check of other issuers' tokens needs. */
export interface ExchangeContext extends Pick<RequestContext, "waitUntil"> {
  readonly connectors: readonly Connector[];
}
