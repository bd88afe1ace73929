import { deviates, type SpecificationRow } from "../row.ts";

/** Nothing runs on Lambda between requests, and each request may have an instance of its own. */
const NO_STREAMS = "Not on Lambda, because";
const flow = "an agent that was given the gateway's URL calls an API for a person > ";
const wayIn = "gateway > finding the way in > ";
const tools = "gateway > calling tools > ";
const transports = "MCP transports > ";
const cancellations = [
  `${transports}a call in a session > that its client cancels by another request`,
  "gateway > the record of a call > 38. is completed although the agent leaves",
];
const record = "gateway > the record of a call > ";

export const gatewayRows: readonly SpecificationRow[] = [
  {
    id: "health.up",
    statement: "A healthy instance answers status up.",
    shown: "runtimes",
    tests: [`${wayIn}health says up to everyone`],
  },
  {
    id: "mcp.metadata",
    statement:
      "Protected resource metadata at the configured path lists the authorization servers. It is RFC 9728's: the number 9470 of the specification is that of step-up authentication (D28).",
    shown: "runtimes",
    tests: [`${wayIn}/.well-known/oauth-protected-resource`],
    also: ["with oauth.enabled agents need a token, and the metadata is where metadataPath says"],
  },
  {
    id: "mcp.stream",
    statement: "Agents connect over Streamable HTTP at the configured path.",
    shown: "runtimes",
    tests: [
      "MCP clients > version 2 of the SDK in the stateless generation > ",
      "MCP clients > version 2 of the SDK in the session generation > ",
      "MCP clients > version 1 of the SDK gets its token, lists and calls",
    ],
    also: ["the gateway is where stream.path says, and is called what serverName says"],
  },
  {
    id: "mcp.revisions",
    statement: "Both generations of MCP are served on one path, told apart by each request.",
    shown: "runtimes",
    tests: [
      `${transports}a session > is of the revision`,
      `${transports}the stateless generation > discovers what is served`,
      `${transports}the stateless generation > shares its path with sessions`,
    ],
  },
  {
    id: "mcp.legacy",
    statement: "The legacy transport, HTTP+SSE, has a path to connect to and one to post messages to.",
    shown: "runtimes",
    tests: [`${transports}HTTP+SSE > `],
    deviations: deviates(
      ["lambda"],
      `${NO_STREAMS} each open stream would occupy an instance, about 36 dollars a month for an agent that asks nothing, and use up the quota of all others (D184); a document that turns it on is refused.`,
      ["the legacy transport > is refused on Lambda"],
    ),
  },
  {
    id: "mcp.session.terminated",
    statement: "A client ends its session where clients may: it is over at once, and the audit log says so.",
    shown: "runtimes",
    tests: [`${transports}a session > ends with DELETE`],
  },
  {
    id: "mcp.session.expired",
    statement: "A session that was idle for its timeout is over, never early and at most a sixtieth late.",
    shown: "once",
    tests: [
      "is never over early and at most a sixtieth late",
      "an open stream is a use of its session",
      "a session that is over cannot be ended",
    ],
  },
  {
    id: "mcp.session.survival",
    statement: "Sessions outlive the process, the object and the instance that served them.",
    shown: "once",
    tests: [
      "sessions and a server that is killed > go on in the next process",
      "sessions of agents on Workers go on with all that was agreed > ",
      "a session on Lambda > goes on in another instance",
    ],
  },
  {
    id: "mcp.answers",
    statement: "Calls are answered as streams whose beginning does not wait for the upstream.",
    shown: "runtimes",
    tests: [`${transports}a call in a session > is answered as a stream`],
  },
  {
    id: "mcp.streams",
    statement: "A session has a stream of its own, opened with GET, that ends with the session.",
    shown: "runtimes",
    tests: [
      `${transports}the stream of a session > opens at once with a first byte`,
      `${transports}the stream of a session > ends with its session`,
    ],
    deviations: deviates(
      ["lambda"],
      `${NO_STREAMS} a stream that waits for what may happen is billed for as long as it is open and cut by the function's time limit; GET is 405, which clients take for that.`,
      [`${transports}the stream of a session > is 405 with what is served`],
    ),
  },
  {
    id: "mcp.listening",
    statement: "Clients without sessions subscribe to changes.",
    shown: "runtimes",
    tests: [
      `${transports}listening for changes > is acknowledged first`,
      "mcp proxy > changes of servers reach those who listen",
    ],
    deviations: deviates(
      ["lambda"],
      `${NO_STREAMS} a subscription is a stream that waits for what may happen; the method is one that is not there.`,
      [`${transports}listening for changes > is a method that is not there`],
    ),
  },
  {
    id: "mcp.cancellation",
    statement: "A call that its agent cancels, by another request or by leaving, ends, and its record says so.",
    shown: "runtimes",
    tests: cancellations,
    deviations: deviates(
      ["lambda"],
      `${NO_STREAMS} another instance serves the notification than the call, and nobody tells it that its caller left; the call runs to its end, which its record says.`,
      cancellations,
    ),
  },
  {
    id: "mcp.token",
    statement: "With OAuth enabled an agent needs an access token of a configured authorization server.",
    shown: "runtimes",
    tests: ["gateway > who may come in > 23. the token", "gateway > who may come in > 23. a token of another region"],
  },
  {
    id: "mcp.audience",
    statement: "The token's audience has to be one of expectedAudiences.",
    shown: "runtimes",
    tests: ["gateway > who may come in > 23. a token for another audience is refused"],
    also: [
      "JWT access tokens of another server > 23. a token with another audience is refused",
      "JWT access tokens of another server > 23. a token with no audience is refused",
      "JWT access tokens of another server > one audience of several is enough",
      "opaque access tokens of another server > 23. a token for another audience is refused",
    ],
  },
  {
    id: "mcp.policies",
    statement: "Policies in CEL and of an OPA server decide on calls, by their arguments and caller, and fail closed.",
    shown: "runtimes",
    tests: [
      "policies > that all allow a call",
      "policies > deny a call",
      "policies > read the arguments",
      "policies > 27. ",
    ],
  },
  {
    id: "mcp.jwt",
    statement: "Method jwt validates signature and claims, with the configured clock skew.",
    shown: "once",
    tests: [
      "JWT access tokens of another server > a token that the server issued for this resource",
      "JWT access tokens of another server > 23. ",
      `${flow}4. the gateway takes that token and no other`,
      "JWT access tokens of another server > the clock skew of the configuration counts",
      "with the method jwt and a clock skew > ",
      "of several servers > 23. a JWT is checked by the one that its issuer names",
      "a new key at the authorization server > costs none of 50 clients with real tokens a request",
    ],
  },
  {
    id: "mcp.introspection",
    statement: "Method introspection asks the server with the configured client, timeout and number of retries.",
    shown: "once",
    tests: [
      "opaque access tokens of another server > a token that the server calls active and meant for us is accepted",
      "opaque access tokens of another server > 23. ",
      "opaque access tokens of another server > a failing server is asked again as often as configured",
      "a server that does not answer an introspection is given up after the configured time",
      "an introspection > is repeated after ",
      "of several servers > 23. an opaque token goes to the one with the longest prefix that it has",
    ],
  },
  {
    id: "mcp.auto",
    statement:
      "Method auto tries JWT first, then introspection: of what is no JWT or under an unknown key, never of a JWT that was found bad.",
    shown: "once",
    tests: [
      "the method auto > a JWT is validated here, anything else by the server",
      "the method auto > asks about a JWT under a key that is not known",
      "the method auto > never asks about a JWT that was found bad",
    ],
  },
  {
    id: "mcp.refresh",
    statement: "A server's metadata is refreshed at the configured interval.",
    shown: "once",
    tests: [
      "JWT access tokens of another server > old keys go when the refresh interval is over",
      "an authorization server that is down > takes nothing from tokens of known keys",
    ],
  },
  {
    id: "mcp.user",
    statement: "The token identifies the agent and the user it acts for, and so does the audit record.",
    shown: "runtimes",
    tests: [`${flow}3. its person signs in there`, `${flow}4. the gateway takes that token`, `${flow}7. the answer`],
    also: ["JWT access tokens of another server > a token of an agent that acts for a person names both"],
  },
  {
    id: "bridge.tools",
    statement: "A Bridge app turns the operations of an OpenAPI document into tools.",
    shown: "runtimes",
    tests: [`${tools}every tool is listed`, "lists every tool with its schemas"],
  },
  {
    id: "bridge.call",
    statement: "A tool call becomes a request to the REST API, and its answer returns to the agent.",
    shown: "runtimes",
    tests: [`${tools}a call reaches the API and its answer comes back structured`],
  },
  {
    id: "bridge.namespace",
    statement: "Tools of several apps can be namespaced to avoid clashes.",
    shown: "runtimes",
    tests: [
      `${flow}5. it lists the tools of REST APIs and MCP servers`,
      "mcp proxy > what a session agent sees > 27. tools of all servers beside",
    ],
    also: [
      "namespaces > the app's name comes first unless the configuration says otherwise",
      "rules of apps > the same tool name in two apps is refused when namespaces are off",
    ],
  },
  {
    id: "bridge.scopes",
    statement:
      "Each tool can have scopes of its own; an entry is for the exact name, or a regular expression for all of it.",
    shown: "runtimes",
    tests: [
      `${tools}a tool that needs another scope is 403 with all scopes it needs`,
      `${tools}an entry for scopes names a tool exactly, or matches its whole name by a regular expression`,
    ],
  },
  {
    id: "audit.call",
    statement: "The audit log records agent, delegating user, tool and outcome of each call.",
    shown: "runtimes",
    tests: [
      `${flow}7. the answer goes back, and the record names the agent, its person, the tool and the outcome`,
      `${record}tells who called what and how it ended`,
      `${record}is one per call, also for calls that fail`,
      `${tools}29. `,
    ],
  },
  {
    id: "provider.server-name",
    statement:
      "The server introduces itself as the product's name followed by AI Identity Gateway unless told otherwise.",
    shown: "runtimes",
    tests: ["gateway settings > what a change leaves out is as the YAML has it again"],
    also: [
      "defaults > the gateway's defaults",
      "the gateway is where stream.path says, and is called what serverName says",
    ],
  },
];
