import { pause } from "../../kernel/timers.ts";
import { INTERNAL_ERROR, REFUSED } from "../../protocol/mcp/json-rpc.ts";
import { UpstreamRefusal } from "../refusal.ts";
import type { Resumption } from "../wire/event-source.ts";
import type { UpstreamMessage } from "../wire/upstream-message.ts";

/** A stream of an upstream that was opened. */
export interface OpenedStream {
  readonly messages: AsyncIterable<UpstreamMessage>;
  readonly resumption?: (() => Resumption) | undefined;
}

export interface HeldStream {
  /** Undefined: the upstream has no such stream. */
  readonly open: (lastEventId: string | undefined) => Promise<OpenedStream | undefined>;
  /** Whether it says anything. May throw what ends the stream as a refusal would. */
  readonly heard: (message: Extract<UpstreamMessage, { kind: "whole" }>) => boolean;
  /** The stream ended, or was not there, and is opened again. */
  readonly failed: (cause: unknown) => void;
}

/** Milliseconds between two attempts: doubled for each that brings nothing. */
const FIRST_WAIT = 1_000;
const LONGEST_WAIT = 60_000;
/** However soon an upstream says it wants to see us again. */
const SHORTEST_WAIT = 100;

/**
 * Keeps a stream open, from where it ended, until the signal aborts or the upstream has none. Never rejects for the upstream's
 * sake.
 */
export async function hold({ open, heard, failed }: HeldStream, signal: AbortSignal): Promise<void> {
  let wait = FIRST_WAIT;
  let resumption: Resumption = {};
  while (!signal.aborted) {
    let opened: OpenedStream | undefined;
    try {
      opened = await open(resumption.lastEventId);
      if (opened === undefined) return;
      for await (const message of opened.messages) {
        // Only answers are long, and nothing was asked.
        if (message.kind === "whole" && heard(message)) wait = FIRST_WAIT;
      }
    } catch (cause) {
      if (signal.aborted || isFinal(cause)) return;
      failed(cause);
    }
    const { retry, lastEventId } = opened?.resumption?.() ?? {};
    resumption = lastEventId === undefined ? resumption : { lastEventId };
    await pause(retry === undefined ? wait : Math.min(Math.max(retry, SHORTEST_WAIT), LONGEST_WAIT), signal);
    wait = Math.min(2 * wait, LONGEST_WAIT);
  }
}

/** What asking again does not change; 404 is a session that is over. */
const FINAL: ReadonlySet<number> = new Set([400, 403, 404, 405, 406, 410, 501]);

/** What may be otherwise later: a limit of the server. */
const PASSING: ReadonlySet<number> = new Set([INTERNAL_ERROR, REFUSED]);

function isFinal(cause: unknown): boolean {
  if (!(cause instanceof UpstreamRefusal)) return false;
  const { status, error } = cause;
  return FINAL.has(status) || (status === 200 && !PASSING.has(error?.code ?? INTERNAL_ERROR));
}
