import { openEmbeddedStore } from "../../../../infra/node/sqlite/embedded-store.ts";
import { systemClock } from "../../../../lib/kernel/clock.ts";
import type { Me } from "../../../../lib/management/schemas/profile.ts";
import { personId } from "../../../../lib/stores/identities.ts";
import type { Stores } from "../../../../lib/stores/stores.ts";
import { connected } from "../../../contract/connection-records.ts";
import { auditEvent } from "../../../contract/records.ts";
import { request } from "./requests.ts";
import type { ConsoleServer } from "./server.ts";
import type { Visitor } from "./visitor.ts";

/** An agent that has a connection for itself alone. */
export const AGENT = "https://agent.example/client.json";
const HOUR = 3_600_000;

/** One connection of the owner, and two of others of the organization: one in each state. */
export async function connectPeople(server: ConsoleServer, owner: Visitor): Promise<void> {
  const { organizationId } = await request<Me>(server, owner, "GET", "/me");
  const store = openEmbeddedStore(server.store, systemClock);
  try {
    const { stores } = store;
    const person = await linkAccount(stores, server, owner);
    await connected(stores, { organizationId, person, account: { id: "1815", label: "ada-lovelace" } });
    await connected(stores, {
      ...{ organizationId, app: "wiki", agent: AGENT, state: "reconnect" },
      ...{ account: { id: "1906", label: "grace" }, lastUsedAt: Date.now() - 30 * HOUR },
    });
    await connected(stores, {
      ...{ organizationId, app: "calendar", connector: "google", state: "uncertain", account: { id: "1912" } },
      ...{ scopes: ["openid", "email", "https://www.googleapis.com/auth/calendar.readonly"] },
      lastUsedAt: Date.now() - HOUR,
    });
  } finally {
    await store.close();
  }
}

/** Links an account with the visitor; resolves to how grants and connections name it. */
export async function linkAccount(
  { identities }: Pick<Stores, "identities">,
  server: ConsoleServer,
  visitor: Visitor,
  { connector, issuer } = { connector: "oidc", issuer: "https://id.library.example" },
): Promise<string> {
  const { userId, organizationId } = await request<Me>(server, visitor, "GET", "/me");
  const account = { issuer, subject: "ada" };
  await identities.linkIdentity(
    { ...account, userId, connector, label: "ada", createdAt: Date.now() },
    auditEvent({ type: "identity.linked", organizationId }),
  );
  return personId(account);
}
