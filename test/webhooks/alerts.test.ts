import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ALERT_TYPES } from "../../lib/config/webhook-configuration.ts";
import { STORES, type Stores } from "../../lib/stores/stores.ts";
import { alertingStores } from "../../lib/webhooks/alerts.ts";
import { askToken, codeForm, startChain, startWithApps } from "../support/chains.ts";
import { type InProcess, inProcessConfiguration } from "../support/in-process.ts";
import { startWebhookReceiver, type WebhookReceiver } from "../support/webhook-receiver.ts";

/** The operations that write records of alerts. All others stay what they are: those of calls above all. */
const TELLING = [
  "directory.createFirstOwner",
  "members.changeRole",
  "members.removeMember",
  "invitations.acceptInvitation",
  "apiClients.create",
  "apiClients.addKeyPair",
  "grants.redeem",
  "grants.rotate",
  "stops.replaceStops",
  "deployments.replaceDeployment",
  "auditLog.append",
];

describe("82. alerts", () => {
  let desk: WebhookReceiver;
  let product: InProcess;
  beforeAll(async () => {
    desk = await startWebhookReceiver();
    const { url, secret } = desk;
    const webhooks = [{ name: "desk", url, secrets: [secret], types: ALERT_TYPES }];
    const console = { ...inProcessConfiguration.console, enabled: true };
    product = await startWithApps({ webhooks, console });
    // Receivers refuse what is signed at another time.
    product.clock.set(Date.now());
  });
  afterAll(async () => {
    await product.close();
    await desk.stop();
  });

  const ports = { configuration: () => ({ configuration: inProcessConfiguration }), webhooks: () => undefined };

  test("82. what ends because a code came twice is told, and the first use of it is not", async () => {
    const { code, grant } = await startChain(product);
    await askToken(product, "agent", codeForm(code));
    await product.settled();
    expect(desk.messages).toEqual([]);
    await askToken(product, "agent", codeForm(code));
    await product.settled();
    const [{ id, type, data } = expect.fail(), ...others] = desk.messages;
    expect([type, others]).toEqual(["token.revoked", []]);
    expect(data).toMatchObject({
      reason: "authorization code used again",
      details: { chainId: grant.chainId },
      url: expect.stringContaining(`/console/audit?instance=true&record=${id}`),
    });
    const filter = { organizationId: undefined, type: "token.revoked" };
    const { items } = await product.dependencies.stores.auditLog.query(filter, { limit: 10, cursor: undefined });
    expect(items.map((event) => event.id)).toEqual([id]);
    expect(JSON.stringify(data)).not.toContain(code);
  });

  test("82. no operation is touched but those that write such records: a call of a tool is as it was", () => {
    const { stores, logScope } = product.dependencies;
    const telling = alertingStores({ ...ports, stores, logScope });
    const touched = Object.entries(STORES).flatMap(([store, table]) =>
      Object.keys(table)
        .filter((name) => operation(telling, store, name) !== operation(stores, store, name))
        .map((name) => `${store}.${name}`),
    );
    expect(touched.toSorted()).toEqual(TELLING.toSorted());
  });
});

function operation(stores: Stores, store: string, name: string): unknown {
  const port = stores[store as keyof Stores] as unknown as Readonly<Record<string, unknown>>;
  return port[name];
}
