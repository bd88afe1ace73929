import { once } from "node:events";
import { Agent, type IncomingMessage, request } from "node:http";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { RunningRegions, RuntimeUnderTest } from "../support/runtime.ts";
import { startAlone } from "./fixture.ts";

const FORM = { "Content-Type": "application/x-www-form-urlencoded" };

/** What becomes of a connection whose client is told no while it still sends (RFC 9112 section 9.6). */
export function refusedBodies(runtime: RuntimeUnderTest): void {
  describe("a body that announces no length and is too long", () => {
    let regions: RunningRegions;
    beforeAll(async () => {
      regions = await startAlone(runtime);
    });
    afterAll(() => regions.stop());

    test.each([70_000, 180_000, 1_000_000, 3_000_000])(
      "of %i bytes is refused with an answer that arrives, and the connection goes on",
      async (length) => {
        const agent = new Agent({ keepAlive: true, maxSockets: 1 });
        const { url } = regions.us;
        const refused = await exchange(agent, `${url}/oauth2/token`, length);
        const next = await exchange(agent, `${url}/oauth2/token`, 0);
        agent.destroy();
        expect(refused).toMatchObject({ status: 413, body: { error: "invalid_request" } });
        expect(next).toMatchObject({ status: 400, body: { error: "invalid_request" }, connection: refused.connection });
      },
    );
  });
}

/** Posts so many bytes in chunks. */
async function exchange(agent: Agent, url: string, length: number) {
  const sent = request(url, { agent, method: "POST", headers: FORM });
  const answered = once(sent, "response");
  const piece = Buffer.alloc(1_000, "x");
  for (let at = 0; at < length; at += piece.length) sent.write(piece);
  sent.end();
  const [response] = (await answered) as [IncomingMessage];
  const { localPort } = response.socket;
  return { status: response.statusCode, body: JSON.parse(await text(response)), connection: localPort };
}
