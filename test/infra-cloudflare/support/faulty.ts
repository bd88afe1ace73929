import type { WorkerHandle } from "wrangler";
import type { Stores } from "../../../lib/stores/stores.ts";
import { remotePort } from "../../support/stores-worker/remote-stores.ts";
import { type CompiledConfiguration, compiledConfiguration } from "./configuration.ts";
import { workerHarness } from "./harness.ts";

/** What calls meet from the next one on. */
export interface Fault {
  readonly binding: "REGISTRY" | "TOKEN_SHARDS" | "AUDIT_SHARDS" | "MCP_SESSIONS" | "CLIENTS";
  readonly method: string;
  /** Only calls of Workers, or of objects. */
  readonly from?: "worker" | "object";
  /** Only the object of this name. */
  readonly name?: string;
  /**
   * `refuse`: the call does not arrive. `lose`: it is carried out and its answer is lost. `hang`: it does not arrive, and no answer
   * comes ever. `stand`: it is carried out, and no answer comes ever. `late`: the answer comes when the faults are replaced. `end`: the object ends when the
   * work is durable (`TokenShard.issue` only).
   */
  readonly how: "refuse" | "lose" | "hang" | "stand" | "late" | "end";
  /** Without it: every such call. */
  readonly times?: number;
  /** What the runtime would write on the error. */
  readonly error?: { readonly retryable?: true; readonly overloaded?: true };
}

export interface Counted {
  /** `<binding>.<method>` in the order of the calls. */
  readonly calls: readonly string[];
  /** Rows written by `<class>: <beginning of the statement>`. */
  readonly rows: Readonly<Record<string, number>>;
}

/** `faulty-worker.js`, however it runs. */
export interface FaultyProduct {
  /** Replaces the faults. */
  set(...faults: readonly Fault[]): Promise<void>;
  /** What time it is for everything in this workerd from now on, milliseconds since the epoch. */
  setClock(now: number): Promise<void>;
  /** Since it was last asked. */
  counted(): Promise<Counted>;
  /** The ports as an isolate has them. */
  stores(isolate?: string): Stores;
}

export type Fetch = (path: string, init: { readonly method: string; readonly body: string }) => Promise<FetchedAnswer>;

interface FetchedAnswer {
  readonly ok: boolean;
  json(): Promise<unknown>;
}

export function faultyProduct(fetchPath: Fetch): FaultyProduct {
  const post = (path: string, body: string) => fetchPath(path, { method: "POST", body });
  const port = <T extends object>(isolate: string, name: string) => remotePort<T>(post, `/~stores/${isolate}/${name}`);
  return {
    set: async (...faults) => {
      await (await post("/~faults", JSON.stringify(faults))).json();
    },
    setClock: async (now) => {
      await (await post("/~clock", JSON.stringify(now))).json();
    },
    counted: async () => (await (await post("/~counted", "")).json()) as Counted,
    stores: (isolate = "one") => ({
      apiClients: port(isolate, "apiClients"),
      tokens: port(isolate, "tokens"),
      grants: port(isolate, "grants"),
      registeredClients: port(isolate, "registeredClients"),
      signingKeys: port(isolate, "signingKeys"),
      singleUse: port(isolate, "singleUse"),
      directory: port(isolate, "directory"),
      members: port(isolate, "members"),
      invitations: port(isolate, "invitations"),
      passkeys: port(isolate, "passkeys"),
      identities: port(isolate, "identities"),
      settings: port(isolate, "settings"),
      stops: port(isolate, "stops"),
      pins: port(isolate, "pins"),
      deployments: port(isolate, "deployments"),
      limits: port(isolate, "limits"),
      auditLog: port(isolate, "auditLog"),
      mcpSessions: port(isolate, "mcpSessions"),
      connections: port(isolate, "connections"),
      approvals: port(isolate, "approvals"),
    }),
  };
}

export interface OpenFaultyProduct extends FaultyProduct {
  readonly worker: WorkerHandle;
  readonly url: string;
  logs(): readonly string[];
  close(): Promise<void>;
}

/** Under wrangler's harness, with a configuration and variables when requests are to be answered. */
export async function openFaultyProduct(yaml: string, vars: Readonly<Record<string, string>> = {}) {
  const configuration = await compiledConfiguration(yaml);
  return opened(configuration, vars);
}

async function opened(
  configuration: CompiledConfiguration,
  vars: Readonly<Record<string, string>>,
): Promise<OpenFaultyProduct> {
  const harness = workerHarness({
    region: "us",
    main: "test/infra-cloudflare/support/faulty-worker.js",
    configuration: configuration.path,
    vars,
  });
  const { url } = await harness.listen();
  const worker = harness.getWorker();
  return {
    ...faultyProduct((path, init) => worker.fetch(path, init)),
    worker,
    url: url.origin,
    logs: () => harness.getLogs().map(({ message }) => message),
    close: async () => {
      await harness.close();
      await configuration.remove();
    },
  };
}
