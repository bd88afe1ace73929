import { expect, test } from "vitest";
import { edited } from "../../console/configuration-check/edits.ts";
import type { Edit, EditedPolicy, NewMcpServer, ToolSettings } from "../../console/configuration-check/protocol.ts";

const SERVER: NewMcpServer = { name: "board", url: "https://board.example/mcp", transport: "stream" };
const ENTRY = `- name: board
  type: mcpProxy
  upstream:
    stream:
      url: https://board.example/mcp
`;
const GATEWAY = "mcpProvider:\n  enabled: true\n";

function indented(text: string, by: string): string {
  return text.replaceAll(/^(?=.)/gm, by);
}

/** What becomes of a text when the same MCP server is added to it. */
const ADDED: readonly (readonly [what: string, before: string, after: string])[] = [
  ["nothing", "", `version: "1"\n${GATEWAY}apps:\n${indented(ENTRY, "  ")}`],
  ["comments alone", "# mine\n", `# mine\nversion: "1"\n${GATEWAY}apps:\n${indented(ENTRY, "  ")}`],
  ["no apps", `${GATEWAY}# the end\n`, `${GATEWAY}# the end\napps:\n${indented(ENTRY, "  ")}`],
  [
    "no line break at the end",
    "mcpProvider: { enabled: false }",
    `mcpProvider: { enabled: false }\napps:\n${indented(ENTRY, "  ")}`,
  ],
  ["an empty list", `apps: []  # none yet\n${GATEWAY}`, `apps:  # none yet\n${indented(ENTRY, "  ")}${GATEWAY}`],
  ["apps without a value", `apps: # none yet\n${GATEWAY}`, `apps: # none yet\n${indented(ENTRY, "  ")}${GATEWAY}`],
  [
    "comments, anchors, quotes and blank lines around",
    `# top\n\napps:   # those that we have\n    - name: 'a'   # the first\n      type:   "mcpProxy"\n\n      upstream: &there\n          stream: { url: 'https://a.example' }\n      # exclude: []\n\n# - name: old\n\n${GATEWAY}x: *there\n`,
    `# top\n\napps:   # those that we have\n    - name: 'a'   # the first\n      type:   "mcpProxy"\n\n      upstream: &there\n          stream: { url: 'https://a.example' }\n      # exclude: []\n${indented(ENTRY, "    ")}\n# - name: old\n\n${GATEWAY}x: *there\n`,
  ],
  ["a list as far left as its key", `apps:\n- name: a\n${GATEWAY}`, `apps:\n- name: a\n${ENTRY}${GATEWAY}`],
  [
    "a block text at the end",
    `${GATEWAY}apps:\n  - name: a\n    description: |\n      one\n\n      two\n\nhttp:\n  address: a\n`,
    `${GATEWAY}apps:\n  - name: a\n    description: |\n      one\n\n      two\n${indented(ENTRY, "  ")}\nhttp:\n  address: a\n`,
  ],
  [
    "flow style",
    `${GATEWAY}apps: [{name: a, type: mcpProxy}] # few\n`,
    `${GATEWAY}apps: [{name: a, type: mcpProxy}, {name: board, type: mcpProxy, upstream: {stream: {url: https://board.example/mcp}}}] # few\n`,
  ],
  [
    "Windows line breaks",
    `apps:\r\n  - name: a # one\r\n${GATEWAY.replaceAll("\n", "\r\n")}`,
    `apps:\r\n  - name: a # one\r\n${indented(ENTRY, "  ").replaceAll("\n", "\r\n")}${GATEWAY.replaceAll("\n", "\r\n")}`,
  ],
  [
    "placeholders without quotes",
    `${GATEWAY}http:\n  address: {{ env.ADDRESS }}\napps:\n  - name: a\n`,
    `${GATEWAY}http:\n  address: {{ env.ADDRESS }}\napps:\n  - name: a\n${indented(ENTRY, "  ")}`,
  ],
  [
    "marks of the document",
    `---\n${GATEWAY}apps:\n  - name: a\n...\n`,
    `---\n${GATEWAY}apps:\n  - name: a\n${indented(ENTRY, "  ")}...\n`,
  ],
];

test.each(ADDED)("an app is added to a text with %s, and the rest stays as it is", (_, before, after) => {
  expect(edited(before, { kind: "mcpServer", app: SERVER })).toEqual({ text: after });
});

const BOOKS = { index: 0, name: "books" };
const APP: ToolSettings = {
  original: "listBooks",
  pattern: "GET /books",
  aliases: ["listBooks"],
  tags: [],
  isOffered: true,
};
const BRIDGE =
  "apps:\n  - name: books # ours\n    type: mcpBridge\n    openapi:\n      spec: { uri: file://b.json } # there\n";

const REFUSED: readonly (readonly [what: string, text: string, edit: Edit, words: RegExp])[] = [
  [
    "a text that does not parse",
    "apps:\n  - name: [a\n",
    { kind: "mcpServer", app: SERVER },
    /^Line \d+: .*nothing was changed/,
  ],
  ["a second app of the name", `apps:\n  - name: board\n`, { kind: "mcpServer", app: SERVER }, /name board already/],
  ["apps that are no list", "apps: 3\n", { kind: "mcpServer", app: SERVER }, /apps is no list/],
  ["apps from an alias", "x: &x\n  - name: a\napps: *x\n", { kind: "mcpServer", app: SERVER }, /shared by an anchor/],
  [
    "what several places share",
    `x: &x\n  spec: { uri: file://b.json }\napps:\n  - name: a\n    type: mcpBridge\n    openapi: *x\n`,
    { kind: "tools", app: { index: 0, name: "a" }, changes: [{ from: APP, to: { ...APP, isOffered: false } }] },
    /shared by an anchor/,
  ],
  [
    "what a merge key brings",
    `x: &x\n  openapi: { spec: { uri: file://b.json } }\napps:\n  - name: a\n    type: mcpBridge\n    <<: *x\n`,
    { kind: "tools", app: { index: 0, name: "a" }, changes: [{ from: APP, to: { ...APP, isOffered: false } }] },
    /shared by an anchor/,
  ],
  [
    "an app that is gone",
    "apps: []\n",
    { kind: "tools", app: { index: 0, name: "a" }, changes: [] },
    /not in the text any more/,
  ],
];

test.each(REFUSED)("%s is told, and nothing is changed", (_, text, edit, words) => {
  expect(edited(text, edit)).toEqual({ refused: expect.stringMatching(words) });
});

/** Changes of a tool, what the app gets, and nothing else; the way back leads to the text that was there. */
const TOOLS: readonly (readonly [what: string, change: Partial<ToolSettings>, added: string])[] = [
  ["off", { isOffered: false }, "      exclude:\n        - GET /books\n"],
  ["another name", { name: "books" }, "      overrides:\n        listBooks:\n          name: books\n"],
  [
    "a description",
    { description: "All: of them" },
    '      overrides:\n        listBooks:\n          description: "All: of them"\n',
  ],
  [
    "scopes",
    { scopes: ["books:read"] },
    "    authorization:\n      inbound:\n        tools:\n          - name: listBooks\n            scopes:\n              - books:read\n          - name: /.*/\n            scopes: []\n",
  ],
];

test.each(TOOLS)("a tool gets %s, and back", (_, change, added) => {
  const rest = "# after\nhttp: {address: a}\n";
  const to = { ...APP, ...change };
  const there = edited(BRIDGE + rest, { kind: "tools", app: BOOKS, changes: [{ from: APP, to }] });
  expect(there).toEqual({ text: BRIDGE + added + rest });
  const back = edited("text" in there ? there.text : "", {
    kind: "tools",
    app: BOOKS,
    changes: [{ from: to, to: APP }],
  });
  expect(back).toEqual({ text: BRIDGE + rest });
});

test("entries of other tools stay as they are written", () => {
  const text = `${BRIDGE}      exclude: # not these
        - "DELETE /books" # never
        - GET /authors
    authorization:
      inbound:
        tools:
          # reading
          - { name: /get.*|list.*/, scopes: [read] }
          # all others
          - name: /.*/
            scopes: [write] # sorry
      outbound:
        type: tokenExchange
        tokenExchange: { idp: corp, audience: "{{ env.AUDIENCE }}", tools: [{ name: listBooks, ttl: 10s }] }
`;
  const from = { ...APP, tokenLifetime: "10s" };
  const to = { ...from, isOffered: true, name: "books", scopes: ["a", "b"], tokenLifetime: "20s" };
  const off: ToolSettings = {
    original: "getAuthors",
    pattern: "GET /authors",
    aliases: [],
    tags: [],
    isOffered: false,
  };
  const changes = [
    { from, to },
    { from: off, to: { ...off, isOffered: true } },
  ];
  const result = edited(text, { kind: "tools", app: BOOKS, changes });
  expect(result).toEqual({
    text: `${BRIDGE}      exclude: # not these
        - "DELETE /books" # never
      overrides:
        listBooks:
          name: books
    authorization:
      inbound:
        tools:
          # reading
          - { name: /get.*|list.*/, scopes: [read] }
          - name: books
            scopes:
              - a
              - b
          # all others
          - name: /.*/
            scopes: [write] # sorry
      outbound:
        type: tokenExchange
        tokenExchange: { idp: corp, audience: "{{ env.AUDIENCE }}", tools: [{ name: books, ttl: 20s }] }
`,
  });
});

test("a token's lifetime for one tool keeps the scopes that an entry for several gives", () => {
  const text = `${BRIDGE}    authorization:
      outbound:
        type: tokenExchange
        tokenExchange:
          tools:
            - name: /list.*/ # lists
              scopes: [{ name: "{{ env.SCOPE }}" }]
`;
  const change = { from: APP, to: { ...APP, tokenLifetime: "20s" } };
  expect(edited(text, { kind: "tools", app: BOOKS, changes: [change] })).toEqual({
    text: text.replace(
      "            - name: /list.*/",
      `            - name: listBooks
              scopes:
                - name: "{{ env.SCOPE }}"
              ttl: 20s
            - name: /list.*/`,
    ),
  });
});

const LIMITS = `# top
limits: # ours
  - name: reads # of all
    rate:   100/s
    for: { app: [books] } # one app
  - name: writes
    quota: 10/day
http:
  address: a
`;
const READS = { name: "reads", rate: "100/s", for: { app: ["books"] } };
const at = { list: "limits", index: 0, name: "reads" } as const;

test.each<readonly [what: string, edit: Edit, before: string, after: string]>([
  [
    "added at the end",
    { kind: "addEntry", list: "limits", entry: { name: "all", concurrent: 5 } },
    LIMITS,
    LIMITS.replace("http:", "  - name: all\n    concurrent: 5\nhttp:"),
  ],
  [
    "added to a text without any",
    { kind: "addEntry", list: "connectors", entry: { name: "corp", type: "oidc" } },
    "http: { address: a } # here\n",
    "http: { address: a } # here\nconnectors:\n  - name: corp\n    type: oidc\n",
  ],
  [
    "changed in one key: all else stays as it is written",
    { kind: "changeEntry", at, from: READS, to: { ...READS, rate: "50/s" } },
    LIMITS,
    LIMITS.replace("   100/s", " 50/s"),
  ],
  [
    "without a key, and with another",
    { kind: "changeEntry", at, from: READS, to: { name: "reads", rate: "100/s", burst: 7 } },
    LIMITS,
    LIMITS.replace("    for: { app: [books] } # one app\n", "    burst: 7\n"),
  ],
  ["taken away", { kind: "removeEntry", at }, LIMITS, LIMITS.replace(/ {2}- name: reads[\s\S]*one app\n/, "")],
  [
    "the last one: the list goes, too",
    { kind: "removeEntry", at: { list: "connectors", index: 0, name: "corp" } },
    "connectors:\n  - name: corp\n    oauthClientSecret: <corp.secret>\nhttp:\n  address: a # here\n",
    "http:\n  address: a # here\n",
  ],
])("an entry is %s", (_, edit, before, after) => {
  expect(edited(before, edit)).toEqual({ text: after });
});

test.each<readonly [Edit, string, string]>([
  [{ kind: "removeEntry", at: { ...at, name: "other" } }, LIMITS, "The limit is not in the text any more."],
  [
    { kind: "addEntry", list: "limits", entry: { name: "writes" } },
    LIMITS,
    "There is a limit with the name writes already.",
  ],
  [
    { kind: "changeEntry", at, from: READS, to: { ...READS, name: "writes" } },
    LIMITS,
    "There is a limit with the name writes already.",
  ],
  [{ kind: "addEntry", list: "connectors", entry: { name: "a" } }, "connectors: none\n", "connectors is no list."],
  [
    { kind: "changeEntry", at, from: READS, to: { ...READS, rate: "1/s" } },
    "a: &one\n  name: reads\n  rate: 100/s\nlimits:\n  - *one\n",
    "limits[0].rate cannot be changed by a form: it is shared by an anchor, or written in an unusual way. Change it in the text.",
  ],
])("%j is refused with the reason", (edit, text, refused) => {
  expect(edited(text, edit)).toEqual({ refused });
});

const POLICY = `apps:
  - name: a
    type: mcpProxy # one
    authorization:
      inbound:
        cel: agent.clientID == "a" # who
        opa:
          rego: |
            package orchestrator
`;
const INBOUND = ["authorization", "inbound"];

const TAKEN: readonly (readonly [what: string, policy: EditedPolicy, after: string, before: string])[] = [
  [
    "an expression",
    { app: "a", path: [...INBOUND, "cel"], from: 'agent.clientID == "a"', text: 'agent.clientID == "b"' },
    POLICY.replace('agent.clientID == "a"', 'agent.clientID == "b"'),
    POLICY,
  ],
  [
    "one of several lines",
    {
      app: "a",
      path: [...INBOUND, "opa", "rego"],
      from: "package orchestrator\n",
      text: "package orchestrator\nresult := true\n",
    },
    `${POLICY}            result := true\n`,
    POLICY,
  ],
  ["a new one after others", { app: "a", text: "true" }, `${POLICY}        rules:\n          - cel: "true"\n`, POLICY],
  [
    "a new one where there is none",
    { app: "b", text: "true" },
    `${POLICY}  - name: b\n    type: mcpProxy\n    authorization:\n      inbound:\n        cel: "true"\n`,
    `${POLICY}  - name: b\n    type: mcpProxy\n`,
  ],
];

test.each(TAKEN)("a tested policy takes its place: %s", (_, policy, after, before) => {
  expect(edited(before, { kind: "policy", policy })).toEqual({ text: after });
});

test.each([
  [{ app: "a", path: [...INBOUND, "cel"], from: "true", text: "false" }, "is another one in the text"],
  [{ app: "c", text: "false" }, "There is no app c in the text."],
])("a tested policy whose place is not there changes nothing: %j", (policy, words) => {
  expect(edited(POLICY, { kind: "policy", policy })).toEqual({ refused: expect.stringContaining(words) });
});
