import { EventEmitter } from "node:events";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { trackConnections } from "../../infra/node/http/connections.ts";
import { lazyProperties } from "../../lib/kernel/lazy-properties.ts";
import { type AgentPorts, agentSideOf } from "../../lib/mcp/agent-side.ts";
import type { MethodContext } from "../../lib/mcp/caller.ts";
import { answerInPieces } from "../../lib/reverse-proxy/watched-answer.ts";

const REQUESTS = 20_000;
/** Of each request, bytes. */
const SIZE = 800;
const AT_ONCE = 16;

const REQUEST = { kind: "request", id: 1, method: "tools/call", params: {} } as const;
const MCP_PORTS = { mcpProvider: { serverName: "gateway" } } as unknown as AgentPorts;

/**
 * V8 collects new objects often and old ones seldom. What is new and linked by something old that nobody uses any more grows old
 * as well: once a request is, it takes memory and time until the next full collection.
 */
test.each<[string, () => (held: number[]) => () => void]>([
  [
    "object with a lazy property",
    () => {
      const withText = lazyProperties<{ text: string }>("text");
      return (held) => {
        const made = withText({ text: () => String(held.length) });
        return () => made.text;
      };
    },
  ],
  [
    "answer in pieces",
    () => (held) => {
      const pieces = { read: async () => undefined, cancel: async () => void held.length };
      const answer = answerInPieces({ status: 200, headers: new Headers() }, pieces);
      return () => answer.status;
    },
  ],
  [
    "agent of an MCP request",
    () => (held) => {
      const context = { http: { headers: new Headers() }, openAnswer: () => held, text: undefined };
      const agent = agentSideOf(REQUEST, context as unknown as MethodContext, MCP_PORTS);
      return () => agent.params();
    },
  ],
  [
    "running answer",
    () => {
      const { began } = trackConnections(new EventEmitter() as Server);
      const socket = new EventEmitter();
      return (held) => {
        const outgoing = Object.assign(new EventEmitter(), { held });
        began({ socket } as IncomingMessage, outgoing as unknown as ServerResponse);
        return () => outgoing.emit("close");
      };
    },
  ],
])("an %s is gone when its request is, without a full collection", (_, begin) => {
  const collect = collector();
  const make = begin();
  const kept = (): number => {
    const running: (() => void)[] = [];
    collect("major");
    const before = getHeapStatistics().used_heap_size;
    for (let at = 1; at <= REQUESTS; at += 1) {
      running.push(make(new Array(SIZE / 8).fill(at)));
      if (running.length > AT_ONCE) running.shift()?.();
      if (at % 500 === 0) collect("minor");
    }
    collect("minor");
    return getHeapStatistics().used_heap_size - before;
  };
  // A full collection that V8 begins by itself keeps what is new until it ends; what is linked is kept each time.
  expect(Math.min(kept(), kept(), kept())).toBeLessThan((REQUESTS * SIZE) / 4);
});

function collector(): (type: "minor" | "major") => void {
  setFlagsFromString("--expose-gc");
  const collect: (options: { type: string }) => void = runInNewContext("gc");
  setFlagsFromString("--no-expose-gc");
  return (type) => collect({ type });
}
