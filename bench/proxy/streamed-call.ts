import { type Agent, request } from "node:http";
import type { Call } from "./calls.ts";

/** Milliseconds from when the upstream wrote something until it was here. */
export interface StreamedCall {
  /** The event that tells of progress. */
  readonly report: number;
  /** The first byte of the result. */
  readonly result: number;
  /** Bytes of the answer. */
  readonly length: number;
}

/** Calls a tool whose result comes as an event of a stream, and reads all of it. Rejects when it is none. */
export function callStreamed(port: number, { headers, body }: Call, agent: Agent): Promise<StreamedCall> {
  return new Promise((resolve, reject) => {
    const all = { ...headers, "Content-Length": Buffer.byteLength(body) };
    const options = { host: "localhost", port, path: "/mcp", method: "POST", headers: all, agent };
    const sent = request(options, (response) => {
      const delays: number[] = [];
      let length = 0;
      let beginning = "";
      let end = "";
      response.on("data", (chunk: Buffer) => {
        length += chunk.length;
        end = (end + chunk.subarray(-END_LENGTH).toString("latin1")).slice(-END_LENGTH);
        if (delays.length === 2) return;
        beginning += chunk.toString("latin1");
        delays.push(...delaysIn(beginning).slice(delays.length));
      });
      response.once("error", reject);
      response.once("end", () => {
        const [report, result] = delays;
        if (END.test(end) && report !== undefined && result !== undefined) resolve({ report, result, length });
        else
          reject(
            new Error(`A call was answered with ${response.statusCode}, ${length} bytes: ${beginning.slice(0, 300)}`),
          );
      });
    });
    sent.once("error", reject);
    sent.end(body);
  });
}

/** Of a whole result, and of nothing that tells of a failure; the id of the event may stand behind it. */
const END = /"\}\]\}\}\n(?:id: \S+\n)?\n$/;
const END_LENGTH = 100;

/** How long ago each time was that a text has. */
function delaysIn(text: string): readonly number[] {
  const now = process.hrtime.bigint();
  return Array.from(text.matchAll(/at:(\d+);/g), ([, at = "0"]) => Number(now - BigInt(at)) / 1e6);
}
