import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { pause } from "../../../lib/kernel/timers.ts";
import { json } from "./token-server.ts";

/**
 * What becomes of one refresh.
 * - `slow`: the answer comes, later.
 * - `busy`: 503, and the provider hears nothing of it.
 * - `cut_before`, `silent_before`: the provider hears nothing of it, and the connection ends, or nothing comes.
 * - `cut_after`, `silent_after`: the provider did it, and the connection ends, or nothing comes.
 */
export type Tear = "slow" | "busy" | "cut_before" | "silent_before" | "cut_after" | "silent_after";

/** A refresh token, and what the wire knows of it. */
export interface SpentToken {
  readonly grant: WireGrant;
  /** Refreshes under way with it. */
  active: number;
  /** Whether the provider gave another for it. */
  isRotated: boolean;
  /** How often the client heard what became of it: another, or `invalid_grant`. */
  answered: number;
  /** How often something happened to a refresh with it. */
  torn: number;
  /** Ends with the last request to the provider. */
  asking: Promise<unknown>;
}

/** What one code was redeemed for, and all that followed from it. */
export interface WireGrant {
  readonly accessTokens: Set<string>;
  readonly refreshTokens: Set<string>;
  /** How often something happened to a refresh. */
  torn: number;
  /** The provider rotated and the client did not hear of it, so that a strict provider ends the grant. */
  isLost: boolean;
}

export interface TornWire {
  readonly tokenURL: string;
  readonly grants: readonly WireGrant[];
  readonly refreshes: () => number;
  /** What the rules of refreshing forbid, as it was seen. */
  readonly violations: string[];
  /** What happens to the next refresh with a token; undefined: nothing. */
  choose: (token: SpentToken) => Tear | undefined;
  close(): Promise<void>;
}

/** Milliseconds. */
const SLOW = 40;

/**
 * Stands between a client and the token endpoint of a provider that rotates, and tears at the answers to refreshes.
 *
 * @param grace milliseconds in which a spent token gets the same answer again, as providers have it that give a grace period
 */
export async function startTornWire(tokenEndpoint: string, grace: number, now: () => number): Promise<TornWire> {
  const tokens = new Map<string, SpentToken>();
  const answers = new Map<string, Answer & { readonly at: number }>();
  const grants: WireGrant[] = [];
  const violations: string[] = [];
  let refreshes = 0;

  const learn = (grant: WireGrant, { access_token, refresh_token }: TokenAnswer) => {
    if (access_token !== undefined) grant.accessTokens.add(access_token);
    if (refresh_token === undefined) return;
    grant.refreshTokens.add(refresh_token);
    tokens.set(refresh_token, { grant, active: 0, isRotated: false, answered: 0, torn: 0, asking: Promise.resolve() });
  };

  async function forward(form: URLSearchParams, { headers }: IncomingMessage): Promise<Answer> {
    const { authorization = "" } = headers;
    const response = await fetch(tokenEndpoint, { method: "POST", body: form, headers: { authorization } });
    return { status: response.status, body: (await response.json()) as TokenAnswer };
  }

  /** The provider has the requests in the order of their arrival, also where it is slower than the client waits. */
  function spend(...spent: Parameters<typeof answered>): Promise<Answer> {
    const [, token] = spent;
    const answer = token.asking.then(() => answered(...spent));
    token.asking = answer.catch(() => undefined);
    return answer;
  }

  /** What the provider says to a refresh, or would say again. */
  async function answered(name: string, token: SpentToken, form: URLSearchParams, request: IncomingMessage) {
    const known = answers.get(name);
    if (known !== undefined && now() - known.at < grace) return known;
    const answer = await forward(form, request);
    if (answer.status === 200) {
      token.isRotated = true;
      learn(token.grant, answer.body);
      answers.set(name, { ...answer, at: now() });
    }
    return answer;
  }

  async function refreshed(form: URLSearchParams, request: IncomingMessage, response: ServerResponse) {
    const name = form.get("refresh_token") ?? "";
    const token = tokens.get(name);
    if (token === undefined) return void violations.push("a refresh token that nobody was given");
    refreshes++;
    token.active++;
    if (token.active > 1) violations.push("a refresh token in two requests at once");
    if (token.answered > 0) violations.push("a refresh token that was answered for before");
    let [isSaid, isOver] = [false, false];
    response.on("close", () => {
      token.active--;
      isOver = true;
      const isHeard = isSaid && response.writableFinished;
      if (isHeard) token.answered++;
      else if (token.isRotated) token.grant.isLost = true;
    });
    const ask = async () => {
      const answer = await spend(name, token, form, request);
      if (isOver && token.isRotated) token.grant.isLost = true;
      return answer;
    };
    const how = wire.choose(token);
    if (how !== undefined && how !== "slow") {
      token.torn++;
      token.grant.torn++;
    }
    if (how === "busy") return json(response, 503, {});
    if (how?.endsWith("_after")) await ask();
    if (how?.startsWith("cut")) request.socket.destroy();
    if (how !== undefined && how !== "slow") return;
    const { status, body } = await ask();
    if (how === "slow") await pause(SLOW);
    isSaid = true;
    json(response, status, body);
  }

  const server = createServer(async (request, response) => {
    const form = new URLSearchParams(await text(request));
    if (form.get("grant_type") === "refresh_token") return refreshed(form, request, response);
    const { status, body } = await forward(form, request);
    const grant = { accessTokens: new Set<string>(), refreshTokens: new Set<string>(), torn: 0, isLost: false };
    grants.push(grant);
    learn(grant, body);
    json(response, status, body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const wire: TornWire = {
    tokenURL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/token`,
    ...{ grants, violations, refreshes: () => refreshes, choose: () => undefined },
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
  return wire;
}

interface TokenAnswer {
  readonly access_token?: string;
  readonly refresh_token?: string;
}

interface Answer {
  readonly status: number;
  readonly body: TokenAnswer;
}
