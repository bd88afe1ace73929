import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { documentReader } from "../../infra/node/files/read-document.ts";
import { mayHaveArrived, networkFailure } from "../../lib/net/failure.ts";
import { type DocumentServer, openDocumentServer } from "../support/document-server.ts";
import { freePort } from "../support/free-port.ts";

let server: DocumentServer;
beforeAll(async () => {
  server = await openDocumentServer(["other.example"]);
});
afterAll(() => server.close());

const errorOf = (url: string) =>
  fetch(url).then(
    () => undefined,
    (error: unknown) => error,
  );
const failureOf = async (url: string) => networkFailure(await errorOf(url));
const withCode = (code: unknown) => new TypeError("fetch failed", { cause: Object.assign(new Error("a"), { code }) });

describe("why no answer came", () => {
  test("is told for connections, certificates, and ports that fetch blocks", async () => {
    const refused = { cause: "ECONNREFUSED", why: "the connection was refused" };
    expect(await failureOf(`http://127.0.0.1:${await freePort()}`)).toEqual(refused);
    expect(await failureOf(`https://127.0.0.1:${server.port}`)).toEqual({
      cause: expect.stringMatching(/^(UNABLE_TO_|SELF_SIGNED_|ERR_TLS_)/),
      why: "TLS could not be agreed on",
    });
    expect((await failureOf("http://127.0.0.1:9")).cause).toBe("bad port");
  });

  test.each([
    ["ENOTFOUND", "its host name was not found"],
    ["EAI_AGAIN", "its host name was not found"],
    ["ERR_TLS_CERT_ALTNAME_INVALID", "TLS could not be agreed on"],
    ["CERT_HAS_EXPIRED", "TLS could not be agreed on"],
    ["ERR_SSL_WRONG_VERSION_NUMBER", "TLS could not be agreed on"],
    ["EHOSTUNREACH", "there is no route to it"],
  ])("%s is said in words", (code, why) => {
    expect(networkFailure(withCode(code))).toEqual({ cause: code, why });
    const both = new AggregateError([Object.assign(new Error("a"), { code }), new Error("b")]);
    expect(networkFailure(new TypeError("fetch failed", { cause: both }))).toEqual({ cause: code, why });
  });

  test("is the error's name where there is no code, and never its message", () => {
    expect(networkFailure(withCode("https://a.example/?key=secret"))).toEqual({ cause: "TypeError" });
    expect(networkFailure(new Error("https://a.example/?key=secret"))).toEqual({ cause: "Error" });
    expect(networkFailure("secret")).toEqual({ cause: "unknown" });
    expect(networkFailure(withCode("constructor"))).toEqual({ cause: "TypeError" });
    expect(networkFailure(withCode("E_OTHER"))).toEqual({ cause: "E_OTHER" });
  });

  test("is told of an OpenAPI document at a URL", async () => {
    const read = documentReader("/");
    await expect(read(`https://127.0.0.1:${await freePort()}/a.json`)).rejects.toThrow(
      "cannot be read: the server did not answer: the connection was refused (ECONNREFUSED)",
    );
    await expect(read(`https://127.0.0.1:${server.port}/a.json`)).rejects.toThrow(
      /^cannot be read: the server did not answer: TLS could not be agreed on \([A-Z_]+\)$/,
    );
    const late = () => Promise.reject(new DOMException("late", "TimeoutError"));
    await expect(documentReader("/", late)("https://a.example")).rejects.toThrow("did not answer within 30 s");
  });
});

describe("a request that failed", () => {
  test("has not arrived where no connection came about", async () => {
    const closing = createServer((socket) => socket.destroy()).listen(0, "127.0.0.1");
    await once(closing, "listening");
    const urls = [
      `http://127.0.0.1:${await freePort()}`,
      `https://127.0.0.1:${server.port}`,
      `https://127.0.0.1:${(closing.address() as AddressInfo).port}`,
      "http://127.0.0.1:9",
    ];
    const errors = await Promise.all(urls.map(errorOf));
    closing.close();
    expect(errors.map(mayHaveArrived)).toEqual([false, false, false, false]);
  });

  test.each(["ENOTFOUND", "EAI_AGAIN", "UND_ERR_CONNECT_TIMEOUT", "CERT_HAS_EXPIRED", "UND_ERR_ABORTED"])(
    "has not arrived by %s",
    (code) => expect(mayHaveArrived(withCode(code))).toBe(false),
  );

  test("may have arrived whatever else is told, and where nothing is", async () => {
    const cutting = createServer((socket) => socket.once("data", () => socket.destroy())).listen(0, "127.0.0.1");
    await once(cutting, "listening");
    const cut = await errorOf(`http://127.0.0.1:${(cutting.address() as AddressInfo).port}`);
    cutting.close();
    const silent = Object.assign(new Error("a"), { code: "ETIMEDOUT", syscall: "read" });
    const lost = new Error("Network connection lost.");
    const errors = [cut, new TypeError("fetch failed", { cause: silent }), lost, withCode("HPE_INVALID_CONSTANT")];
    expect(errors.map(mayHaveArrived)).toEqual([true, true, true, true]);
    const never = Object.assign(new Error("a"), { code: "EACCES", syscall: "connect" });
    expect(mayHaveArrived(new TypeError("fetch failed", { cause: never }))).toBe(false);
  });
});
