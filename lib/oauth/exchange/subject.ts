import type { Connector } from "../../connectors/connectors.ts";
import type { RequestContext } from "../../dependencies.ts";
import type { JsonObject } from "../../json.ts";
import type { Lineage } from "../../stores/lineage.ts";
import type { Actor } from "./actors.ts";

/** What a subject token says, wherever it comes from; it is active and meant for the caller. Times in milliseconds. */
export interface Subject {
  /** The person, or the agent itself. */
  readonly subject: string;
  /** Whom the token was issued to: the one who acts, unless an actor token names another. */
  readonly client: Actor;
  readonly organizationId?: string;
  readonly expiresAt: number;
  /** Of the exchanged token, all but its own id: it joins the subject's chain, or begins one. */
  readonly lineage: Omit<Lineage, "tokenId">;
  /** `act`, `may_act`, what is known of the sign-in, and claims of the person. */
  readonly claims: JsonObject;
}

/** What it takes to judge tokens of other issuers. */
export interface ExchangeContext extends Pick<RequestContext, "waitUntil"> {
  readonly connectors: readonly Connector[];
}
