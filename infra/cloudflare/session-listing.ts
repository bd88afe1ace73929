import type { SqlDatabase } from "../../lib/stores/sql/database.ts";
import { type ListedSession, pendingOutbox, settleOutbox } from "../../lib/stores/sql/outbox.ts";
import { attempt, PATIENCE, sequencesOf } from "./delivery.ts";
import type { StateBindings } from "./env.ts";
import type { DeliveryFailure } from "./log.ts";
import { registryOf } from "./objects.ts";
import { within } from "./patience.ts";
import { repeatedly } from "./repeat.ts";

/** More than one session ever leaves: it begins and it ends. */
const ENTRIES = 10;

/** Tells the registry whether a session is to be listed. Of several entries the last one counts. */
export async function deliverListings(db: SqlDatabase, env: StateBindings): Promise<readonly DeliveryFailure[]> {
  const entries = pendingOutbox(db, "listing", { limit: ENTRIES });
  const last = entries.at(-1);
  if (last === undefined) return [];
  const { session, isOver } = last.message;
  return attempt("listing", async () => {
    await within(PATIENCE, isOver ? unlist(env, [session]) : list(env, session));
    settleOutbox(db, sequencesOf(entries));
  });
}

/** A registry that still runs the former release has no such methods: the entries stay until it runs this one. */
function list(env: StateBindings, session: ListedSession): Promise<void> {
  return repeatedly(async () => registryOf(env).listSession(session));
}

export function unlist(env: StateBindings, sessions: readonly ListedSession[]): Promise<void> {
  return repeatedly(async () => registryOf(env).unlistSessions(sessions));
}
