import type { Stores } from "../../../lib/stores/stores.ts";

export type Post = (path: string, body: string) => Promise<{ readonly ok: boolean; json(): Promise<unknown> }>;

/** The ports of the stores that a Worker of this folder serves, for a caller whose clock is so many milliseconds ahead. */
export function remoteStores(post: Post, ahead = 0): Stores {
  const port = <T extends object>(name: string) => remotePort<T>(post, `/${ahead}/${name}`);
  return {
    apiClients: port("apiClients"),
    tokens: port("tokens"),
    grants: port("grants"),
    registeredClients: port("registeredClients"),
    signingKeys: port("signingKeys"),
    singleUse: port("singleUse"),
    directory: port("directory"),
    members: port("members"),
    invitations: port("invitations"),
    passkeys: port("passkeys"),
    identities: port("identities"),
    settings: port("settings"),
    stops: port("stops"),
    pins: port("pins"),
    deployments: port("deployments"),
    limits: port("limits"),
    auditLog: port("auditLog"),
    mcpSessions: port("mcpSessions"),
    connections: port("connections"),
    approvals: port("approvals"),
  };
}

/** What has the operations of a port, each behind `POST <path>/<operation>`. */
export function remotePort<T extends object>(post: Post, path: string): T {
  return new Proxy({} as T, {
    // A port is no thenable: awaiting one must not call the Worker.
    get: (_target, method) =>
      method === "then"
        ? undefined
        : (...parameters: readonly unknown[]) => call(post, `${path}/${String(method)}`, parameters),
  });
}

async function call(post: Post, path: string, parameters: readonly unknown[]): Promise<unknown> {
  const response = await post(path, JSON.stringify(parameters));
  const answer = (await response.json()) as { readonly value?: unknown; readonly error?: string };
  // What no store said comes from workerd or from what stands before it.
  if (!response.ok) throw new Error(answer.error ?? `${path}: ${JSON.stringify(answer)}`);
  return answer.value;
}
