import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { settingsKey } from "../../infra/aws/dynamodb/keys.ts";
import { clientIds } from "../../lib/api-clients/client-id.ts";
import { webCryptoRandom } from "../../lib/kernel/random.ts";
import {
  answerOf,
  createSigner,
  manage,
  type Owner,
  requestToken,
  type Signer,
  setUpOwner,
  startRegions,
} from "../behaviour/fixture.ts";
import { lambda } from "../runtimes/lambda.ts";
import { joinDynamo, type RunningDynamo } from "../support/dynamodb.ts";
import type { RunningRegions } from "../support/runtime.ts";
import { refusal } from "./context.ts";

describe("requests to DynamoDB that refused assertions cause", () => {
  let dynamo: RunningDynamo;
  let counter: Counter;
  let regions: RunningRegions;
  let owner: Owner;

  beforeAll(async () => {
    dynamo = await joinDynamo();
    counter = await countRequests(dynamo.endpoint);
    regions = await startRegions(lambda(() => ({ ...dynamo, endpoint: counter.url })));
    owner = await setUpOwner(regions.us);
  });
  afterAll(async () => {
    await regions.stop();
    await counter.stop();
    await dynamo.stop();
  });

  const operationsFor = async (signer: Signer, header: Readonly<Record<string, unknown>>, description: string) => {
    counter.operations.length = 0;
    const answer = await answerOf(requestToken(regions.us, signer, { header }));
    expect(answer).toMatchObject(refusal(description));
    return [...counter.operations];
  };

  test("7. a forged signature and an unknown kid cause one read and no write each", async () => {
    const signer = await createSigner(owner);
    const forger = { ...signer, key: (await createSigner(owner)).key };
    const forged = await operationsFor(forger, { kid: signer.key.fingerprint }, "invalid JWT signature");
    const unknownKid = await operationsFor(signer, { kid: "unknown" }, "invalid JWT signature");
    expect([forged, unknownKid]).toEqual([READ, READ]);
  });

  test("7. a forged signature that a revoked key might have made causes one more read behind the answer, and no write", async () => {
    const signer = await createSigner(owner);
    const forger = { ...signer, key: (await createSigner(owner)).key };
    await operationsFor(forger, { kid: forger.key.fingerprint }, "invalid JWT signature");
    await expect.poll(() => [...counter.operations]).toEqual([...READ, ...READ]);
  });

  test("7. the id of a deleted client causes one read", async () => {
    const signer = await createSigner(owner);
    expect((await manage(owner, "DELETE", `/api-clients/${signer.clientId}`)).status).toBe(204);
    expect(await operationsFor(signer, {}, "invalid client")).toEqual(READ);
  });

  test("7. invented client ids and headers that cannot verify cause no request at all", async () => {
    const signer = await createSigner(owner);
    const otherSecret = clientIds(webCryptoRandom.bytes(32)).create(webCryptoRandom);
    for (const clientId of [otherSecret, "client_x", ""]) {
      expect(await operationsFor({ ...signer, clientId }, {}, "invalid client")).toEqual([]);
    }
    for (const header of [{ alg: "none" }, { crit: [] }, { kid: 1 }]) {
      expect(await operationsFor(signer, header, "invalid JWT signature")).toEqual([]);
    }
  });

  test("8. the read of a client asks for what was written last", async () => {
    const signer = await createSigner(owner);
    const forger = { ...signer, key: (await createSigner(owner)).key };
    counter.bodies.length = 0;
    await requestToken(regions.us, forger);
    const reads = counter.bodies.filter((body) => body.includes(signer.clientId));
    expect(reads.length).toBeGreaterThan(0);
    for (const body of reads) expect(body).toContain('"ConsistentRead":true');
  });
});

const READ = [expect.stringMatching(/^(BatchGetItem|GetItem|Query)$/)];

interface Counter {
  readonly url: string;
  /** Names of the operations that were asked for, such as `GetItem`. */
  readonly operations: string[];
  readonly bodies: string[];
  stop(): Promise<void>;
}

/** An instance looks at the gateway's settings every two seconds, whoever comes with whatever. */
const SETTINGS = JSON.stringify(settingsKey.sk);

/** Stands before DynamoDB and writes down what passes. */
async function countRequests(endpoint: string): Promise<Counter> {
  const operations: string[] = [];
  const bodies: string[] = [];
  const server = createServer(async (incoming, outgoing) => {
    const body = await readAll(incoming);
    const text = body.toString("utf8");
    if (!text.includes(SETTINGS)) operations.push(String(incoming.headers["x-amz-target"]).split(".")[1] ?? "");
    bodies.push(text);
    const { host: _, connection: __, ...headers } = incoming.headers as Record<string, string>;
    const answer = await fetch(endpoint, {
      method: "POST",
      headers: { ...headers, "accept-encoding": "identity" },
      body,
    });
    outgoing.writeHead(answer.status, Object.fromEntries(answer.headers));
    outgoing.end(Buffer.from(await answer.arrayBuffer()));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, operations, bodies, stop: () => stop(server) };
}

async function readAll(incoming: IncomingMessage): Promise<Buffer<ArrayBuffer>> {
  const pieces: Buffer[] = [];
  for await (const piece of incoming) pieces.push(piece as Buffer);
  return Buffer.concat(pieces);
}

function stop(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
