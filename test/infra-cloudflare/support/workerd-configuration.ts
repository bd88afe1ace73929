const OBJECTS = {
  REGISTRY: "Registry",
  TOKEN_SHARDS: "TokenShard",
  AUDIT_SHARDS: "AuditShard",
  MCP_SESSIONS: "McpSession",
  UPSTREAM_CALLS: "UpstreamCall",
};

export interface WorkerdOptions {
  readonly port: number;
  /** Folder that the Durable Objects are kept in. */
  readonly objects: string;
  /** Folder that every value of KV is written to, for those who look; absent: nobody does. */
  readonly kv?: string;
  /** Variables and secrets of the Worker. */
  readonly variables: Readonly<Record<string, string>>;
  /** Where all requests of the Worker go, in place of the network. */
  readonly outbound?: OutboundServer;
  /** Ports of more isolates of the same Worker, on the same Durable Objects. */
  readonly more?: readonly number[];
}

/** An HTTPS server on loopback that answers for a host, with its authority's certificate. */
export interface OutboundServer {
  readonly host: string;
  readonly port: number;
  readonly ca: string;
}

/**
 * Configuration of bare workerd, as Cap'n Proto text, for the built `worker.js` in the same folder, with `kv.js` beside it
 * behind the KV binding.
 */
export function workerdConfiguration({ port, objects, kv, variables, outbound, more = [] }: WorkerdOptions): string {
  const classes = Object.values(OBJECTS).map(
    (name) => `(className = "${name}", uniqueKey = "${name}", enableSql = true)`,
  );
  const bindingsTo = (namespace: (target: string) => string) =>
    [
      ...Object.entries(variables).map(([name, text]) => `(name = "${name}", text = ${JSON.stringify(text)})`),
      ...Object.entries(OBJECTS).map(
        ([name, target]) => `(name = "${name}", durableObjectNamespace = ${namespace(target)})`,
      ),
      '(name = "CLIENTS", kvNamespace = "kv")',
    ].join(", ");
  const isolates = more.map((at, index) => ({ name: `isolate${index + 2}`, port: at }));
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .main),
    ${isolates.map(({ name }) => `(name = "${name}", worker = .${name}),`).join("\n    ")}
    (name = "kv", worker = .kv),
    ${kv === undefined ? "" : `(name = "kept", disk = (path = "${kv}", writable = true)),`}
    (name = "objects", disk = (path = "${objects}", writable = true)),
    (name = "internet", ${outbound === undefined ? NETWORK : external(outbound)}),
  ],
  sockets = [
    (name = "http", address = "127.0.0.1:${port}", http = (), service = "main"),
    ${isolates.map((one) => `(name = "${one.name}", address = "127.0.0.1:${one.port}", http = (), service = "${one.name}"),`).join("\n    ")}
  ]
);
const main :Workerd.Worker = (
  modules = [(name = "worker.js", esModule = embed "worker.js")],
  compatibilityDate = "2026-11-01",
  compatibilityFlags = ["enable_request_signal"],
  durableObjectNamespaces = [${classes.join(", ")}],
  durableObjectStorage = (localDisk = "objects"),
  bindings = [${bindingsTo((target) => `"${target}"`)}]
);
${isolates
  .map(({ name }) =>
    isolate(
      name,
      bindingsTo((target) => `(className = "${target}", serviceName = "main")`),
    ),
  )
  .join("\n")}
const kv :Workerd.Worker = (
  modules = [(name = "kv.js", esModule = embed "kv.js")],
  compatibilityDate = "2026-11-01",
  bindings = [${kv === undefined ? "" : '(name = "KEPT", service = "kept")'}]
);
`;
}

/** It makes no Durable Objects of its own. */
function isolate(name: string, bindings: string): string {
  return `const ${name} :Workerd.Worker = (
  modules = [(name = "worker.js", esModule = embed "worker.js")],
  compatibilityDate = "2026-11-01",
  compatibilityFlags = ["enable_request_signal"],
  bindings = [${bindings}]
);`;
}

const NETWORK = 'network = (allow = ["public", "private"])';

function external({ host, port, ca }: OutboundServer): string {
  const tls = `tlsOptions = (trustedCertificates = [${JSON.stringify(ca)}]), certificateHost = "${host}"`;
  return `external = (address = "127.0.0.1:${port}", https = (${tls}))`;
}
