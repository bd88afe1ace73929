import type { Status } from "../kernel/fetch-state.ts";

/** A part of the instance that it does not work without, and that can come up by itself. */
export interface Component {
  /** What health calls it: its kind, a colon and its name, none of them a secret. */
  readonly name: string;
  status(): Status;
  /** Whether `attempt` would do something. */
  isDue(): boolean;
  /** Tries to bring it up, or to refresh what it knows. Never rejects; nothing comes of it once the signal aborts. */
  attempt(signal?: AbortSignal): Promise<void>;
}

/** Where work goes on that nobody waits for. */
export interface Maintenance {
  readonly waitUntil: (work: Promise<void>) => void;
  /** Ends what was begun. */
  readonly signal?: AbortSignal;
}

/** Begins what is due. */
export function refreshDue(components: readonly Component[], { waitUntil, signal }: Maintenance): void {
  for (const component of components) if (component.isDue()) waitUntil(component.attempt(signal));
}
