/** What waits for a person. */
const WAITING_TYPES = ["approval.requested", "tool.held"] as const;
/**
 * What somebody should know of at once, by the type of its audit record. Of `sign_in.succeeded` only those with a setup token or a
 * sign-in link, of `token.revoked` only the chains that end because a code or refresh token was used twice. Types that are written
 * outside of requests are not here: no instance could promise to tell them (D272).
 */
export const ALERT_TYPES = [
  "member.added",
  "member.role_changed",
  "member.removed",
  "organization.deleted",
  "sign_in.succeeded",
  "api_client.created",
  "key_pair.added",
  "token.revoked",
  "stop.placed",
  "stop.lifted",
  "config.proposed",
  "config.published",
] as const;

/** What webhooks are told of. */
export type AlertType = (typeof ALERT_TYPES)[number];
export type WebhookType = (typeof WAITING_TYPES)[number] | AlertType;

/** Names of types, as a document has them: `alerts` is all of `ALERT_TYPES`, also those of later releases. */
export const WEBHOOK_TYPE_NAMES = [...WAITING_TYPES, "alerts", ...ALERT_TYPES] as const;
/** Of webhooks that name none. */
export const DEFAULT_WEBHOOK_TYPES = WAITING_TYPES;

/** The types that a list of names stands for, each once. */
export function webhookTypes(names: readonly (typeof WEBHOOK_TYPE_NAMES)[number][]): readonly WebhookType[] {
  return [...new Set(names.flatMap((name) => (name === "alerts" ? ALERT_TYPES : [name])))];
}

/** A receiver of notices (Standard Webhooks 1.0.0). */
export interface WebhookConfiguration {
  /** For the log. */
  readonly name: string;
  /** May hold a secret of the receiver's. */
  readonly url: string;
  /** `whsec_` and base64. All sign. */
  readonly secrets: readonly string[];
  readonly types: readonly WebhookType[];
  /** An entry of `tls`. */
  readonly tls?: string;
}
