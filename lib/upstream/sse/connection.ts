import type { JsonObject } from "../../kernel/json.ts";
import type { Deadline } from "../deadline.ts";
import { UpstreamRefusal } from "../refusal.ts";
import { type SpokenUpstream, wireTarget } from "../spoken-upstream.ts";
import { readAnswer } from "../wire/wire-answer.ts";
import { send, type WireTarget } from "../wire/wire-target.ts";
import { openEvents } from "./open-events.ts";
import { createRoutes, type Routes } from "./routes.ts";

/** A stream of an upstream that speaks the legacy transport, and the way back: a session there is as long as it. */
export interface Connection extends Pick<Routes, "begin" | "end" | "hearOthers">, Posting {
  /** Aborts when the connection is over, whoever ended it. */
  readonly closed: AbortSignal;
  close(): void;
  /** Closes it when what was told has gone out. */
  leave(): Promise<void>;
}

interface Posting {
  /**
   * Posts a message, with the credential of the request that it belongs to.
   *
   * @throws UpstreamRefusal; UpstreamFailure
   */
  post(message: JsonObject, upstream: SpokenUpstream, signal: AbortSignal): Promise<void>;
  /** Posts what no answer comes to, within a few seconds. @throws likewise */
  tell(message: JsonObject, upstream: SpokenUpstream): Promise<void>;
  /** The revision that was agreed on: later messages name it. */
  agreeOn(protocolVersion: string): void;
}

/** Milliseconds. */
const PATIENCE = 5_000;

/**
 * Connects to an upstream; the handshake comes next.
 *
 * @throws UpstreamRefusal; UpstreamFailure
 */
export async function connect(upstream: SpokenUpstream, deadline: Deadline): Promise<Connection> {
  const end = new AbortController();
  const close = (): void => end.abort();
  const given = AbortSignal.any([upstream.signal, deadline.signal]);
  given.addEventListener("abort", close, { once: true });
  if (given.aborted) close();
  try {
    const { endpoint, messages } = await openEvents(upstream, end.signal);
    const { run, ...routes } = createRoutes();
    const { told, ...posting } = postingTo(endpoint, end.signal);
    void run(messages).then(close);
    return { ...routes, ...posting, closed: end.signal, close, leave: () => told().then(close) };
  } catch (cause) {
    close();
    throw cause;
  } finally {
    given.removeEventListener("abort", close);
  }
}

/** @returns also what resolves when everything that was told by then has gone out, or has failed */
function postingTo(endpoint: string, closed: AbortSignal): Posting & { readonly told: () => Promise<unknown> } {
  const running = new Set<Promise<void>>();
  let headers: Readonly<Record<string, string>> = {};

  async function post(message: JsonObject, upstream: SpokenUpstream, signal: AbortSignal): Promise<void> {
    const target = wireTarget(upstream, headers, AbortSignal.any([signal, closed]));
    await postAlone(JSON.stringify({ jsonrpc: "2.0", ...message }), { ...target, url: endpoint });
  }

  return {
    post,
    tell: async (message, upstream) => {
      const work = post(message, upstream, AbortSignal.timeout(PATIENCE));
      running.add(work);
      await work.finally(() => running.delete(work));
    },
    agreeOn: (protocolVersion) => {
      headers = { "mcp-protocol-version": protocolVersion };
    },
    told: () => Promise.allSettled(running),
  };
}

/**
 * Posts one message. What an upstream has to say to it comes on the stream, so that success says nothing here.
 *
 * @throws UpstreamRefusal; UpstreamFailure
 */
async function postAlone(text: string, target: WireTarget): Promise<void> {
  const response = await send({ method: "POST", body: text }, { "content-type": "application/json" }, target);
  if (response.ok) {
    // What is thrown away cannot fail any more.
    await response.body?.cancel().catch(() => undefined);
    return;
  }
  const answer = await readAnswer(response, target);
  if (answer.kind === "refused") throw new UpstreamRefusal(answer);
}
