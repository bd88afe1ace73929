/** What webhooks are told of: what waits for a person. */
export const WEBHOOK_TYPES = ["approval.requested", "tool.held"] as const;
export type WebhookType = (typeof WEBHOOK_TYPES)[number];

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
