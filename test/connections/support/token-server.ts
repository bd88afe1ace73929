import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/**
 * What becomes of the next request.
 * - `cut_before`: the connection ends, and nothing was done.
 * - `cut_after`: it was done, and the connection ends.
 * - `silent`: it was done, and no answer comes.
 * - a function: it answers whatever it likes.
 */
export type Behaviour = "cut_before" | "cut_after" | "silent" | ((response: ServerResponse) => void);

export interface TokenServer {
  readonly url: string;
  /** For the requests to come, one each; afterwards it does what it should. */
  readonly behaviours: Behaviour[];
  /** Refresh tokens as they arrived. */
  readonly spent: string[];
  readonly revoked: string[];
  /** How many requests with one refresh token were under way at once, at most. */
  readonly mostAtOnce: () => number;
  /** Called when a request has arrived, before anything is done. */
  onRequest: (() => Promise<void> | void) | undefined;
  /** Called when a request was dealt with, whether somebody still waits for its answer or not. */
  onDone: (() => void) | undefined;
  /** Seconds that access tokens live. */
  lifetime: number;
  /** Spent tokens get the same successor again. */
  hasGrace: boolean;
  /** A new grant. */
  grant(): { readonly accessToken: string; readonly refreshToken: string };
  /** Whether the grant of a token still lives. */
  lives(refreshToken: string): boolean;
  close(): Promise<void>;
}

interface Grant {
  current: string;
  isRevoked: boolean;
}

/** A provider that rotates refresh tokens, and ends a grant of which a spent one comes again (RFC 9700 §4.14.2). */
export async function startTokenServer(): Promise<TokenServer> {
  const grants = new Map<string, Grant>();
  const successors = new Map<string, string>();
  const underWay = new Map<string, number>();
  let [made, most] = [0, 0];

  const next = (grant: Grant) => {
    grant.current = `rt-secret-${++made}`;
    grants.set(grant.current, grant);
    return grant.current;
  };
  const answerOf = (refreshToken: string) => ({
    ...{ access_token: `at-of-${refreshToken}`, token_type: "Bearer", refresh_token: refreshToken },
    expires_in: provider.lifetime,
  });

  function spend(token: string): readonly [number, object] {
    const grant = grants.get(token);
    const successor = successors.get(token);
    if (grant === undefined || grant.isRevoked) return [400, { error: "invalid_grant" }];
    if (grant.current === token) {
      successors.set(token, next(grant));
      return [200, answerOf(grant.current)];
    }
    if (provider.hasGrace && successor !== undefined) return [200, answerOf(successor)];
    grant.isRevoked = true;
    return [400, { error: "invalid_grant" }];
  }

  async function token(form: URLSearchParams, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const refreshToken = form.get("refresh_token") ?? "";
    provider.spent.push(refreshToken);
    const count = (underWay.get(refreshToken) ?? 0) + 1;
    underWay.set(refreshToken, count);
    most = Math.max(most, count);
    try {
      await provider.onRequest?.();
      const behaviour = provider.behaviours.shift();
      if (behaviour === "cut_before") return void request.socket.destroy();
      if (typeof behaviour === "function") return behaviour(response);
      const [status, answer] = spend(refreshToken);
      if (behaviour === "cut_after") return void request.socket.destroy();
      if (behaviour === "silent") return;
      json(response, status, answer);
    } finally {
      underWay.set(refreshToken, (underWay.get(refreshToken) ?? 1) - 1);
      provider.onDone?.();
    }
  }

  const server = createServer(async (request, response) => {
    const form = new URLSearchParams(await text(request));
    if (request.url === "/token") return token(form, request, response);
    const revoked = form.get("token") ?? "";
    provider.revoked.push(revoked);
    const grant = grants.get(revoked);
    if (grant !== undefined) grant.isRevoked = true;
    json(response, 200, {});
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const provider: TokenServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ...{
      behaviours: [],
      spent: [],
      revoked: [],
      onRequest: undefined,
      onDone: undefined,
      lifetime: 600,
      hasGrace: false,
    },
    mostAtOnce: () => most,
    grant: () => {
      const refreshToken = next({ current: "", isRevoked: false });
      return { accessToken: `at-of-${refreshToken}`, refreshToken };
    },
    lives: (refreshToken) => grants.get(refreshToken)?.isRevoked === false,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
  return provider;
}

export function json(response: ServerResponse, status: number, body: object, headers: Record<string, string> = {}) {
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
}

export function answers(status: number, body: object, headers?: Record<string, string>): Behaviour {
  return (response) => json(response, status, body, headers);
}
