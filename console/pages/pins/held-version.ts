import type { AppPins } from "../../../lib/management/schemas/pins.ts";

/** A version that waits, of one app. */
export type HeldVersion = AppPins["held"][number] & { readonly app: string };

/** What is forgotten: one tool, or all of an app. */
export interface Forgetting {
  readonly app: string;
  readonly tool?: string;
}
