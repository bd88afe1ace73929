import { describe, expect, test } from "vitest";
import { headerParts } from "../../lib/config/header-template.ts";
import { type IdentityHeaderSources, identityHeaders } from "../../lib/web-apps/identity-headers.ts";

const SOURCES: IdentityHeaderSources = {
  attributes: {
    corp: {
      email: "ann@example.com",
      groups: ["payroll", "wiki"],
      level: 3,
      isActive: true,
      name: "Zoë, 100%",
      none: [],
      empty: "",
      address: { country: "NO" },
    },
    partner: { email: "ann@partner.example" },
  },
  user: { sub: "u1" },
  requestId: "r1",
};

function filled(template: string, sources: Partial<IdentityHeaderSources> = {}) {
  return identityHeaders([{ name: "x", parts: headerParts(template, "web") }], { ...SOURCES, ...sources });
}

describe("headers of a request to a web app", () => {
  test.each([
    ["{{ corp.email }}", "ann@example.com"],
    ["{{partner.email}}", "ann@partner.example"],
    ["{{ corp.groups }}", "payroll,wiki"],
    ["{{ corp.level }}/{{ corp.isActive }}", "3/true"],
    ["{{ user.sub }} by {{ request.id }}", "u1 by r1"],
    // What a header cannot hold is encoded, and so is what would look encoded.
    ["{{ corp.name }}", "Zo%C3%AB, 100%25"],
    ["Basic abc", "Basic abc"],
  ])("%s is %s", (template, value) => {
    expect(filled(template)).toEqual([["x", value]]);
  });

  test.each([
    "{{ corp.missing }}",
    "user={{ corp.missing }}",
    "{{ corp.none }}",
    "{{ corp.empty }}",
    "{{ corp.address }}",
    "{{ elsewhere.email }}",
    "{{ constructor.name }}",
    "{{ corp.constructor }}",
    "{{ agent.clientID }}",
  ])("%s is left out, as the claim is missing", (template) => {
    expect(filled(template)).toEqual([]);
  });

  test("nobody who is unknown has any", () => {
    const nobody: IdentityHeaderSources = { attributes: {}, requestId: "r1" };
    const headers = ["{{ corp.email }}", "{{ user.sub }}", "{{ request.id }}"].map((template, index) => ({
      name: `x-${index}`,
      parts: headerParts(template, "web"),
    }));
    expect(identityHeaders(headers, nobody)).toEqual([["x-2", "r1"]]);
  });

  test("a program has its client ID", () => {
    expect(filled("{{ agent.clientID }}", { agentClientID: "a1" })).toEqual([["x", "a1"]]);
  });

  test.each(["a\r\nX-Admin: true", "a\nb", "a\u0000", "\u007f", "\t"])(
    "a claim with a control character (%j) is a fault, as an element of a list too",
    (claim) => {
      const fault = { fault: "control_character", name: "x" };
      expect(filled("{{ corp.a }}", { attributes: { corp: { a: claim } } })).toEqual(fault);
      expect(filled("{{ corp.a }}", { attributes: { corp: { a: ["b", claim] } } })).toEqual(fault);
      expect(filled("{{ user.a }}", { user: { a: claim } })).toEqual(fault);
    },
  );

  test("stand in the order of the configuration", () => {
    const headers = ["b", "a"].map((name) => ({ name, parts: [{ text: name }] }));
    expect(identityHeaders(headers, SOURCES)).toEqual([
      ["b", "b"],
      ["a", "a"],
    ]);
  });
});

describe("headers of MCP apps", () => {
  test("name no claims of connectors: what looks like one is text", () => {
    expect(headerParts("{{ corp.email }}")).toEqual([{ text: "{{ corp.email }}" }]);
  });
});
