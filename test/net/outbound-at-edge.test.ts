import { expect, test } from "vitest";
import { lambdaDependencies } from "../../infra/aws/dependencies.ts";
import { instanceLog } from "../../infra/edge/instance-log.ts";
import { resolveAtEdge } from "../../infra/edge/start.ts";
import { compileConfiguration } from "../../lib/config/compile.ts";
import { webCryptoRandom } from "../../lib/kernel/random.ts";
import { OutboundError } from "../../lib/net/outbound.ts";
import type { Stores } from "../../lib/stores/stores.ts";

const DOCUMENT = {
  version: "1",
  http: { publicURL: "https://countersign.example" },
  tls: { internal: { caFile: "/nowhere/ca.pem" }, strict: { minVersion: "1.3" } },
};

test("on Workers an entry of tls with files is refused when it is used, and one without uses the platform's", async () => {
  const { outbound, fetch } = await resolveAtEdge(
    await artifact(),
    {},
    "workers",
    instanceLog(ignore, webCryptoRandom),
    {
      openers: {},
    },
    () => NO_STORES,
  );
  expect(() => outbound("internal")).toThrow(OutboundError);
  expect(() => outbound("internal")).toThrow(/^tls\.internal names files, which this runtime does not have\.$/);
  expect(outbound("strict")).toBe(fetch);
  expect(outbound()).toBe(fetch);
});

test("on Lambda the files of an entry are read when it is used", async () => {
  const { outbound } = await lambdaDependencies(await artifact(), VARIABLES, instanceLog(ignore, webCryptoRandom));
  expect(() => outbound("internal")).toThrow(OutboundError);
  expect(() => outbound("internal")).toThrow(/^tls\.internal\.caFile: \/nowhere\/ca\.pem cannot be read: no such file/);
  expect(() => outbound("none")).toThrow(/^There is no entry none in tls\.$/);
  expect(outbound("strict")).toBeTypeOf("function");
});

/** Without a gateway nothing is read of them. */
const NO_STORES = {} as Stores;

const VARIABLES = { AWS_REGION: "us-east-1", RECORDS_TABLE: "a", SESSIONS_TABLE: "b", AUDIT_TABLE: "c" };

async function artifact() {
  const compiled = await compileConfiguration(JSON.stringify(DOCUMENT), {
    file: "edge.yaml",
    readDocument: (uri) => Promise.reject(new Error(`${uri} is not read here`)),
  });
  if ("errors" in compiled) throw new Error(JSON.stringify(compiled.errors));
  return compiled.artifact;
}

function ignore(): undefined {
  return undefined;
}
