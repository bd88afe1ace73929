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
export function workerdConfiguration({ port, objects, kv, variables, outbound }: WorkerdOptions): string {
  const classes = Object.values(OBJECTS).map(
    (name) => `(className = "${name}", uniqueKey = "${name}", enableSql = true)`,
  );
  const bindings = [
    ...Object.entries(variables).map(([name, text]) => `(name = "${name}", text = ${JSON.stringify(text)})`),
    ...Object.entries(OBJECTS).map(([name, target]) => `(name = "${name}", durableObjectNamespace = "${target}")`),
    '(name = "CLIENTS", kvNamespace = "kv")',
  ];
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .main),
    (name = "kv", worker = .kv),
    ${kv === undefined ? "" : `(name = "kept", disk = (path = "${kv}", writable = true)),`}
    (name = "objects", disk = (path = "${objects}", writable = true)),
    (name = "internet", ${outbound === undefined ? NETWORK : external(outbound)}),
  ],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")]
);
const main :Workerd.Worker = (
  modules = [(name = "worker.js", esModule = embed "worker.js")],
  compatibilityDate = "2026-11-01",
  compatibilityFlags = ["enable_request_signal"],
  durableObjectNamespaces = [${classes.join(", ")}],
  durableObjectStorage = (localDisk = "objects"),
  bindings = [${bindings.join(", ")}]
);
const kv :Workerd.Worker = (
  modules = [(name = "kv.js", esModule = embed "kv.js")],
  compatibilityDate = "2026-11-01",
  bindings = [${kv === undefined ? "" : '(name = "KEPT", service = "kept")'}]
);
`;
}

const NETWORK = 'network = (allow = ["public", "private"])';

function external({ host, port, ca }: OutboundServer): string {
  const tls = `tlsOptions = (trustedCertificates = [${JSON.stringify(ca)}]), certificateHost = "${host}"`;
  return `external = (address = "127.0.0.1:${port}", https = (${tls}))`;
}
