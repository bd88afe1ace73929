import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { modern, modernHeaders } from "../behaviour/mcp/stateless-fixture.ts";
import { type BothTransports, bothTransports } from "../gateway/inbound/both-transports.ts";

/** One tool declares its argument `noteId` with `x-mcp-header` (MCP 2026-07-28, Transports). */
describe("26. a call whose tool wants an argument in a header, too", () => {
  let it: BothTransports;
  let authorization: string;
  beforeAll(async () => {
    it = await bothTransports();
    authorization = `Bearer ${await it.token()}`;
  });
  afterAll(() => it.close());

  /** Status, and the code of the error if there is one. */
  const call = async (given: unknown, headers: Readonly<Record<string, string>>) => {
    const params = { name: "getNote", arguments: given };
    const response = await it.send("/mcp", {
      method: "POST",
      headers: {
        authorization,
        "content-type": "application/json",
        accept: "application/json",
        ...modernHeaders("tools/call", params),
        ...headers,
      },
      body: JSON.stringify(modern("tools/call", params)),
    });
    const { error } = (await response.json()) as { error?: { code: number } };
    return [response.status, error?.code];
  };

  test.each([
    ["as it is", "one", "one"],
    ["between blanks", "one", " one "],
    ["in base64", "nöte", "=?base64?bsO2dGU=?="],
    ["in base64 although it need not be", "one", "=?base64?b25l?="],
    ["that begins with a marker", "=?base64?x", "=?base64?x"],
  ])("26. is made when the header says it %s", async (_, noteId, header) => {
    expect(await call({ noteId }, { "mcp-param-note-id": header })).toEqual([200, undefined]);
  });

  test.each([
    ["is missing", "one", {}],
    ["says another", "one", { "mcp-param-note-id": "two" }],
    ["is in other letters", "one", { "mcp-param-note-id": "ONE" }],
    ["is no base64", "one", { "mcp-param-note-id": "=?base64?b25?=" }],
    ["is no UTF-8", "one", { "mcp-param-note-id": "=?base64?/w==?=" }],
    ["says it twice", "one", { "mcp-param-note-id": "one, one" }],
  ])("26. is refused with 400 and -32020 when the header %s", async (_, noteId, headers) => {
    expect(await call({ noteId }, headers as Record<string, string>)).toEqual([400, -32020]);
  });

  test("26. compares numbers as numbers", async () => {
    expect(await call({ noteId: 42 }, { "mcp-param-note-id": "42.0" })).toEqual([200, undefined]);
    expect(await call({ noteId: 42 }, { "mcp-param-note-id": "43" })).toEqual([400, -32020]);
  });

  test("26. minds no header of an argument that is absent or null, nor an unknown one", async () => {
    expect(await call({}, { "mcp-param-note-id": "one" })).toEqual([200, undefined]);
    expect(await call({ noteId: null }, {})).toEqual([200, undefined]);
    expect(await call({ noteId: "one" }, { "mcp-param-note-id": "one", "mcp-param-x": "y" })).toEqual([200, undefined]);
  });

  test("26. is not stopped by a declaration that makes no header", async () => {
    expect(await call({ noteId: "one", odd: "x" }, { "mcp-param-note-id": "one" })).toEqual([200, undefined]);
  });
});
