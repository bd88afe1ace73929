import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";

import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { jsonAnswer, secretHttp, statusText } from "../../lib/secrets/http.ts";
import { failureOf } from "./servers/failure.ts";
import { json, startVendorServer, type VendorServer } from "./servers/vendor-server.ts";

const CREDENTIAL = "Bearer hunter2";

let vendor: VendorServer;

beforeEach(async () => {
  vendor = await startVendorServer(() => json(200, { value: "hunter2" }));
});

afterEach(() => vendor.close());

function send(options: { readonly port?: number; readonly timeout?: number; readonly reference?: string } = {}) {
  const { port = vendor.port, timeout, reference } = options;
  const url = new URL(`http://127.0.0.1:${port}/secret?key=hunter2`);
  const request = { url, method: "POST", headers: { Authorization: CREDENTIAL }, body: CREDENTIAL } as const;
  return secretHttp({ provider: "vendor", fetch, timeout })({ ...request, reference });
}

const refused = (options?: Parameters<typeof send>[0]) => failureOf(() => send(options), ["hunter2"]);

describe("a request to a secret provider", () => {
  test("resolves to status, headers and text of any answer, and follows no redirect", async () => {
    vendor.before = () => new Response("elsewhere", { status: 302, headers: { Location: "/other" } });
    const { status, headers, text } = await send();
    expect([status, headers.get("Location"), text]).toEqual([302, "/other", "elsewhere"]);
    expect(vendor.asked).toEqual(["POST /secret?key=hunter2"]);
  });

  test.each([429, 500, 503])(
    "that is answered with %d is made three times, and the last answer counts",
    async (status) => {
      vendor.before = () => json(status, {}, { "Retry-After": "0" });
      expect((await send()).status).toBe(status);
      expect(vendor.asked).toHaveLength(3);
    },
  );

  test.each([400, 401, 403, 404])("that is answered with %d is made once", async (status) => {
    vendor.before = () => json(status, {});
    expect((await send()).status).toBe(status);
    expect(vendor.asked).toHaveLength(1);
  });

  test("succeeds when the server comes back, although it wanted a wait of an hour", async () => {
    let failures = 1;
    vendor.before = () => (failures-- > 0 ? json(503, {}, { "Retry-After": "3600" }) : undefined);
    expect(jsonAnswer(await send())).toEqual({ value: "hunter2" });
  });

  test("that is not answered in time is an error at once", async () => {
    vendor.before = () => new Promise(() => undefined);
    expect(await refused({ timeout: 300 })).toBe("signing in to vendor failed: no answer within 0.3 s");
    // Not again; on a busy machine the time is over before the request is there.
    expect(vendor.asked.length).toBeLessThanOrEqual(1);
  });

  test("whose answer does not end in time is an error as well", async () => {
    const { port, close } = await rawServer((socket) => {
      socket.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf");
    });
    expect(await refused({ port, timeout: 300, reference: "a.b" })).toBe(
      "vendor has not given the secret <a.b>: no answer within 0.3 s",
    );
    await close();
  });

  test("whose answer is cut off three times is an error that names the secret", async () => {
    let connections = 0;
    const { port, close } = await rawServer((socket) => {
      connections++;
      socket.end("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf");
    });
    expect(await refused({ port, reference: "a.b" })).toMatch(
      /^vendor has not given the secret <a\.b>: the connection failed \(\w+\)$/,
    );
    expect(connections).toBe(3);
    await close();
  });

  test("whose answer is larger than any secret is an error, and the rest is not read", async () => {
    const { port, close } = await rawServer((socket) => {
      socket.on("error", () => undefined);
      socket.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
      const chunk = `10000\r\n${"x".repeat(65_536)}\r\n`;
      const pour = () => {
        while (socket.writable && socket.write(chunk));
        if (socket.writable) socket.once("drain", pour);
      };
      pour();
    });
    expect(await refused({ port })).toBe("signing in to vendor failed: its answer is larger than 1048576 bytes");
    await close();
  });
});

describe("a request that cannot be sent is an error at once, which quotes nothing of it", () => {
  const sendTo = (address: string, headers: Readonly<Record<string, string>>) =>
    failureOf(
      () => secretHttp({ provider: "vendor", fetch })({ url: new URL(address), headers, reference: "a.b" }),
      ["hunter2"],
    );

  test.each(["hunter2\r\nX-Evil: 1", "hunter2\n", "hunter2\u0000", "hunter2€"])("a header %j", async (value) => {
    expect(await sendTo(`http://127.0.0.1:${vendor.port}/`, { "X-Fine": "x", "X-Token": value })).toBe(
      "vendor has not given the secret <a.b>: what belongs in the header X-Token has characters that cannot be there",
    );
    expect(vendor.asked).toEqual([]);
  });

  test.each(["hunter2@", "user:hunter2@"])("an address with %s", async (user) => {
    expect(await sendTo(`http://${user}127.0.0.1:${vendor.port}/`, {})).toBe(
      "vendor has not given the secret <a.b>: the address to ask has a user name or a password",
    );
    expect(vendor.asked).toEqual([]);
  });
});

describe("a request that nobody waits for any more", () => {
  const ended = (signal: AbortSignal) =>
    failureOf(() => {
      const url = new URL(`http://127.0.0.1:${vendor.port}/`);
      return secretHttp({ provider: "vendor", fetch, signal })({ url });
    }, []);
  const REASON = "signing in to vendor failed: it is not waited for any more";

  test("ends while the server thinks", async () => {
    const stopping = new AbortController();
    vendor.before = () => {
      stopping.abort();
      return new Promise(() => undefined);
    };
    expect(await ended(stopping.signal)).toBe(REASON);
  });

  test("ends while it waits for another attempt, and there is none", async () => {
    const stopping = new AbortController();
    vendor.before = () => {
      setTimeout(() => stopping.abort(), 50);
      return json(503, {}, { "Retry-After": "3600" });
    };
    expect(await ended(stopping.signal)).toBe(REASON);
    expect(vendor.asked).toHaveLength(1);
  });

  test("is not sent", async () => {
    expect(await ended(AbortSignal.abort())).toBe(REASON);
    expect(vendor.asked).toEqual([]);
  });
});

describe("what an error shows of an answer", () => {
  test.each([
    [403, "AccessDenied", "status 403 (AccessDenied)"],
    [400, "invalid_client", "status 400 (invalid_client)"],
    [400, undefined, "status 400"],
    [400, { code: "x" }, "status 400"],
    [400, "no code but a sentence", "status 400"],
    [400, "x".repeat(65), "status 400"],
  ])("is the status %d, and of the code %j what is a short word", (status, code, text) => {
    expect(statusText(status, code)).toBe(text);
  });

  test.each(["", "<html>", "[1]", "null", '"text"'])("%j is no JSON object", (text) => {
    expect(jsonAnswer({ status: 200, headers: new Headers(), bytes: new Uint8Array(), text })).toBeUndefined();
  });
});

/** A server that says what it wants on each connection as soon as a request begins. */
async function rawServer(serve: (socket: Socket) => void) {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.once("data", () => serve(socket));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}
