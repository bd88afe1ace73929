import { expect, test } from "vitest";
import { startDeadline } from "../../lib/proxy/deadline.ts";
import { deliver, SILENT } from "../../lib/proxy/deliver.ts";
import type { Upstream, UpstreamRequest } from "../../lib/proxy/upstream.ts";
import { readAnswer } from "../../lib/proxy/wire/wire-answer.ts";

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
