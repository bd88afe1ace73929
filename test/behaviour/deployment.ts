import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { JsonObject } from "../../lib/kernel/json.ts";
import { artifactFrom, type Publisher, publisher } from "../deployment/bundles.ts";
import { eventually } from "../support/eventually.ts";
import type { RunningRegions, RuntimeUnderTest } from "../support/runtime.ts";
import { startUpstream, type Upstream } from "../support/upstream.ts";
import { beginning, NOTES_APP, SESSIONS, SET_UP_CONSOLE, TOKEN_SERVICE } from "../support/yaml.ts";
import { type Owner, setUpOwner } from "./fixture.ts";
import { auditOutcome, post, type RpcAnswer, rpc, STATELESS_META, textOf } from "./gateway-fixture.ts";

/** A gateway that is open to everybody and says which configuration it has. */
const named = (name: string, more = "") =>
  `${beginning()}${SET_UP_CONSOLE}${TOKEN_SERVICE}mcpProvider:
  enabled: true
  serverName: ${name}
${SESSIONS}apps:
${NOTES_APP}${more}`;

/** Where bundles are published, and how often instances looked. */
interface Place {
  readonly url: string;
  looks: number;
  bundle: Uint8Array | undefined;
  stop(): void;
}

/** What is published is taken over by running instances, and nothing else is (checklist 81). */
export function deployment(runtime: RuntimeUnderTest): void {
  describe("deployment", { timeout: 120_000 }, () => {
    let place: Place;
    let upstream: Upstream;
    let ours: Publisher;
    let regions: RunningRegions;
    let owner: Owner;

    const publish = async (name: string, revision: number, about = {}): Promise<void> => {
      const artifact = await artifactFrom(withProcesses(named(name), runtime));
      place.bundle = await ours.bundle(artifact, { region: "us", revision, ...about });
    };
    /** Without a session: those that one caller begins are bounded. */
    const ask = async (method: string, params: JsonObject = {}, headers = {}): Promise<RpcAnswer> => {
      const message = { jsonrpc: "2.0", id: 1, method, params: { ...params, _meta: STATELESS_META } };
      const said = { "mcp-protocol-version": "2026-07-28", "mcp-method": method };
      return rpc(await post(regions.us, message, { ...said, ...headers }));
    };
    const served = async (): Promise<string | undefined> =>
      /"name":"([^"]+)"/.exec(JSON.stringify(await ask("server/discover")))?.[1];
    const inUse = (name: string) => eventually(served, (found) => found === name);
    /** Until an instance has looked again, as often as there are instances. */
    const lookedAt = async (): Promise<void> => {
      const before = place.looks;
      await eventually(served, () => place.looks > before);
    };

    beforeAll(async () => {
      [place, upstream, ours] = await Promise.all([startPlace(), startUpstream(), publisher()]);
      const variables = {
        UPSTREAM_URL: upstream.url,
        ...sourceFor(runtime, place),
        SVC_CONFIG_KEYS: ours.publicPem,
        SVC_CONFIG_DEPLOYMENT: "production",
        SVC_CONFIG_FALLBACK: "builtin",
        SVC_CONFIG_INTERVAL: "5s",
      };
      regions = await runtime.start({ configuration: named("built-in"), variables, alone: true });
      owner = await setUpOwner(regions.us);
    });
    afterAll(async () => {
      await regions.stop();
      await upstream.stop();
      place.stop();
    });

    test("81. what is published is in use within an interval, and records name it", async () => {
      expect(await served()).toBe("built-in");
      await publish("first", 3);
      await inUse("first");
      const tool = "upstream_listNotes";
      const answer = await ask("tools/call", { name: tool, arguments: {} }, { "mcp-name": tool });
      expect(textOf(answer)).toContain("First");
      expect(await auditOutcome(owner, "listNotes", "success")).toMatchObject({ configRevision: 3 });
      await publish("second", 4);
      await inUse("second");
    });

    test("81. what is forged, old or wrong changes nothing, and is told once", async () => {
      const others = await publisher();
      const artifact = await artifactFrom(named("forged"));
      const without = { ...artifact, document: { apps: 5 }, placeholders: [], catalogs: {} };
      const region = "us";
      const bundles: readonly (readonly [Uint8Array, RegExp])[] = [
        [await others.bundle(artifact, { region, revision: 9 }), /none of this instance's/],
        [await ours.bundle(artifact, { region, revision: 3 }), /revision 4 was in use already/],
        [await ours.bundle(without, { region, revision: 9 }), /apps/],
      ];
      for (const [bundle, reason] of bundles) {
        place.bundle = bundle;
        await lookedAt();
        await eventually(
          async () => regions.us.logs().join("\n"),
          (log) => reason.test(log.slice(log.lastIndexOf("is not taken over"))),
        );
        expect(await served()).toBe("second");
      }
    });

    test("81. a higher revision follows, also one that goes back to former contents", async () => {
      await publish("first", 10, { rollbackOf: 3 });
      await inUse("first");
    });
  });
}

/** A URL on Node, a bucket elsewhere: all that differs is how it is asked for. */
function sourceFor({ name }: RuntimeUnderTest, { url }: Place): Readonly<Record<string, string>> {
  if (name === "node") return { SVC_CONFIG_SOURCE: url };
  const { origin, pathname } = new URL(url);
  const bucket = `s3://config${pathname}?region=auto&endpoint=${encodeURIComponent(origin)}`;
  // Lambda has a key of its own.
  const key = { AWS_ACCESS_KEY_ID: "AKIDEXAMPLE", AWS_SECRET_ACCESS_KEY: "of-a-test" };
  return { SVC_CONFIG_SOURCE: bucket, ...(name === "workerd" && key) };
}

/** How many processes there are is settled when they start. */
function withProcesses(yaml: string, { processes }: RuntimeUnderTest): string {
  return processes === undefined ? yaml : yaml.replace("\nhttp:\n", `\nhttp:\n  workers: ${processes}\n`);
}

async function startPlace(): Promise<Place> {
  const place = { url: "", looks: 0, bundle: undefined as Uint8Array | undefined, stop: () => undefined as undefined };
  const server = createServer((request, response) => {
    place.looks += 1;
    const tag = `"${Buffer.from(place.bundle?.subarray(-40) ?? []).toString("base64")}"`;
    if (place.bundle === undefined) response.writeHead(404).end();
    else if (request.headers["if-none-match"] === tag) response.writeHead(304).end();
    else response.writeHead(200, { etag: tag }).end(place.bundle);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  place.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/countersign.bundle.json`;
  place.stop = () => {
    server.closeAllConnections();
    server.close();
  };
  return place;
}
