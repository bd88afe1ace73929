import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ListTablesCommand, ScanCommand } from "@aws-sdk/client-dynamodb";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { RESOURCE_SERVER } from "../behaviour/configuration.ts";
import {
  assertionParameters,
  basic,
  createSigner,
  issueToken,
  postForm,
  setUpOwner,
  signAssertion,
  startRegions,
  tokenEndpointOf,
  tokenParameters,
} from "../behaviour/fixture.ts";
import { bareWorkerd } from "../runtimes/bare-workerd.ts";
import { lambda } from "../runtimes/lambda.ts";
import { node } from "../runtimes/node.ts";
import { type RunningDynamo, startDynamo } from "../support/dynamodb.ts";
import { type RunningRegions, SETUP_TOKEN } from "../support/runtime.ts";
import { pemLines } from "../support/secret-looks.ts";

const JTI = "a-jti-to-look-for-0123456789";

describe("what a store keeps of what is secret", () => {
  /** Everything that this test's processes write to disk. */
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "countersign-stored-"));
    vi.stubEnv("TMPDIR", folder);
  });
  afterEach(() => {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true });
  });

  test.each([node, bareWorkerd])("10. no secret is in any file that $name writes", async (runtime) => {
    const regions = await startRegions(runtime);
    const used = await useSecrets(regions);
    const stored = contentsOf(folder);
    await regions.stop();
    expectNone(stored, used);
  });

  test("10. no secret is in any item of DynamoDB", async () => {
    const dynamo = await startDynamo();
    const regions = await startRegions(lambda(() => dynamo));
    const used = await useSecrets(regions);
    const stored = Buffer.from(await allItems(dynamo));
    await regions.stop();
    await dynamo.stop();
    expectNone(stored, used);
  });
});

interface Used {
  /** Texts that have to be there, or nothing was looked at. */
  readonly kept: readonly string[];
  readonly secret: readonly string[];
}

/** One of every secret that passes through the product. */
async function useSecrets({ us }: RunningRegions): Promise<Used> {
  const owner = await setUpOwner(us);
  const signer = await createSigner(owner, { scopes: ["audit:read"] });
  const assertion = await signAssertion(signer, us, { claims: { jti: JTI } });
  const form = tokenParameters(assertion);
  const answer = await postForm(tokenEndpointOf(us), form);
  const { access_token } = (await answer.json()) as { access_token: string };
  const replayed = await postForm(tokenEndpointOf(us), form);
  expect([answer.status, replayed.status]).toEqual([200, 400]);
  const revoked = await issueToken(us, signer);
  const caller = await signAssertion(signer, us);
  for (const [path, parameters, headers] of [
    ["introspect", { token: access_token }, basic(RESOURCE_SERVER)],
    ["revoke", { token: revoked, ...assertionParameters(caller) }, {}],
  ] as const) {
    expect((await postForm(`${us.url}/oauth2/${path}`, parameters, headers)).status).toBe(200);
  }
  const assertions = [assertion, caller].flatMap((text) => text.split(".").slice(1));
  const tokens = [access_token, revoked].flatMap((token) => [token, token.slice(9, 52)]);
  const session = owner.cookie.split("=")[1] as string;
  return {
    kept: [signer.clientId, signer.key.keyPairId],
    secret: [...tokens, ...assertions, ...pemLines(signer.key.pem), JTI, session, SETUP_TOKEN, RESOURCE_SERVER.secret],
  };
}

function expectNone(stored: Buffer, { kept, secret }: Used): void {
  for (const text of kept) expect(stored.includes(text)).toBe(true);
  for (const text of secret) {
    const bytes = Buffer.from(text);
    const spellings = [bytes, Buffer.from(bytes.toString("base64url")), Buffer.from(bytes.toString("hex"))];
    const isStored = spellings.some((spelling) => stored.includes(spelling));
    expect(isStored, `a secret that begins with ${text.slice(0, 8)} is stored`).toBe(false);
  }
}

/** The bytes of all files below the folder but those that a configuration, which holds its own secrets, comes in. */
function contentsOf(folder: string): Buffer {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const written = files.filter(({ name }) => !/\.(yaml|capnp|js|json|map)$/.test(name));
  return Buffer.concat(written.map(({ parentPath, name }) => readFileSync(join(parentPath, name))));
}

async function allItems(dynamo: RunningDynamo): Promise<string> {
  const client = dynamo.client();
  const { TableNames = [] } = await client.send(new ListTablesCommand({}));
  const pages = await Promise.all(TableNames.map((TableName) => client.send(new ScanCommand({ TableName }))));
  client.destroy();
  for (const { LastEvaluatedKey } of pages) expect(LastEvaluatedKey).toBeUndefined();
  return JSON.stringify(pages.map(({ Items }) => Items));
}
