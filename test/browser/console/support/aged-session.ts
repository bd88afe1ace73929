import { createHash } from "node:crypto";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Stage } from "./stage.ts";
import type { Visitor } from "./visitor.ts";

/** Makes a visitor's session older, as time does: of a server on Node with SQLite. */
export async function ageSession({ server }: Stage, { context }: Visitor, milliseconds: number): Promise<void> {
  const cookies = await context.cookies(server.url);
  const hashes = cookies.map(({ value }) => createHash("sha256").update(value).digest("base64url"));
  const store = new DatabaseSync(join(server.store, "countersign.db"));
  try {
    store.exec("PRAGMA busy_timeout = 5000");
    const age = store.prepare("UPDATE browser_sessions SET created_at = created_at - ? WHERE session_hash = ?");
    const changed = hashes.map((hash) => Number(age.run(milliseconds, hash).changes));
    if (!changed.includes(1)) throw new Error("the visitor has no session");
  } finally {
    store.close();
  }
}
