import { beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../../support/eventually.ts";
import type { RuntimeUnderTest } from "../../support/runtime.ts";
import { handshake, openSocket, type SocketOptions } from "../../support/web-socket.ts";
import { createSigner, expectJson, issueToken, manage } from "../fixture.ts";
import type { AuditRecord } from "../gateway-fixture.ts";
import { SCRIPT, type WebAppsUnderTest } from "./fixture.ts";

type Fields = Readonly<Record<string, string>>;

/** WebSockets and streams of events: what is asked before they open, and what ends them while they are. */
export function socketsOfWebApps(runtime: RuntimeUnderTest, it: () => WebAppsUnderTest): void {
  const at = (path: string) => it().us.url + path;
  const own = () => ({ origin: it().us.url });
  const open = (path: string, headers: Fields = own(), more: SocketOptions = {}) =>
    openSocket(at(path), { headers, ...more });
  const status = async (path: string, headers: Fields, method?: string) =>
    (await handshake(at(path), headers, method)).status;
  const cookieOf = async (path: string) => {
    const { browser } = await it().signedIn(path);
    return { cookie: [...browser.cookies].map(([name, value]) => `${name}=${value}`).join("; ") };
  };

  if (runtime.name === "lambda") {
    test("no WebSocket can be opened: whoever asks for one is told so", async () => {
      // The domain in front hands no connection over.
      const { status: answered, headers } = await handshake(at("/site/socket"), own());
      expect(answered).toBe(426);
      expect(headers.upgrade).toBe("websocket");
    });
    return;
  }

  describe("a WebSocket of a web app", () => {
    let person: Fields;
    beforeAll(async () => {
      person = await cookieOf("/desk/");
    });

    test("carries messages of any length both ways, in their order", async () => {
      const socket = await open("/site/socket");
      socket.send("hello");
      expect(await socket.next()).toBe("hello");
      const large = new Uint8Array(1_000_000).map((_, index) => index % 251);
      socket.send(large);
      expect(await socket.next()).toEqual(large);
      const many = Array.from({ length: 2_000 }, (_, index) => `message ${index}`);
      for (const message of many) socket.send(message);
      for (const message of many) expect(await socket.next()).toBe(message);
      socket.close(1000, "");
      expect((await socket.closed).code).toBe(1000);
    });

    test("passes the subprotocol on that the app picks, and says to the app who asks", async () => {
      const socket = await open("/desk/socket?a=1", { ...own(), ...person }, { protocols: ["chat", "talk"] });
      expect(socket.protocol).toBe("chat");
      const { target, headers } = it().upstream.last();
      expect(target).toBe("/desk/socket?a=1");
      expect(headers).toMatchObject({ "x-user": "alice@corp.example", upgrade: "websocket" });
      expect(headers.cookie ?? "").not.toContain("countersign");
      socket.close(1000, "");
      await socket.closed;
    });

    test("is closed by either side with a code that the other gets", async () => {
      const byClient = await open("/site/socket");
      byClient.close(4001, "bye");
      await eventually(
        async () => it().upstream.sockets.at(-1)?.closedWith,
        (code) => code === 4001,
      );
      expect((await byClient.closed).code).toBe(4001);
      const byServer = await open("/site/socket");
      byServer.send("close 4002");
      expect(await byServer.closed).toEqual({ code: 4002, reason: "by the server" });
    });

    test("what the app answers in place of a WebSocket is passed on", async () => {
      expect(await status("/site/no-socket", own())).toBe(404);
    });

    test("65. pages of other origins open none, whoever looks at them", async () => {
      const before = it().upstream.sockets.length;
      for (const origin of ["https://evil.example", "null", `${it().us.url}.evil.example`, ""]) {
        expect(await status("/desk/socket", { ...person, origin })).toBe(403);
      }
      expect(await status("/site/socket", { origin: "https://evil.example" })).toBe(403);
      expect(await status("/desk/socket", person)).toBe(403);
      expect(it().upstream.sockets.length).toBe(before);
      expect(await status("/desk/socket", { ...person, origin: "https://elsewhere.example" })).toBe(101);
    });

    test("is for those who may make the request", async () => {
      expect(await status("/desk/socket", own())).toBe(401);
      expect(await status("/desk/socket", { ...own(), accept: "text/html" })).toBe(401);
      expect(await status("/desk/admin/socket", { ...own(), ...person })).toBe(403);
      const signer = await createSigner(it().owner, { scopes: ["desk:read"], resources: [at("/desk")] });
      const bearer = { authorization: `Bearer ${await issueToken(it().us, signer, { resource: at("/desk") })}` };
      expect(await status("/desk/api/socket", {})).toBe(401);
      expect(await status("/desk/api/socket", bearer)).toBe(101);
      expect(await status("/desk/api/secret", bearer)).toBe(403);
    });

    test("is asked for by a GET request without content", async () => {
      expect(await status("/site/socket", own(), "POST")).toBe(400);
      expect(await status("/site/socket", { ...own(), "content-length": "0" }, "PUT")).toBe(400);
    });

    test("what is ours stays what it is, whichever protocol is asked for", async () => {
      expect(await status("/oauth2/jwks", own())).toBe(200);
      expect(await status("/oauth2/jwks", { upgrade: "h2c" })).toBe(200);
      expect(await status("/site/hello", { ...own(), upgrade: "h2c" })).toBe(200);
    });

    test("is recorded when it is over", async () => {
      const socket = await open("/site/recorded");
      socket.close(1000, "");
      await socket.closed;
      const recorded = async () => {
        const { items } = await expectJson<{ items: readonly AuditRecord[] }>(
          await manage(it().owner, "GET", "/audit-events?type=web.requested"),
          200,
        );
        return items.find(({ details }) => (details as { path?: string }).path === "/site/recorded");
      };
      const record = await eventually(recorded, (found) => found?.outcome === "success");
      expect(record).toMatchObject({ details: { kind: "websocket", status: "101" }, durationMs: expect.any(Number) });
    });

    test("65. it and streams of events end when the app is stopped", async () => {
      const socket = await open("/desk/socket", { ...own(), ...person });
      const events = await fetch(at("/desk/ticking"), { headers: { ...SCRIPT, ...person } });
      expect(events.headers.get("content-type")).toBe("text/event-stream");
      const reader = events.body?.getReader();
      expect(new TextDecoder().decode((await reader?.read())?.value)).toBe("data: first\n\n");
      const asked = { kind: "app", id: "desk", state: "suspended", reason: "It does harm." };
      const placed = await manage(it().owner, "POST", "/stops", asked);
      const { stop } = await expectJson<{ stop: { stopId: string } }>(placed, 200);
      expect((await socket.closed).code).toBe(4403);
      // It may be cut off as well.
      const rest = await reader?.read().catch(() => ({ done: true }));
      expect(rest?.done).toBe(true);
      await eventually(
        async () => it().upstream.sockets.every(({ isGone }) => isGone),
        (areGone) => areGone,
      );
      await manage(it().owner, "POST", `/stops/${stop.stopId}/resume`, { reason: "It is mended." });
      await eventually(
        () => status("/desk/socket", { ...own(), ...person }),
        (found) => found === 101,
      );
    });
  });
}
