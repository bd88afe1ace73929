import { fileURLToPath } from "node:url";
import { unstable_readConfig } from "wrangler";

export interface MortalWorkerOptions {
  readonly port: number;
  /** Of the socket that objects are ended through. */
  readonly controlPort: number;
  /** Of what answers for KV. */
  readonly kvPort: number;
  /** Folder that the Durable Objects are kept in. */
  readonly objects: string;
  readonly variables: Readonly<Record<string, string>>;
}

/** The part of a Worker's configuration that matters here. */
interface Deployed {
  readonly compatibility_date: string | undefined;
  readonly compatibility_flags: readonly string[];
  readonly durable_objects: { readonly bindings: readonly { readonly name: string; readonly class_name: string }[] };
  readonly kv_namespaces: readonly { readonly binding: string }[];
}

/**
 * Configuration of workerd, as Cap'n Proto text, for `objects.js` over the built `worker.js` in the same folder. Objects,
 * flags and dates are those that `wrangler.toml` deploys; `unsafe_module` lets the test evict.
 */
export function mortalWorker({ port, controlPort, kvPort, objects, variables }: MortalWorkerOptions): string {
  const wranglerToml = fileURLToPath(new URL("../../../wrangler.toml", import.meta.url));
  const deployed: Deployed = unstable_readConfig({ config: wranglerToml, env: "us" }, { hideWarnings: true });
  const bound = deployed.durable_objects.bindings.map(({ name, class_name }) => ({ name, target: class_name }));
  const classes = bound.map(({ target }) => `(className = "${target}", uniqueKey = "${target}", enableSql = true)`);
  const bindings = [
    ...Object.entries(variables).map(([name, text]) => `(name = "${name}", text = ${JSON.stringify(text)})`),
    ...bound.map(({ name, target }) => `(name = "${name}", durableObjectNamespace = "${target}")`),
    ...deployed.kv_namespaces.map(({ binding }) => `(name = "${binding}", kvNamespace = "kv")`),
  ];
  const flags = [...deployed.compatibility_flags, "unsafe_module"].map((flag) => JSON.stringify(flag));
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .main),
    (name = "kv", external = (address = "127.0.0.1:${kvPort}", http = ())),
    (name = "objects", disk = (path = "${objects}", writable = true)),
  ],
  sockets = [
    (name = "http", address = "127.0.0.1:${port}", http = (), service = "main"),
    (name = "control", address = "127.0.0.1:${controlPort}", http = (),
     service = (name = "main", entrypoint = "Control")),
  ]
);
const main :Workerd.Worker = (
  modules = [
    (name = "objects.js", esModule = embed "objects.js"),
    (name = "worker.js", esModule = embed "worker.js"),
  ],
  compatibilityDate = "${deployed.compatibility_date}",
  compatibilityFlags = [${flags.join(", ")}],
  durableObjectNamespaces = [${classes.join(", ")}],
  durableObjectStorage = (localDisk = "objects"),
  bindings = [${bindings.join(", ")}]
);
`;
}
