import type { Stores } from "../../../lib/stores/stores.ts";

export type Post = (path: string, body: string) => Promise<{ readonly ok: boolean; json(): Promise<unknown> }>;

/** The ports of the stores that a Worker of this folder serves. */
export function remoteStores(post: Post): Stores {
  return {
    apiClients: remotePort(post, "apiClients"),
    tokens: remotePort(post, "tokens"),
    singleUse: remotePort(post, "singleUse"),
    directory: remotePort(post, "directory"),
    auditLog: remotePort(post, "auditLog"),
  };
}

function remotePort<T extends object>(post: Post, port: string): T {
  return new Proxy({} as T, {
    // A port is no thenable: awaiting one must not call the Worker.
    get: (_target, method) =>
      method === "then"
        ? undefined
        : (...parameters: readonly unknown[]) => call(post, `/${port}/${String(method)}`, parameters),
  });
}

async function call(post: Post, path: string, parameters: readonly unknown[]): Promise<unknown> {
  const response = await post(path, JSON.stringify(parameters));
  const answer = (await response.json()) as { readonly value?: unknown; readonly error?: string };
  if (!response.ok) throw new Error(answer.error);
  return answer.value;
}
