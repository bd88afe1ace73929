import { describe, expect, test } from "vitest";
import { mistakes, startMistakes } from "./support.ts";

const HEAD = `version: 1
connectors: [{name: corporate, type: oidc, oauthClientID: a, oidcWellKnownURL: "https://corp.example/x"}]
tls: {internal: {caFile: /ca.pem}}
`;
const EXCHANGE = "idp: corporate, audience: a";

const apps = (...list: string[]) => `${HEAD}apps: [${list.join(", ")}]`;
const bridge = (keys: string) =>
  apps(`{name: a, type: mcpBridge, openapi: {spec: {uri: "https://a.example/o"}}, ${keys}}`);
const inbound = (keys: string) => bridge(`authorization: {inbound: {${keys}}}`);
const outbound = (keys: string) => bridge(`authorization: {outbound: {${keys}}}`);
const upstream = (keys: string) => bridge(`upstream: {${keys}}`);
const mcpProxy = (keys: string) => apps(`{name: a, type: mcpProxy, upstream: {${keys}}}`);
const oidc = (keys: string) => apps(`{name: a, type: oidc, clientID: c, ${keys}}`);
const proxy = (idp: string) =>
  apps(
    `{name: a, type: proxy, upstream: "https://b.example", routePatterns: [/], policies: [{location: /, authentication: {idps: [${idp}]}}]}`,
  );

/** Documents that break one rule, with the key and the words that must come back. */
const BROKEN: readonly (readonly [rule: string, yaml: string, path: string, message: string])[] = [
  ["a policy comes from one place", inbound("opa: {name: a}"), "inbound.opa", "found none of url, rego, file and plan"],
  [
    "a policy comes from one place only",
    inbound("opa: {url: 'http://a.example', file: b}"),
    "inbound.opa",
    "found url and file; accepted: exactly one of url, rego, file or plan",
  ],
  [
    "mappings of tools count where tools are pinned",
    inbound("authzen: {pdp: 'https://pdp.example', mapping: declared}"),
    "inbound.authzen.mapping",
    "accepted: pins beside it, at an app of type: mcpProxy",
  ],
  [
    "access requests are a flag of policies about calls",
    inbound("authzen: {pdp: 'https://pdp.example', accessRequests: https://pdp.example/requests}"),
    "inbound.authzen.accessRequests",
    "true or false",
  ],
  ["a rule is of one kind", inbound("rules: [{}]"), "inbound.rules[0]", "found none of cel, opa and authzen"],
  [
    "a rule is of one kind only",
    inbound("rules: [{cel: 'true', opa: {file: a}}]"),
    "inbound.rules[0]",
    "found cel and opa",
  ],
  [
    "a CEL expression can be read",
    inbound('cel: "user.sub == \\n  )"'),
    "inbound.cel",
    "the expression is wrong at its line 2, column 3: Unexpected token: RPAREN",
  ],
  [
    "a CEL expression is of what there is",
    inbound("rules: [{cel: 'caller.sub == \"a\"'}]"),
    "inbound.rules[0].cel",
    "the expression is wrong at its line 1, column 1: Unknown variable: caller",
  ],
  [
    "a CEL expression reads what there is",
    inbound('cel: "user.sub == \\"a\\" &&\\n  request.mpc.method != \\"tools/call\\""'),
    "inbound.cel",
    'the expression is wrong at its line 2, column 11: request has no member "mpc"; did you mean "mcp"?',
  ],
  [
    "a CEL expression is true or false",
    inbound("cel: size(user)"),
    "inbound.cel",
    "the expression is of the type int; accepted: bool",
  ],
  [
    "a pattern in a CEL expression takes little time",
    inbound("cel: 'request.mcp.app.matches(\"(?=a)\")'"),
    "inbound.cel",
    "at its line 1, column 25: the regular expression has a group of another kind",
  ],
  ["a policy in a rule comes from one place", inbound("rules: [{opa: {}}]"), "rules[0].opa", "found none of url"],
  ["a policy has time", inbound("opa: {file: a, timeout: 0s}"), "opa.timeout", "a positive duration"],
  [
    "a tool has its scopes once",
    inbound("tools: [{name: getThing, scopes: [a]}, {name: getThing, scopes: [b]}]"),
    "inbound.tools[1].name",
    "a tool name that stands above already, at apps[0].authorization.inbound.tools[0].name",
  ],
  ["a scope has no spaces", inbound("tools: [{name: getThing, scopes: [a b]}]"), "scopes[0]", "RFC 6749"],
  [
    "token exchange has its section",
    outbound("type: tokenExchange"),
    "outbound.tokenExchange",
    "required with type: tokenExchange",
  ],
  [
    "unprotected calls exchange nothing",
    outbound(`type: unprotected, tokenExchange: {${EXCHANGE}}`),
    "outbound.tokenExchange",
    "stands beside type: unprotected",
  ],
  [
    "token exchange names an issuer",
    outbound("type: tokenExchange, tokenExchange: {audience: a}"),
    "tokenExchange.idp",
    "required and missing",
  ],
  [
    "the issuer exists",
    outbound("type: tokenExchange, tokenExchange: {idp: corporat, audience: a}"),
    "tokenExchange.idp",
    'found "corporat", which is not the name of a connector; did you mean "corporate"?',
  ],
  [
    "the own provider is an issuer only where there is one",
    outbound("type: tokenExchange, tokenExchange: {idp: oidcProvider, audience: a}"),
    "tokenExchange.idp",
    'found "oidcProvider", which is not the name of a connector; accepted: corporate',
  ],
  [
    "a tool has one lifetime",
    outbound(`type: tokenExchange, tokenExchange: {${EXCHANGE}, tools: [{name: a}, {name: a}]}`),
    "tokenExchange.tools[1].name",
    "a tool name that stands above already",
  ],
  [
    "the lifetime of a token is positive",
    outbound(`type: tokenExchange, tokenExchange: {${EXCHANGE}, tools: [{name: a, ttl: 0s}]}`),
    "tools[0].ttl",
    "a positive duration",
  ],
  ["the timeout is positive", upstream("timeout: 0s"), "upstream.timeout", "a positive duration"],
  ["TLS settings exist", upstream("tls: intenral"), "upstream.tls", 'did you mean "internal"?'],
  ["a header stands once", upstream("headers: {X-A: b, x-a: c}"), "upstream.headers.x-a", "accepted: each header once"],
  ["a header is of ASCII", upstream("headers: {X-A: ä}"), "upstream.headers.X-A", "characters that are not ASCII"],
  ...["Host", "Content-Type", "Mcp-Session-Id", "traceparent", "Transfer-Encoding", "accept"].map(
    (name) =>
      [
        `${name} is the gateway's`,
        upstream(`headers: {${name}: a}`),
        `upstream.headers.${name}`,
        `the gateway makes ${name} by itself`,
      ] as const,
  ),
  ["a cookie is a credential", upstream("headers: {Cookie: a=b}"), "headers.Cookie", "accepted: upstream.auth"],
  [
    "an MCP server has the same headers",
    mcpProxy("stream: {url: 'https://a.example'}, headers: {Host: a}"),
    "upstream.headers.Host",
    "the gateway makes Host by itself",
  ],
  ...["Accept", "content-type", "MCP-Protocol-Version", "Mcp-Name", "Last-Event-ID"].map(
    (name) =>
      [
        `${name} toward an MCP server is the gateway's`,
        mcpProxy(`stream: {url: 'https://a.example'}, headers: {${name}: a}`),
        `upstream.headers.${name}`,
        `the gateway makes ${name} by itself`,
      ] as const,
  ),
  [
    "an MCP server gets no cookies",
    mcpProxy("stream: {url: 'https://a.example'}, headers: {Cookie: a=b}"),
    "upstream.headers.Cookie",
    "cookies are not sent to MCP servers",
  ],
  ...["ftp://a.example", "https://user:pw@a.example/mcp", "https://a.example/mcp#part", "/mcp"].map(
    (url) =>
      [
        `the URL of an MCP server is not ${url}`,
        mcpProxy(`stream: {url: '${url}'}`),
        "upstream.stream.url",
        "an absolute http or https URL without user name, password or fragment",
      ] as const,
  ),
  ...["0", "10001", "1.5"].map(
    (concurrency) =>
      [
        `not ${concurrency} requests run at the same time`,
        mcpProxy(`stream: {url: 'https://a.example'}, concurrency: ${concurrency}`),
        "upstream.concurrency",
        "a whole number from 1 to 10000",
      ] as const,
  ),
  [
    "a pattern of tools can be read",
    apps("{name: a, type: mcpProxy, upstream: {stream: {url: 'https://a.example'}}, tools: {include: [/(/]}}"),
    "tools.include[0]",
    "/a valid regular expression/",
  ],
  [
    "Authorization is the exchanged token's",
    bridge(
      `upstream: {headers: {authorization: a}}, authorization: {outbound: {type: tokenExchange, tokenExchange: {${EXCHANGE}}}}`,
    ),
    "upstream.headers.authorization",
    "stands beside type: tokenExchange",
  ],
  ["a header has a name", upstream("headers: {'X A': b}"), "upstream.headers.X A", "accepted: a header name"],
  ["stream has its section", mcpProxy("transport: stream"), "upstream.stream", "required with transport: stream"],
  ["stream is the default", mcpProxy("timeout: 5s"), "upstream.stream", "required with transport: stream"],
  [
    "sse has its section",
    mcpProxy("transport: sse, stream: {url: 'https://a.example'}"),
    "upstream.sse",
    "required with transport: sse",
  ],
  ["an MCP server has a URL", mcpProxy("stream: {tls: internal}"), "upstream.stream.url", "required and missing"],
  [
    "TLS settings of an MCP server exist",
    mcpProxy("stream: {url: 'https://a.example', tls: public}"),
    "upstream.stream.tls",
    'found "public", which is not the name of an entry of tls; accepted: internal',
  ],
  [
    "connecting takes time",
    mcpProxy("stream: {url: 'https://a.example', connection: {dialTimeout: 0s}}"),
    "connection.dialTimeout",
    "a positive duration",
  ],
  [
    "a transport is one of two",
    mcpProxy("transport: streem, stream: {url: 'https://a.example'}"),
    "upstream.transport",
    'accepted: stream, sse; did you mean "stream"?',
  ],
  ["a client authenticates", oidc("public: false"), "apps[0].credentials", "required unless the client is public"],
  ["a client has credentials", oidc("credentials: {}"), "apps[0].credentials", "found neither secrets nor jwks"],
  ["a list of secrets has one", oidc("credentials: {secrets: []}"), "credentials.secrets", "at least one secret"],
  [
    "a public client has none",
    oidc("public: true, credentials: {secrets: [a]}"),
    "apps[0].credentials",
    "stands beside public: true",
  ],
  [
    "people sign in where there is somebody",
    oidc("public: true, authentication: {idps: [corp]}"),
    "authentication.idps[0]",
    'found "corp", which is not the name of a connector; did you mean "corporate"?',
  ],
  [
    "no page runs where people come back to",
    oidc("public: true, redirectURLs: ['javascript:alert(1)']"),
    "redirectURLs[0]",
    "an absolute URL without fragment",
  ],
  [
    "a grant is known",
    oidc("public: true, grantTypes: [authorization]"),
    "grantTypes[0]",
    'did you mean "authorization_code"?',
  ],
  ["policies name somebody", proxy("elsewhere"), "policies[0].authentication.idps[0]", "accepted: corporate"],
];

describe("rules of apps", () => {
  test.each(BROKEN)("%s", async (_, yaml, path, message) => {
    const found = await mistakes(yaml);
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(`${path}: `);
    expect(found[0]).toContain(message);
  });

  test.each([
    [
      "policies of every kind",
      inbound(
        "cel: 'request.mcp.app < \"b\"', opa: {rego: 'package a', timeout: 1s}, rules: [{cel: 'true'}, {opa: {file: a}}]",
      ),
    ],
    [
      "token exchange by tool",
      outbound(
        `type: tokenExchange, tokenExchange: {${EXCHANGE}, tools: [{name: /a.*/, ttl: 5s, scopes: [{name: x}]}]}`,
      ),
    ],
    [
      "all about an upstream",
      upstream("timeout: 5s, tls: internal, headers: {X-A: b, User-Agent: 'Books/1', Authorization: Bearer b}"),
    ],
    ["a legacy MCP server", mcpProxy("transport: sse, sse: {url: 'https://a.example'}")],
    ["a transport from the environment", mcpProxy("transport: '{{ env.TRANSPORT }}'")],
    [
      "a public client",
      oidc("public: true, authentication: {idps: [corporate]}, redirectURLs: ['com.example.app:/callback']"),
    ],
    ["a client that the environment may make public", oidc("public: '{{ env.PUBLIC }}'")],
    ["a connector in a policy", proxy("corporate")],
  ])("%s is accepted", async (_, yaml) => {
    expect(await mistakes(yaml)).toEqual([]);
  });

  test("the own provider stands beside the connectors, under a name that no connector may have", async () => {
    const text = `${proxy("oidcProvider")}\noidcProvider: {region: us}`;
    expect(await mistakes(text)).toEqual([]);
    expect(await mistakes(text.replace("name: corporate", "name: oidcProvider"))).toEqual([
      expect.stringContaining(
        'connectors[0].name: found "oidcProvider", which stands for this instance\'s own provider',
      ),
    ]);
  });

  test("token exchange needs tokens to exchange", async () => {
    const text = outbound(`type: tokenExchange, tokenExchange: {${EXCHANGE}}`);
    expect(await mistakes(`${text}\nmcpProvider: {enabled: true}`)).toEqual([
      expect.stringContaining("authorization.outbound.type: needs the token of the caller to exchange"),
    ]);
    expect(await mistakes(`${text}\nmcpProvider: {enabled: false}`)).toEqual([]);
  });

  test("10. names that a placeholder brought are matched and not told", async () => {
    const text = proxy("corporate").replace("name: corporate", "name: '{{ env.CONNECTOR }}'");
    expect(await startMistakes(text, { environment: { CONNECTOR: "corporate" } })).toEqual([]);
    expect(await startMistakes(text, { environment: { CONNECTOR: "corporat" } })).toEqual([
      expect.stringMatching(
        /found "corporate", which is not the name of a connector; accepted: one that this document has$/,
      ),
    ]);
  });

  test("10. headers and credentials are never shown", async () => {
    const found = await mistakes(
      upstream(`headers: {X-A: [hunter2], X-B: "hunter2\\n"}, auth: {a: {value: [hunter2]}}`),
    );
    expect(found.map((line) => /upstream\.([\w.-]+):/.exec(line)?.[1])).toEqual([
      "headers.X-A",
      "headers.X-B",
      "auth.a",
      "auth.a.value",
    ]);
    expect(found.join()).not.toContain("hunter2");
  });
});
