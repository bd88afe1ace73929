import { expect, test } from "vitest";
import { startDeadline } from "../../lib/upstream/deadline.ts";
import { deliver, SILENT } from "../../lib/upstream/deliver.ts";
import type { UpstreamRequest } from "../../lib/upstream/spoken-upstream.ts";
import type { Upstream } from "../../lib/upstream/upstream.ts";
import { readAnswer } from "../../lib/upstream/wire/wire-answer.ts";

const LENGTH = 1_000_000;

test.each(["application/json", "text/event-stream"])(
  "a long answer of %s arrives whole, however slowly",
  async (type) => {
    const written: Uint8Array[] = [];
    const agent = {
      id: 7,
      openAnswer: () => ({
        write: async (chunk: Uint8Array) => {
          written.push(chunk.slice());
          await new Promise(setImmediate);
        },
        commit: () => undefined,
        withdraw: () => undefined,
      }),
    };
    const request = { id: 7, method: "tools/call", params: {}, rules: {} } satisfies UpstreamRequest;
    const text = `{"jsonrpc":"2.0","id":7,"result":{"text":"${"a".repeat(LENGTH)}"}}`;
    const response = new Response(slowly(type === "application/json" ? text : `data: ${text}\n\n`), {
      headers: { "content-type": type },
    });
    const target = { url: "", fetch, headers: {}, signal: new AbortController().signal };
    const answer = await readAnswer(response, target);
    if (answer.kind !== "messages") throw new Error(answer.kind);
    const deadline = startDeadline(10_000);
    const { facts } = await deliver(answer.messages, request, { agent } as unknown as Upstream, SILENT, deadline);
    deadline.end();
    expect(facts).toMatchObject({ isAnswer: true, hasResult: true });
    expect(JSON.parse(Buffer.concat(written).toString())).toEqual(JSON.parse(text));
  },
);

test.each([{ id: 7 }, { id: 8 }])(
  "an answer for the agent's request $id keeps its bytes but the id, and others' answers are passed over",
  async (row) => {
    const result = '"result": {"n":12345678901234567890, "f":1.0,"f":1e+2}}';
    const others = '{"jsonrpc":"2.0","id":9,"result":{}}';
    const events = [others, `{"jsonrpc":"2.0","id":7, ${result}`].map((text) => `data: ${text}\n\n`).join("");
    const response = new Response(events, { headers: { "content-type": "text/event-stream" } });
    const target = { url: "", fetch, headers: {}, signal: new AbortController().signal };
    const answer = await readAnswer(response, target);
    if (answer.kind !== "messages") throw new Error(answer.kind);
    const request = { id: 7, method: "tools/call", params: {}, rules: {} } satisfies UpstreamRequest;
    const logger = { debug: () => undefined };
    const upstream = { agent: { id: row.id }, app: { name: "ledger" }, request: { logger } } as unknown as Upstream;
    const deadline = startDeadline(10_000);
    const { forwarded } = await deliver(answer.messages, request, upstream, SILENT, deadline);
    deadline.end();
    expect(forwarded).toEqual({ kind: "message", text: expect.stringContaining(result) });
    expect(JSON.parse(forwarded.kind === "message" ? forwarded.text : "")).toMatchObject({ id: row.id });
  },
);

/** In pieces, each of which is there only when the one before was read. */
function slowly(text: string): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  let at = 0;
  return new ReadableStream(
    {
      pull: async (controller) => {
        await new Promise(setImmediate);
        controller.enqueue(bytes.subarray(at, at + 50_000));
        at += 50_000;
        if (at >= bytes.length) controller.close();
      },
    },
    { highWaterMark: 0 },
  );
}
