import type { OutboxEntry, OutboxKind } from "../../lib/stores/sql/outbox.ts";
import type { DeliveryFailure } from "./log.ts";

/** How long a recipient may take, milliseconds, before the delivery counts as failed. */
export const PATIENCE = 10_000;

/** Whatever one recipient does, the others' deliveries go on. */
export async function attempt(kind: OutboxKind, deliver: () => Promise<void>): Promise<readonly DeliveryFailure[]> {
  try {
    await deliver();
    return [];
  } catch (cause) {
    return [{ kind, cause }];
  }
}

export function sequencesOf(entries: readonly Pick<OutboxEntry<OutboxKind>, "sequence">[]): readonly number[] {
  return entries.map(({ sequence }) => sequence);
}
