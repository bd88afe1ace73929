/** What a limit allows. */
export interface LimitTerms {
  readonly name: string;
  readonly quota: number;
  /** Milliseconds. */
  readonly period: number;
  readonly burst: number;
  readonly calendar?: "day" | "month";
  /** Absent: calls and requests. */
  readonly unit?: LimitUnit;
  readonly exact: boolean;
  readonly unavailable: "deny" | "allow";
}
export interface LimitUnit {
  /** As `qu` has it (draft-ietf-httpapi-ratelimit-headers-11). */
  readonly name: "content-bytes";
  /** How many of it are counted as one: more than one where times have no steps for each. */
  readonly size: number;
}
export interface LimitClaim {
  readonly terms: LimitTerms;
  /** partition, e.g. `client/…` */
  readonly key: string;
  readonly amount: number;
}
/** What a limit allows, for headers and messages. */
export interface LimitPolicy {
  readonly name: string;
  readonly quota: number;
  /** Seconds, rounded up. */
  readonly window: number;
  /** Absent: calls and requests. */
  readonly unit?: LimitUnit["name"];
}
/** Facts for headers and messages. Seconds, rounded up. */
export interface LimitState extends LimitPolicy {
  readonly remaining: number;
  readonly reset: number;
}
export type LimitVerdict =
  | {
      readonly outcome: "granted";
      readonly states: readonly LimitState[];
      /** What was counted was not made after all. Once at most. */
      readonly giveBack: () => void;
    }
  | { readonly outcome: "refused"; readonly state: LimitState; readonly retryAfter: number }
  /** More at once than there ever is. */
  | { readonly outcome: "too_large"; readonly policy: LimitPolicy; readonly most: number }
  | { readonly outcome: "unavailable"; readonly name: string; readonly retryAfter: number };
export interface Limiter {
  take(claims: readonly LimitClaim[]): LimitVerdict | Promise<LimitVerdict>;
  /** In flight in this instance; undefined when full; call the result once, in `finally`. A promise where another process counts. */
  enter(name: string, key: string, most: number): Entered | Promise<Entered>;
}
export type Entered = (() => void) | undefined;
