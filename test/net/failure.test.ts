import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { documentReader } from "../../infra/node/files/read-document.ts";
import { networkFailure } from "../../lib/net/failure.ts";
import { type DocumentServer, openDocumentServer } from "../support/document-server.ts";
import { freePort } from "../support/free-port.ts";

let server: DocumentServer;
beforeAll(async () => {
  server = await openDocumentServer(["other.example"]);
});
afterAll(() => server.close());

const failureOf = async (url: string) =>
  networkFailure(
    await fetch(url).then(
      () => undefined,
      (error: unknown) => error,
    ),
  );
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
