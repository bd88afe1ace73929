import type { ServerOptions } from "node:https";
import type { Clock } from "../../../lib/kernel/clock.ts";
import { json, startVendorServer, type VendorRequest, type VendorServer } from "./vendor-server.ts";

type Fields = Readonly<Record<string, unknown>>;

export interface VaultToken {
  /** Seconds; zero: without an end. */
  readonly ttl: number;
  readonly renewable: boolean;
  /** Paths below `/v1` that it may read begin like this; all unless given. */
  readonly reads?: string;
  /** How often it may be renewed; without a limit unless given. */
  readonly renewals?: number;
}

export interface StandInVault extends VendorServer {
  /** Entries by path below `/v1`: `secret/data/…` of KV version 2, `kv/…` of version 1. Null: its latest version is deleted. */
  readonly entries: Map<string, Fields | null>;
  /** Adds a token. */
  issue(token: string, properties: VaultToken): void;
  /** Ends all tokens at once, as a restart in development mode does. */
  revokeAll(): void;
  /** Lets the role sign in, with tokens like this. */
  allow(role: AppRole, properties: VaultToken): void;
}

export interface AppRole {
  readonly roleId: string;
  readonly secretId: string;
}

interface Issued extends VaultToken {
  expires: number;
  renewed: number;
}

/**
 * Stands in for HashiCorp Vault and OpenBao, which cannot run here: token and AppRole authentication and the KV engines'
 * reads, as their HTTP API documentation describes them, with its error answers.
 */
export async function startVault(clock: Clock, tls?: ServerOptions): Promise<StandInVault> {
  const entries = new Map<string, Fields | null>();
  const tokens = new Map<string, Issued>();
  const roles: { readonly role: AppRole; readonly properties: VaultToken }[] = [];
  let logins = 0;

  const issue = (token: string, properties: VaultToken) => {
    tokens.set(token, { ...properties, expires: expiry(properties), renewed: 0 });
  };
  const expiry = ({ ttl }: VaultToken) => (ttl === 0 ? Number.POSITIVE_INFINITY : clock.now() + ttl * 1_000);
  const live = (token: string) => {
    const issued = tokens.get(token);
    return issued !== undefined && clock.now() < issued.expires ? issued : undefined;
  };

  const login = ({ body }: VendorRequest): Response => {
    const { role_id, secret_id } = JSON.parse(body);
    const allowed = roles.find(({ role }) => role.roleId === role_id && role.secretId === secret_id);
    if (allowed === undefined) return json(400, { errors: ["invalid role or secret ID"] });
    const token = `hvs.login-${++logins}`;
    issue(token, allowed.properties);
    return auth(token, allowed.properties);
  };
  const renew = (token: string, issued: Issued): Response => {
    const { renewable, renewals = Number.POSITIVE_INFINITY } = issued;
    if (!renewable || issued.renewed++ >= renewals) return json(400, { errors: ["lease is not renewable"] });
    issued.expires = expiry(issued);
    return auth(token, issued);
  };

  const server = await startVendorServer((request) => {
    const path = decodeURIComponent(request.path).replace("/v1/", "");
    if (path === "auth/approle/login" && request.method === "POST") return login(request);
    const token = request.headers.get("X-Vault-Token") ?? "";
    const issued = live(token);
    if (issued === undefined)
      return json(403, { errors: ["2 errors occurred:\n\t* permission denied\n\t* invalid token\n\n"] });
    if (path === "auth/token/renew-self" && request.method === "POST") return renew(token, issued);
    if (path === "auth/token/lookup-self") return lookedUp(token, issued, clock);
    if (!path.startsWith(issued.reads ?? ""))
      return json(403, { errors: ["1 error occurred:\n\t* permission denied\n\n"] });
    return read(path, entries);
  }, tls);
  return Object.assign(server, {
    entries,
    issue,
    revokeAll: () => tokens.clear(),
    allow: (role: AppRole, properties: VaultToken) => roles.push({ role, properties }),
  });
}

function auth(token: string, { ttl, renewable }: VaultToken): Response {
  return answer({ auth: { client_token: token, policies: ["default"], lease_duration: ttl, renewable } });
}

function lookedUp(id: string, { renewable, expires, ttl }: Issued, clock: Clock): Response {
  const left = ttl === 0 ? 0 : Math.floor((expires - clock.now()) / 1_000);
  return answer({ data: { id, ttl: left, renewable, creation_ttl: ttl, policies: ["default"] } });
}

function read(path: string, entries: ReadonlyMap<string, Fields | null>): Response {
  const entry = entries.get(path);
  const isVersioned = path.startsWith("secret/");
  if (isVersioned && !path.startsWith("secret/data/")) {
    return json(404, {
      errors: [],
      warnings: [
        "Invalid path for a versioned K/V secrets engine. See the API docs for the appropriate API endpoints to use.",
      ],
    });
  }
  if (!isVersioned && !path.startsWith("kv/")) {
    return json(404, { errors: [`no handler for route "${path}". route entry not found.`] });
  }
  if (entry === undefined) return json(404, { errors: [] });
  const metadata = { created_time: "2026-11-21T12:00:00Z", deletion_time: "", destroyed: false, version: 3 };
  if (entry !== null) return answer({ data: isVersioned ? { data: entry, metadata } : entry });
  return json(404, { data: { data: null, metadata: { ...metadata, deletion_time: "2026-11-21T12:30:00Z" } } });
}

function answer(members: Fields): Response {
  const empty = { request_id: "b7d2…", lease_id: "", renewable: false, lease_duration: 0, data: null, auth: null };
  return json(200, { ...empty, wrap_info: null, warnings: null, ...members });
}
