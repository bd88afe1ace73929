import { describe, expect, test } from "vitest";
import { parseApiClientChange, parseNewApiClient } from "../../lib/api-clients/administration.ts";
import { ProblemError } from "../../lib/kernel/problem.ts";

describe("accepted", () => {
  test("a name alone", () => {
    expect(parseNewApiClient({ name: "  CI  " })).toEqual({ name: "CI", scopes: [], resources: [] });
  });

  test("every field, with line breaks in the description", () => {
    const input = {
      name: "📦 build",
      description: "first\n\tsecond",
      scopes: ["audit:read", "books:lend", "x!#~"],
      resources: ["https://gateway.example/mcp", "http://localhost:8080/mcp?x=1"],
    };
    expect(parseNewApiClient(input)).toEqual(input);
  });

  test("limits are inclusive and count characters, not code units", () => {
    const input = { name: "📦".repeat(200), description: "é".repeat(2000), scopes: ["s".repeat(200)] };
    expect(parseNewApiClient(input)).toMatchObject(input);
  });

  test("a patch holds only what it names, and null empties the description", () => {
    expect(parseApiClientChange({})).toEqual({});
    expect(parseApiClientChange({ description: null })).toEqual({ description: "" });
    expect(parseApiClientChange({ scopes: [] })).toEqual({ scopes: [] });
  });
});

describe("refused with pointers, all at once:", () => {
  test.each<[unknown, string[]]>([
    [{}, ["/name"]],
    [{ name: "" }, ["/name"]],
    [{ name: " \n " }, ["/name"]],
    [{ name: "x".repeat(201) }, ["/name"]],
    [{ name: 5, description: 5, scopes: 5, resources: 5 }, ["/name", "/description", "/scopes", "/resources"]],
    [{ name: "a\u0007b", description: "a\u0000b" }, ["/name", "/description"]],
    [{ name: "a\nb" }, ["/name"]],
    [{ name: "a\ud800" }, ["/name"]],
    [{ name: "a", description: "x".repeat(2001) }, ["/description"]],
    [
      { name: "a", scopes: ["ok", "", "a b", 'a"b', "a\\b", "é", 7, "ok"] },
      ["/scopes/1", "/scopes/2", "/scopes/3", "/scopes/4", "/scopes/5", "/scopes/6", "/scopes/7"],
    ],
    [{ name: "a", scopes: Array.from({ length: 101 }, (_, i) => `s${i}`) }, ["/scopes"]],
    [
      {
        name: "a",
        resources: [
          "",
          "/mcp",
          "ftp://a.example",
          "https://a.example/#f",
          "https://u:p@a.example",
          "https://",
          "javascript:1",
        ],
      },
      [0, 1, 2, 3, 4, 5, 6].map((i) => `/resources/${i}`),
    ],
    [{ name: "a", clientId: "client_x", "a/b~c": 1 }, ["/clientId", "/a~1b~0c"]],
    [JSON.parse('{"name":"a","__proto__":{"scopes":["x"]}}'), ["/__proto__"]],
  ])("%j", (input, pointers) => expect(pointersOf(() => parseNewApiClient(input))).toEqual(pointers));

  test.each([[undefined], [null], [[]], ["text"], [5]])("a body that is no object: %j", (input) => {
    expect(pointersOf(() => parseNewApiClient(input), "invalid_body")).toEqual([]);
  });

  test("a patch that empties the name", () => {
    expect(pointersOf(() => parseApiClientChange({ name: null }))).toEqual(["/name"]);
  });
});

describe("32. an API client is never granted what administers:", () => {
  test.each([
    "api_clients:write",
    "api-clients:read",
    "API_CLIENTS:write",
    "members:read",
    "members",
    "organizations:write",
    "organizations.write",
    "invitations:write",
    "key_pairs:revoke",
    "gateway-settings:write",
    "roles/owner",
  ])("%s", (scope) =>
    expect(pointersOf(() => parseNewApiClient({ name: "a", scopes: [scope] }))).toEqual(["/scopes/0"]),
  );
});

function pointersOf(parse: () => unknown, code = "invalid_field"): readonly string[] {
  try {
    parse();
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    expect(error.code).toBe(code);
    return error.fields.map(({ pointer }) => pointer);
  }
  throw new Error("the input was accepted");
}
