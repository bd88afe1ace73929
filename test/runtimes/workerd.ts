import { compiledConfiguration } from "../infra-cloudflare/support/configuration.ts";
import { openFront } from "../infra-cloudflare/support/front.ts";
import { workerHarness } from "../infra-cloudflare/support/harness.ts";
import {
  documentOf,
  ID_SECRET,
  KEY_SECRET,
  NOT_STARTED,
  type RegionsOptions,
  type RunningRegion,
  type RunningRegions,
  type RuntimeUnderTest,
  SETUP_TOKEN,
} from "../support/runtime.ts";

/** The Worker in workerd, with Durable Objects and KV, configured as `wrangler.toml` deploys it. */
export const workerd: RuntimeUnderTest = { name: "workerd", start };

interface StoppableRegion {
  readonly running: RunningRegion;
  stop(): Promise<void>;
}

async function start(options: RegionsOptions): Promise<RunningRegions> {
  // The public URLs are part of the configuration, so their ports must be known before the Workers have any.
  const [usFront, ukFront] = await Promise.all([openFront(options.host), openFront(options.host)]);
  const [us, uk] = await Promise.all([
    startRegion("us", usFront, ukFront.url, options),
    options.alone ? undefined : startRegion("uk", ukFront, usFront.url, options),
  ]);
  return {
    us: us.running,
    uk: uk?.running ?? NOT_STARTED,
    stop: async () => {
      await Promise.all([us.stop(), uk?.stop() ?? ukFront.close()]);
    },
  };
}

async function startRegion(
  region: "us" | "uk",
  front: Awaited<ReturnType<typeof openFront>>,
  peerURL: string,
  options: RegionsOptions,
): Promise<StoppableRegion> {
  const configuration = await compiledConfiguration(documentOf(region, options));
  const harness = workerHarness({
    region,
    configuration: configuration.path,
    ...(options.consoleBuild !== undefined && { consoleBuild: options.consoleBuild }),
    vars: { ...workerVariables(region, front.url, options), PEER_URL: peerURL },
  });
  const { url } = await harness.listen();
  front.forwardTo(Number(url.port));
  const logs = () => harness.getLogs().flatMap(({ message }) => message.split("\n"));
  return {
    running: { region, url: front.url, logs },
    stop: async () => {
      await front.close();
      await harness.close();
      await configuration.remove();
    },
  };
}

/** Variables and secrets of one region's Worker. */
export function workerVariables(
  region: "us" | "uk",
  publicURL: string,
  { variables }: RegionsOptions,
): Readonly<Record<string, string>> {
  return {
    PUBLIC_URL: publicURL,
    REGION: region,
    STORE_PATH: "not used",
    LISTEN_ADDRESS: "127.0.0.1:8080",
    SVC_SECRET_PROVIDER: "env://TEST_",
    TEST_COUNTERSIGN_SETUP_TOKEN: SETUP_TOKEN,
    TEST_COUNTERSIGN_ID_SECRET: ID_SECRET,
    TEST_COUNTERSIGN_KEY_SECRET: KEY_SECRET,
    ...variables,
  };
}
