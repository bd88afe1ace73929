import type { Wish } from "./client-requests.ts";
import type { Grants } from "./journal.ts";
import type { Random } from "./random.ts";

const SCOPES = ["audit:read", "tools:read", "books:read", "books:write", "notes:read", "notes:write"];
const RESOURCES = ["https://books.example/api", "https://notes.example/api"];

/** What an owner might grant: some of everything. */
export function anyGrants(random: Random): Grants {
  return {
    scopes: SCOPES.filter(() => random.chance(0.6)),
    resources: RESOURCES.filter(() => random.chance(0.7)),
  };
}

/** What a client might ask for, granted or not: mostly everything it has, so that what was taken away would show. */
export function anyWish(random: Random): Wish {
  const resource = random.chance(0.5) ? random.pick(RESOURCES) : undefined;
  const scope = random.chance(0.3) ? random.pick(SCOPES) : undefined;
  return { ...(resource !== undefined && { resource }), ...(scope !== undefined && { scopes: [scope] }) };
}
