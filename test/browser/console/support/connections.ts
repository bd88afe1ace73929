import { openEmbeddedStore } from "../../../../infra/node/sqlite/embedded-store.ts";
import { systemClock } from "../../../../lib/kernel/clock.ts";
import type { Me } from "../../../../lib/management/schemas/profile.ts";
import { personId } from "../../../../lib/stores/identities.ts";
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
  const { userId, organizationId } = await request<Me>(server, owner, "GET", "/me");
  const account = { issuer: "https://id.library.example", subject: "ada" };
  const store = openEmbeddedStore(server.store, systemClock);
  try {
    const { stores } = store;
    await stores.identities.linkIdentity(
      { ...account, userId, connector: "oidc", label: "ada", createdAt: Date.now() },
      auditEvent({ type: "identity.linked", organizationId }),
    );
    const person = personId(account);
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
