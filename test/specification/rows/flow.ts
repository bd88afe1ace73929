import { deviates, type SpecificationRow } from "../row.ts";

const step = "an agent that was given the gateway's URL calls an API for a person > ";
const proxy = "mcp proxy > ";
const questions = "is asked for what it declared where the runtime carries that";
const PAIRS = ["session", "stateless"].flatMap((agent) =>
  ["held", "plain"].map((server) => `a ${agent} agent at the server ${server}`),
);
const clients = "MCP clients > version 2 of the SDK in ";
const credentials = "credentials for upstreams > ";
const impersonating = "an app that impersonates has tokens of the person alone";

/** The gateway's request flow in seven steps, its two roles, MCP servers as upstreams, and what calls carry. */
export const flowRows: readonly SpecificationRow[] = [
  runtimes(
    "flow.connect",
    "1. An agent connects to the gateway, and is told where to learn about tokens.",
    [`${step}1. it connects`],
    [
      "the function in front of viewers > gives a challenge back its name: ",
      "the CloudFormation of stage us > lets a version of the challenge function of us-east-1 see every answer",
    ],
  ),
  runtimes("flow.metadata", "2. The gateway serves resource metadata that lists the authorization servers.", [
    `${step}2. the gateway's metadata lists the authorization server`,
  ]),
  runtimes("flow.authenticate", "3. The agent gets a token at the authorization server and presents it.", [
    `${step}3. its person signs in there, and it comes back with a token`,
  ]),
  runtimes("flow.validate", "4. The gateway validates the token, which identifies the agent and its user.", [
    `${step}4. the gateway takes that token and no other, and knows agent and person from it`,
  ]),
  runtimes("flow.list", "5. The agent lists tools, of REST APIs and of MCP servers.", [
    `${step}5. it lists the tools of REST APIs and MCP servers`,
    `${clients}the stateless generation > lists every tool with its schemas`,
    `${clients}the session generation > lists every tool with its schemas`,
  ]),
  runtimes("flow.call", "6. A call is judged by policies, and goes on with a token that is scoped and lives shortly.", [
    `${step}6. policies judge its call, and the API gets a token of its own`,
    "each tool gets the scopes and lifetime that are configured for it, and none where nothing is",
  ]),
  runtimes("flow.answer", "7. The answer returns, and the record has agent, user, tool and outcome.", [
    `${step}7. the answer goes back, and the record names the agent, its person, the tool and the outcome`,
  ]),

  runtimes("roles.together", "One instance is authorization server and gateway.", [
    "gateway > calling tools > a call reaches the API",
    `${proxy}24. the server held > 24. gets an exchanged token`,
  ]),
  runtimes(
    "roles.apart",
    "The auth provider and the gateway are deployments of their own, each without the other's keys.",
    [
      "neither role needs the other's keys: the auth provider has no gateway, the gateway issues no tokens",
      `${step}3. `,
      `${step}6. `,
    ],
  ),
  runtimes(
    "roles.connector",
    "By the auth provider's well-known URL alone the gateway finds its signing keys and its token endpoint.",
    [
      `${step}4. the gateway takes that token and no other`,
      `${step}6. policies judge its call, and the API gets a token of its own`,
      `${credentials}from another server > are its tokens`,
    ],
  ),
  runtimes("gateway.inbound", "Transports and inbound authorization are of the instance, for all of its MCP apps.", [
    `${step}5. it lists the tools of REST APIs and MCP servers`,
    `${proxy}what a session agent sees > 27. tools of all servers beside those of the REST API`,
    "gateway > finding the way in > POST without a token is challenged",
  ]),
  runtimes("gateway.outbound", "Upstream and token exchange are an app's own.", [
    `${credentials}are good for the API alone`,
    `${credentials}from another server > are its tokens`,
    "an MCP server gets a token of its own for the call",
    impersonating,
  ]),

  runtimes("proxy.tools", "A Proxy app discovers the tools of an MCP server, and hides what may not be seen.", [
    `${step}5. it lists the tools of REST APIs and MCP servers`,
    `${proxy}what a session agent sees > 27. `,
    `${proxy}what a stateless agent sees > 27. `,
  ]),
  runtimes(
    "proxy.calls",
    "A Proxy app carries calls and reads to servers of both generations, and what they answer back.",
    [
      ...PAIRS.flatMap((pair) => [
        `${proxy}${pair} > gets the answers of tools, failed ones as well`,
        `${proxy}${pair} > hears of progress before the answer`,
      ]),
      `${proxy}what a session agent sees > resources are read`,
      `${proxy}what a session agent sees > prompts are got`,
    ],
  ),
  {
    id: "proxy.questions",
    statement: "What a server asks an agent for in the midst of a call reaches it, and the agent's answer the server.",
    shown: "runtimes",
    tests: PAIRS.map((pair) => `${proxy}${pair} > ${questions}`),
    deviations: deviates(
      ["lambda"],
      "Not on Lambda where a session is on either side, because an answer is a request of its own, which another instance serves than the one that waits; nothing is declared to such servers, so that they do not ask.",
      PAIRS.map((pair) => `${proxy}${pair} > ${questions}`),
    ),
  },
  runtimes(
    "proxy.identity",
    "Servers learn who calls from a token and configured headers, and nothing of the agent's own.",
    [
      `${proxy}24. the server held > 24. gets an exchanged token and configured headers`,
      `${proxy}24. the server plain > 24. gets an exchanged token and configured headers`,
      "an MCP server gets a token of its own for the call, with agent and person",
    ],
  ),
  runtimes("proxy.scopes", "Tools of MCP servers have scopes of their own, by exact name or regular expression.", [
    `${proxy}24. the server held > scopes that a tool needs and the token lacks are a challenge`,
    `${proxy}an MCP server's tools have scopes and lifetimes of their own, by exact name or by expression`,
  ]),
  runtimes("proxy.exchange", "A call at an MCP server carries a delegation token for that server and that call.", [
    `${proxy}an MCP server's tools have scopes and lifetimes of their own, by exact name or by expression`,
    `${proxy}24. the server held > 29. refuses a token once`,
    "an MCP server gets a token of its own for the call, with agent and person",
  ]),
  runtimes("proxy.record", "Calls at MCP servers are recorded with agent, user, tool and outcome.", [
    `${proxy}38. records of a session agent > `,
    `${proxy}38. records of a stateless agent > `,
    `${proxy}38. each call has exactly one record`,
    "an MCP server gets a token of its own for the call, with agent and person, and so has the record",
  ]),

  runtimes("exchange.request", "The authorization server exchanges tokens (RFC 8693), and refuses those of others.", [
    "token exchange > an API client's token becomes one that names it as subject and as actor",
    "token exchange > what was exchanged ends with the API client's own token",
    "token exchange > another region's tokens are foreign",
  ]),
  runtimes(
    "exchange.delegation",
    "Delegation is the default: the token has an act claim, and names user and agent.",
    [
      `${step}6. policies judge its call, and the API gets a token of its own`,
      "token exchange > an API client's token becomes one that names it as subject and as actor",
    ],
    [
      "token exchange toward an upstream > is delegation by default",
      "19. without asking for it the same client delegates",
    ],
  ),
  runtimes(
    "exchange.impersonation",
    "Impersonation: the token is wholly the user's, without a trace of the agent.",
    [impersonating, "token exchange > impersonation leaves an event of its own"],
    [
      "19. it names the person alone",
      "19. its token has no trace of the agent, and neither has one that is made of it",
    ],
  ),
  runtimes(
    "exchange.scopes",
    "Each tool has scopes and a token lifetime of its own, by exact name or regular expression.",
    [
      "each tool gets the scopes and lifetime that are configured for it, and none where nothing is",
      `${step}6. policies judge its call, and the API gets a token of its own`,
      `${credentials}are good for the API alone`,
      `${proxy}an MCP server's tools have scopes and lifetimes of their own`,
    ],
  ),
];

function runtimes(id: string, statement: string, tests: readonly string[], also?: readonly string[]): SpecificationRow {
  return { id, statement, shown: "runtimes", tests, ...(also !== undefined && { also }) };
}
