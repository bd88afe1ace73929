import { PassThrough } from "node:stream";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { dynamoStores } from "../../infra/aws/dynamodb/stores.ts";
import { createHandler } from "../../infra/aws/handler.ts";
import { sessionMaintenance } from "../../infra/aws/session-maintenance.ts";
import { background } from "../../infra/background.ts";
import { systemClock } from "../../lib/kernel/clock.ts";
import { webCryptoRandom } from "../../lib/kernel/random.ts";
import type { Logger } from "../../lib/logging/logger.ts";
import { joinDynamo, LOCAL_CREDENTIALS, LOCAL_REGION, type RunningDynamo } from "../support/dynamodb.ts";
import { eventOf } from "./support/event.ts";
import { splitAnswer } from "./support/http-integration.ts";
import { provideAwslambda } from "./support/in-process-runtime.ts";
import { begun, recorded, sessionFrom } from "./support/sessions.ts";

const MINUTE = 60_000;

describe("with requests, an instance sweeps agents' sessions", () => {
  test("at the first one and then once a minute", async () => {
    const { ask, swept } = instance();
    for (const now of [5, 6, 4 + MINUTE, 5 + MINUTE, 6 + MINUTE, 5 + 2 * MINUTE]) await ask(now);
    expect(swept).toEqual([5, 5 + MINUTE, 5 + 2 * MINUTE]);
  });

  test("at the next one when a sweep left some over", async () => {
    const { ask, swept, more } = instance();
    more.push(true, true, false);
    for (const now of [1, 2, 3, 4, 5]) await ask(now);
    expect(swept).toEqual([1, 2, 3]);
  });

  test("when its clock was set back by more than that", async () => {
    const { ask, swept } = instance();
    for (const now of [10 * MINUTE, 9 * MINUTE, 9 * MINUTE + 1]) await ask(now);
    expect(swept).toEqual([10 * MINUTE, 9 * MINUTE]);
  });

  test("once at a time", async () => {
    const { ask, swept, more, holdUp } = instance();
    more.push(true);
    const release = holdUp();
    const first = ask(1);
    await ask(2);
    release();
    await first;
    expect(swept).toEqual([1]);
  });

  test("and a failure is one warning, and not tried again before it is time", async () => {
    const { ask, swept, more, warnings } = instance();
    more.push(new Error("out of reach"));
    for (const now of [1, 2, 1 + MINUTE]) await ask(now);
    expect(swept).toEqual([1, 1 + MINUTE]);
    expect(warnings).toEqual([["housekeeping failed", { cause: "Error: out of reach" }]]);
  });
});

describe("the Lambda handler", () => {
  let dynamo: RunningDynamo;
  beforeAll(async () => {
    provideAwslambda();
    dynamo = await joinDynamo();
  });
  afterAll(() => dynamo.stop());

  test("records behind any answer what expired while nobody asked for anything", async () => {
    const client = dynamo.client();
    const tables = await dynamo.createTables();
    const stores = dynamoStores({ client, tables, clock: systemClock, random: webCryptoRandom });
    const [over, live] = [sessionFrom(Date.now() - 24 * 60 * MINUTE), sessionFrom(Date.now())];
    for (const session of [over, live]) await begun(stores, session);
    const handler = await createHandler({
      artifact: {
        format: 1,
        source: "countersign.yaml",
        document: { version: "1", http: { publicURL: "https://id.example" } },
        placeholders: [],
        positions: {},
        catalogs: {},
      },
      environment: {
        AWS_REGION: LOCAL_REGION,
        AWS_ENDPOINT_URL_DYNAMODB: dynamo.endpoint,
        AWS_ACCESS_KEY_ID: LOCAL_CREDENTIALS.accessKeyId,
        AWS_SECRET_ACCESS_KEY: LOCAL_CREDENTIALS.secretAccessKey,
        RECORDS_TABLE: tables.records,
        SESSIONS_TABLE: tables.sessions,
        AUDIT_TABLE: tables.audit,
        ORIGIN_SECRET: "a secret between two services",
      },
      write: () => undefined,
    });
    expect(await recorded(stores, "session.expired")).toEqual([]);
    const headers = { "x-countersign-origin": "a secret between two services" };
    const stream = new PassThrough();
    // Until it returns the instance runs, and not after.
    await handler(eventOf({ path: "/nowhere", headers }), stream);
    expect((await splitAnswer(stream))?.metadata.statusCode).toBe(404);
    expect(await recorded(stores, "session.expired")).toEqual([over.sessionHash]);
    expect(await stores.mcpSessions.get(live.sessionHash, Date.now())).toEqual(live);
    client.destroy();
  });
});

/** An instance whose sweeps give what is in `more`, and then that nothing is left. */
function instance() {
  const swept: number[] = [];
  const more: (boolean | Error)[] = [];
  const warnings: unknown[] = [];
  let now = 0;
  let held: Promise<void> | undefined;
  const ignore = () => undefined;
  const logger: Logger = {
    ...{ debug: ignore, info: ignore, error: ignore },
    warn: (...entry) => warnings.push(entry),
    with: () => logger,
  };
  const maintenance = sessionMaintenance({
    sweep: async () => {
      swept.push(now);
      await held;
      const next = more.shift() ?? false;
      if (next instanceof Error) throw next;
      return next;
    },
    clock: { now: () => now },
    logger,
  });
  const ask = async (at: number) => {
    now = at;
    const { waitUntil, finish } = background();
    maintenance(waitUntil);
    await finish();
  };
  const holdUp = () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    held = promise;
    return resolve;
  };
  return { ask, swept, more, warnings, holdUp };
}
