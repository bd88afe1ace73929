import { execFileSync } from "node:child_process";
import { type IncomingMessage, request } from "node:http";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { NO_UPSTREAM } from "../behaviour/fixture.ts";
import { signInConfiguration } from "../behaviour/sign-in-configuration.ts";
import type { RunningRegions } from "../support/runtime.ts";
import { startWebUpstream, type WebUpstream } from "../support/web-upstream.ts";
import { bareWorkerd } from "./bare-workerd.ts";
import { node } from "./node.ts";

const MB = 1024 * 1024;
/** What it takes to warm up, and what then has to pass. */
const LITTLE = 64 * MB;
const MUCH = 1024 * MB;
/** Above what is used after little: a quarter of what would be there if a body were kept. */
const MORE = 256 * MB;

const APP = `  - type: proxy
    name: files
    routePatterns: [/files]
    stripPrefix: /files
    upstream: "{{ env.SITE_URL }}"
    maxBody: 2GB
    policies:
      - location: /
        authentication: { allowUnauthenticated: true }
        authorization: { allowAll: true }
`;

describe.each([node, bareWorkerd])("bodies of a gigabyte through $name", (runtime) => {
  let upstream: WebUpstream;
  let regions: RunningRegions;
  beforeAll(async () => {
    upstream = await startWebUpstream();
    const variables = { UPSTREAM_URL: NO_UPSTREAM, IDP_URL: NO_UPSTREAM, IDP_CLIENT: "x", IDP_SECRET: "x" };
    regions = await runtime.start({
      configuration: signInConfiguration + APP,
      variables: { ...variables, SITE_URL: upstream.url },
      alone: true,
    });
  }, 180_000);
  afterAll(async () => {
    await regions.stop();
    await upstream.stop();
  });

  const resident = () =>
    Number(execFileSync("ps", ["-o", "rss=", "-p", String(regions.us.pid)], { encoding: "utf8" })) * 1024;

  /** The most memory that was in use, looked at each time that so much more had passed. */
  function watch() {
    let passed = 0;
    let next = 0;
    let peak = 0;
    return {
      pass(bytes: number) {
        passed += bytes;
        if (passed < next) return;
        next += 32 * MB;
        peak = Math.max(peak, resident());
      },
      ended: () => ({ passed, peak: Math.max(peak, resident()) }),
    };
  }

  async function down(bytes: number) {
    const watched = watch();
    const answer = await answerTo(request(`${regions.us.url}/files/large?bytes=${bytes}`));
    for await (const piece of answer) watched.pass((piece as Buffer).byteLength);
    return watched.ended();
  }

  async function up(bytes: number, headers: Readonly<Record<string, string>>) {
    const watched = watch();
    const sent = request(`${regions.us.url}/files/echo`, { method: "POST", headers });
    const answering = answerTo(sent, Readable.from(pieces(bytes, watched.pass)));
    const { length } = JSON.parse(await text(await answering)) as { length: number };
    return { ...watched.ended(), passed: length };
  }

  test.each([
    ["down", down],
    ["up, of a declared length", (bytes: number) => up(bytes, { "Content-Length": String(bytes) })],
    ["up, in chunks", (bytes: number) => up(bytes, { "Transfer-Encoding": "chunked" })],
  ])("%s, in flat memory", { timeout: 300_000 }, async (_, pass) => {
    const { peak: before } = await pass(LITTLE);
    const { passed, peak } = await pass(MUCH);
    expect(passed).toBe(MUCH);
    expect({ before, peak, isFlat: peak < before + MORE }).toMatchObject({ isFlat: true });
  });
});

function answerTo(sent: ReturnType<typeof request>, body?: Readable): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    sent.once("response", resolve).once("error", reject);
    if (body === undefined) sent.end();
    else body.pipe(sent);
  });
}

const PIECE = Buffer.alloc(64 * 1024, "x");

function* pieces(bytes: number, note: (bytes: number) => void): Generator<Buffer> {
  for (let left = bytes; left > 0; left -= PIECE.byteLength) {
    note(PIECE.byteLength);
    yield PIECE;
  }
}
