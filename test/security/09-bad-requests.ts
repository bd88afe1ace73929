import { connect } from "node:net";
import { expect, test } from "vitest";
import { RESOURCE_SERVER } from "../behaviour/configuration.ts";
import { answerOf, basic, postForm, signAssertion, tokenParameters } from "../behaviour/fixture.ts";
import type { SecurityContext } from "./context.ts";

const ENDPOINTS = ["token", "introspect", "revoke"];

export function badRequests(context: SecurityContext): void {
  const form = async () => {
    const assertion = await signAssertion(context.signer, context.us);
    return new URLSearchParams(tokenParameters(assertion, { token: "unknown" })).toString();
  };
  const expectInvalidRequest = async (response: Promise<Response>, status = 400) => {
    const answer = await answerOf(response);
    expect(answer).toMatchObject({ status, body: { error: "invalid_request" } });
    expect(answer.headers.get("Cache-Control")).toBe("no-store");
  };

  for (const endpoint of ENDPOINTS) {
    const url = () => `${context.us.url}/oauth2/${endpoint}`;

    test(`9. duplicate parameters at ${endpoint} are invalid_request`, async () => {
      for (const again of ["grant_type=client_credentials", "client_assertion=x", "scope=a&scope=a", "x=&x="]) {
        const body = `${await form()}&${again}`;
        await expectInvalidRequest(postForm(url(), body));
      }
    });

    test(`9. two authentication methods at ${endpoint} are invalid_request`, async () => {
      await expectInvalidRequest(postForm(url(), await form(), basic(RESOURCE_SERVER)));
      await expectInvalidRequest(postForm(url(), `${await form()}&client_secret=x`));
    });

    test.each([
      "application/json",
      "text/plain",
      "multipart/form-data; boundary=x",
      "application/x-www-form-urlencoded; charset=latin1",
    ])(`9. a body of type %s at ${endpoint} is invalid_request`, async (type) => {
      await expectInvalidRequest(postForm(url(), await form(), { "Content-Type": type }));
    });

    test(`9. a body of 1 MB at ${endpoint} is refused with 413`, async () => {
      await expectInvalidRequest(postForm(url(), `${await form()}&x=${"a".repeat(1024 * 1024)}`), 413);
    });

    test.each(["x=%00", "%00=x", "x=%zz", "x=%", "x=%ff", "x=\u0000", "x=é", "=x"])(
      `9. malformed encoding %j at ${endpoint} is invalid_request`,
      async (malformed) => {
        await expectInvalidRequest(postForm(url(), `${await form()}&${malformed}`));
      },
    );

    test(`9. other methods at ${endpoint} get 405 and the one that is allowed`, async () => {
      for (const method of ["GET", "PUT", "DELETE"]) {
        const response = await fetch(url(), { method });
        expect(response.status).toBe(405);
        expect(response.headers.get("Allow")).toContain("POST");
        await response.body?.cancel();
      }
    });
  }

  test("9. a body that is not sent whole ends the connection, and is no defect in the log", async () => {
    const { host } = new URL(context.us.url);
    const head = `POST /oauth2/token HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/x-www-form-urlencoded\r\n`;
    for (const rest of [
      "Content-Length: 100\r\n\r\ngrant_type=",
      "Transfer-Encoding: chunked\r\n\r\nff\r\ngrant_type=",
    ]) {
      expect(await answerToCutOff(context, head + rest)).not.toMatch(/^HTTP\/1\.1 [25]/);
    }
    // What the server logs of it is written by the time that it has logged a later request.
    const marker = `after-cut-off-${crypto.randomUUID()}`;
    await expectInvalidRequest(postForm(`${context.us.url}/oauth2/token`, "", { "X-Request-Id": marker }));
    await expect.poll(() => context.us.logs().join("\n"), { timeout: 10_000 }).toContain(marker);
    expect(context.us.logs().filter((line) => line.includes('"msg":"request failed"'))).toEqual([]);
  });

  test("9. an empty body is invalid_request at the token endpoint", async () => {
    await expectInvalidRequest(postForm(`${context.us.url}/oauth2/token`, ""));
  });
}

/** What comes back until the server closes the connection, on which nothing follows these characters. */
function answerToCutOff({ us }: SecurityContext, characters: string): Promise<string> {
  const socket = connect(Number(new URL(us.url).port), "127.0.0.1");
  let received = "";
  socket.setEncoding("latin1").on("data", (piece: string) => {
    received += piece;
  });
  socket.end(characters);
  return new Promise((resolve, reject) => {
    socket.on("error", reject);
    socket.on("close", () => resolve(received));
  });
}
