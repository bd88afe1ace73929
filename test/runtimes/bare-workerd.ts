import { type BareWorkerd, startBareWorkerd } from "../infra-cloudflare/support/bare-workerd.ts";
import { type Bundle, bundledWorker } from "../infra-cloudflare/support/bundle.ts";
import { compiledConfiguration } from "../infra-cloudflare/support/configuration.ts";
import { type Front, openFront } from "../infra-cloudflare/support/front.ts";
import { freePorts } from "../support/free-port.ts";
import { NOT_STARTED, type RegionsOptions, type RunningRegions, type RuntimeUnderTest } from "../support/runtime.ts";
import { workerVariables } from "./workerd.ts";

/**
 * The built Worker in workerd without wrangler's proxies, for what these change: they follow the redirects of upstreams
 * and do not pass on that a client has left. State is as under the harness, except that KV is a stand-in.
 */
export const bareWorkerd: RuntimeUnderTest = { name: "workerd", start };

async function start(options: RegionsOptions): Promise<RunningRegions> {
  const bundle = await bundleOf(options.configuration);
  const ukBundle = options.ukConfiguration === undefined ? bundle : await bundleOf(options.ukConfiguration);
  const ports = await freePorts(2);
  const [usFront, ukFront] = await Promise.all([openFront(), openFront()]);
  const [us, uk] = await Promise.all([
    startRegion("us", ports[0] ?? 0, usFront, ukFront.url, bundle.path, options),
    options.alone ? undefined : startRegion("uk", ports[1] ?? 0, ukFront, usFront.url, ukBundle.path, options),
  ]);
  await bundle.remove();
  if (ukBundle !== bundle) await ukBundle.remove();
  return {
    us: {
      ...{ region: "us", url: us.front.url, pid: us.workerd.pid() },
      ...{ logs: us.workerd.logs, stored: us.workerd.stored },
    },
    uk: uk === undefined ? NOT_STARTED : { region: "uk", url: uk.front.url, logs: uk.workerd.logs },
    stop: async () => {
      await Promise.all([usFront.close(), ukFront.close()]);
      await Promise.all([us.workerd.stop(), uk?.workerd.stop()]);
    },
  };
}

async function bundleOf(document: string): Promise<Bundle> {
  const configuration = await compiledConfiguration(document);
  const bundle = await bundledWorker(configuration.path);
  await configuration.remove();
  return bundle;
}

async function startRegion(
  region: "us" | "uk",
  port: number,
  front: Front,
  peerURL: string,
  bundle: string,
  options: RegionsOptions,
): Promise<{ readonly front: Front; readonly workerd: BareWorkerd }> {
  const variables = { ...workerVariables(region, front.url, options), PEER_URL: peerURL };
  const workerd = await startBareWorkerd({ port, bundle, variables });
  front.forwardTo(port);
  return { front, workerd };
}
