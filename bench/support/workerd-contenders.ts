import { bundledWorker } from "../../test/infra-cloudflare/support/bundle.ts";
import { compiledConfiguration } from "../../test/infra-cloudflare/support/configuration.ts";
import { tokenForm } from "./assertions.ts";
import { EDGE_VARIABLES } from "./edge.ts";
import { getRequest, serializePost, type Target } from "./http-request.ts";
import type { BenchOptions } from "./options.ts";
import type { Contender } from "./turns.ts";
import { makeClient } from "./worker-client.ts";
import { type ProductOptions, startProduct, startSmall, type Workerd } from "./workerd.ts";

export interface WorkerdContenders {
  tokens(objects: ProductOptions["objects"]): Promise<Contender>;
  hello(): Promise<Contender>;
  verifications(): Promise<VerifyingContender>;
  /** Ends every workerd that was started. */
  stop(): Promise<void>;
}

export interface VerifyingContender extends Contender {
  readonly verificationsPerRequest: number;
}

/** The access log is off, as it is for everything else that is measured. */
const CONFIGURATION = `
version: "1"
logger: { level: warn, jsonOutput: true }
http:
  publicURL: "{{ env.PUBLIC_URL }}"
  accessLog: { disabled: true }
oidcProvider:
  region: "{{ env.REGION }}"
  apiClients: { idSecret: <countersign.id-secret> }
console: { enabled: true, setupToken: <countersign.setup-token> }
`;

const HOST = "127.0.0.1";

/** Each in a workerd of its own, the same binary. */
export async function workerdContenders(options: BenchOptions): Promise<WorkerdContenders> {
  const { requests, warmUp, connections } = options;
  const configuration = await compiledConfiguration(CONFIGURATION);
  const bundle = await bundledWorker(configuration.path);
  await configuration.remove();
  const running: Workerd[] = [];

  const small = async (worker: "hello" | "verify"): Promise<Small> => {
    const workerd = await startSmall(worker);
    running.push(workerd);
    const target = { host: HOST, port: workerd.port };
    return { pid: workerd.pid, target, get: (count) => Array.from({ length: count }, () => getRequest(target, "/")) };
  };

  return {
    tokens: async (objects) => {
      const workerd = await startProduct({ bundle: bundle.path, variables: EDGE_VARIABLES, objects });
      running.push(workerd);
      const target = { host: HOST, port: workerd.port };
      const source = await makeClient(`http://${HOST}:${workerd.port}`);
      const signed = (length: number) =>
        Array.from({ length }, () => serializePost(target, { path: "/oauth2/token", form: tokenForm(source) }));
      const load = { target, connections, requests: signed(requests), expect: '"access_token"' };
      return { name: `tokens, Durable Objects ${PLACES[objects]}`, pid: workerd.pid, warmUp: signed(warmUp), load };
    },
    hello: async () => {
      const { pid, target, get } = await small("hello");
      const load = { target, connections, requests: get(requests), expect: '"up"' };
      return { name: "hello world", pid, warmUp: get(requests), load };
    },
    verifications: async () => {
      const { pid, target, get } = await small("verify");
      const count = await verificationsPerRequest(target);
      const gets = get(Math.ceil(requests / count));
      const load = { target, connections, requests: gets, expect: `"verifications":${count}}` };
      return { name: `${count} ES256 verifications`, pid, warmUp: gets, load, verificationsPerRequest: count };
    },
    stop: async () => {
      for (const workerd of running) await workerd.stop();
      await bundle.remove();
    },
  };
}

/** One of the small Workers. */
interface Small {
  readonly pid: number;
  readonly target: Target;
  get(count: number): readonly Buffer[];
}

/** What `workers/verify.js` says that it does. */
async function verificationsPerRequest({ host, port }: Target): Promise<number> {
  const { verifications } = (await (await fetch(`http://${host}:${port}/`)).json()) as {
    readonly verifications: number;
  };
  if (!(verifications > 0)) throw new Error("workers/verify.js does not say how many verifications a request is.");
  return verifications;
}

const PLACES = { disk: "on disk", memory: "in memory" } as const;
