/** What a limit allows. */
export interface LimitTerms {
  readonly name: string;
  readonly quota: number;
  /** Milliseconds. */
  readonly period: number;
  readonly burst: number;
  readonly calendar?: "day" | "month";
  readonly exact: boolean;
  readonly unavailable: "deny" | "allow";
}
export interface LimitClaim {
  readonly terms: LimitTerms;
  /** partition, e.g. `client/…` */
  readonly key: string;
  readonly amount: number;
}
/** Facts for headers and messages. Seconds, rounded up. */
export interface LimitState {
  readonly name: string;
  readonly quota: number;
  readonly window: number;
  readonly remaining: number;
  readonly reset: number;
}
export type LimitVerdict =
  | { readonly outcome: "granted"; readonly states: readonly LimitState[] }
  | { readonly outcome: "refused"; readonly state: LimitState; readonly retryAfter: number }
  | { readonly outcome: "unavailable"; readonly name: string; readonly retryAfter: number };
export interface Limiter {
  take(claims: readonly LimitClaim[]): LimitVerdict | Promise<LimitVerdict>;
  /** In flight in this process; undefined when full; call the result once, in `finally`. */
  enter(name: string, key: string, most: number): (() => void) | undefined;
}
