import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { ApiClientRecord } from "../../lib/stores/api-clients.ts";
import { auditEvent } from "../contract/records.ts";
import { eventually } from "../support/eventually.ts";
import { type Fault, type OpenFaultyProduct, openFaultyProduct } from "./support/faulty.ts";
import {
  assertionOf,
  CONFIGURATION,
  clientWith,
  present,
  type SigningKey,
  signingKey,
  VARIABLES,
} from "./support/token-requests.ts";

/** KV that fails in one way, for whoever asks. */
const failing = (how: "refuse" | "hang", ...methods: readonly string[]): readonly Fault[] =>
  methods.map((method) => ({ binding: "CLIENTS", method, how }));

describe("KV that fails", () => {
  let it: OpenFaultyProduct;
  let key: SigningKey;
  let client: ApiClientRecord;
  beforeAll(async () => {
    it = await openFaultyProduct(CONFIGURATION, { ...VARIABLES, TEST_REDELIVERY_DELAY: "1000" });
  });
  beforeEach(async () => {
    await it.set();
    key = await signingKey();
    client = clientWith([key]);
    await it.stores("owner").apiClients.create(client, event());
  });
  afterAll(() => it.close());

  const event = () => auditEvent({ organizationId: client.organizationId });
  const tokenFrom = async (isolate: string) => {
    const fetchToken = (path: string, init: RequestInit) => it.worker.fetch(path, init as never) as never;
    return (await present(fetchToken, await assertionOf(client, key), isolate)).status;
  };
  const entry = async () => (await it.worker.getEnv()).CLIENTS.get(`verification/2/${client.clientId}`);
  const rename = () => it.stores("owner").apiClients.update(client, { name: "Renamed" }, Date.now(), event());

  test.each(["refuse", "hang"] as const)("(%s) leaves token requests to the registry", async (how) => {
    await it.set(...failing(how, "get", "put"));
    for (const isolate of [`${how}-one`, `${how}-two`]) {
      expect(await tokenFrom(isolate)).toBe(200);
      expect(await tokenFrom(isolate)).toBe(200);
    }
    const { calls } = await it.counted();
    expect(calls.filter((call) => call === "REGISTRY.verificationRecord")).toHaveLength(2);
  });

  test.each(["refuse", "hang"] as const)("(%s) holds up no change, and forgets the client later", async (how) => {
    expect(await tokenFrom(`${how}-three`)).toBe(200);
    await eventually(entry, (kept) => kept !== null);
    await it.set(...failing(how, "delete"));
    expect((await rename()).outcome).toBe("done");
    expect(await entry()).not.toBeNull();
    await it.set();
    await eventually(entry, (kept) => kept === null);
  });
});
