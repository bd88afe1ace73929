import { SPECIFIED_KEYS } from "../keys.ts";
import { type Deviations, deviates, type SpecificationRow } from "../row.ts";

const logged = "an entry looks as the configuration says > ";
const rule = "rules of mcpProvider > ";
const jwt = "JWT access tokens of another server > ";
const opaque = "opaque access tokens of another server > ";
const session = "MCP transports > a session > ";
const legacy = "MCP transports > HTTP+SSE > ";
const openApps = "a web app that is open to everybody > ";
const people = "people at a web app > ";
const field = "a document of the field loads without a change, with one warning for each key that is not in effect";
const READER = "telemetry.metrics.readers[].periodic";
const PROCESSOR = "telemetry.traces.processors[].simple.exporter.otlp";
const SSE = "mcpProvider.transports.sse";
const STREAM = "mcpProvider.transports.stream";
const OAUTH = "mcpProvider.authorization.oauth";
const VALIDATION = `${OAUTH}.servers[].tokenValidation`;

/** What each key does, in our own words, and the tests that show it beyond what `keys.test.ts` says of every key. */
const KEYS: Readonly<Record<string, readonly [statement: string, ...tests: string[]]>> = {
  version: ["The document carries a version.", "YAML > the version keeps its spelling"],

  "health.location": ["Where the health endpoint is, /status by default.", "health is where health.location says"],
  "health.heartbeat.disabled": ["Turns the heartbeat off.", "a disabled heartbeat is not in the log"],
  "health.heartbeat.logLevel": [
    "The heartbeat's level, info by default.",
    "the heartbeat entry > has the configured level",
    "the heartbeat has the configured level and interval",
  ],
  "health.heartbeat.interval": [
    "The time between heartbeats, 60 s by default.",
    "on Node > it beats at once and every interval",
    "the heartbeat has the configured level and interval",
  ],

  "logger.level": [
    "The least level that is logged, info by default.",
    "entries below the level are dropped",
    "countersign -config > without them the log level of the file holds",
  ],
  "logger.jsonOutput": [
    "JSON in place of text.",
    `${logged}JSON, with the fields as they come`,
    "without jsonOutput an entry is a line of text",
  ],
  "logger.timeFormat": [
    "The format of times, RFC3339Nano by default.",
    "each format that can be configured prints what Go prints > ",
    "the format of times, the order of fields and the session are as the document says",
  ],
  "logger.logSessionID": [
    "Entries carry the session.",
    "the session of an entry > ",
    "the format of times, the order of fields and the session are as the document says",
  ],
  "logger.fieldOrdering.enabled": [
    "Fields stand in one order in every entry.",
    `${logged}text with ordered fields`,
    `${logged}JSON with ordered fields`,
    "the format of times, the order of fields and the session are as the document says",
  ],

  "http.address": [
    "Where the instance listens.",
    "defaults > the address 127.0.0.1:9000 listens on",
    "countersign -config > serves a file until SIGINT",
  ],
  "http.tls": [
    "Names the entry of tls that the listener uses.",
    "http > http.tls names an entry of tls",
    "the listener answers over TLS with the certificate of http.tls",
  ],
  "http.accessLog.disabled": ["Turns the access log off.", "the access log can be disabled"],
  "http.accessLog.level": ["The access log's level.", "the access log has the configured level"],

  "tls.<name>.certFile": [
    "The certificate.",
    "the listener answers over TLS with the certificate of http.tls",
    "tells the cause when > a certificate is not there",
  ],
  "tls.<name>.keyFile": [
    "The certificate's private key.",
    "the listener answers over TLS with the certificate of http.tls",
    "tells the cause when > a key is for something else",
  ],
  "tls.<name>.minVersion": ["The least version of TLS.", "versions below minVersion are refused"],

  [`${READER}.exporter.otlp.protocol`]: [
    "How metrics are encoded.",
    "with http/protobuf a collector reads spans and metrics",
  ],
  [`${READER}.exporter.otlp.endpoint`]: [
    "Where metrics go.",
    "the endpoint is used as it is, path and query included",
    "telemetry on node > metrics count requests",
  ],
  [`${READER}.exporter.otlp.insecure`]: [
    "Skips the verification of the collector's certificate.",
    "a private authority is not trusted, unless `insecure` says so",
  ],
  [`${READER}.exporter.otlp.timeout`]: [
    "Milliseconds that an export may take.",
    "an export ends after `timeout`, and the next one is made",
  ],
  [`${READER}.interval`]: [
    "Milliseconds between collections.",
    "every reader and every processor exports by itself",
    "telemetry > interval must be positive",
  ],
  [`${PROCESSOR}.protocol`]: [
    "How traces are encoded.",
    "with http/protobuf a collector reads spans and metrics",
    "with http/json a collector reads spans and metrics",
  ],
  [`${PROCESSOR}.endpoint`]: [
    "Where traces go.",
    "the endpoint is used as it is, path and query included",
    "telemetry on node > a request is a span of its caller's trace",
  ],

  "connectors[].name": [
    "The connector's name, by which health tells of it.",
    "connectors > a name stands once",
    "an instance with a connector > names each connector that is not up",
  ],
  "connectors[].type": ["What kind of connector it is.", "connectors > another type lists the known ones"],
  "connectors[].oauthClientID": [
    "Who the instance is at the provider.",
    "connectors > a connector is taken from the document",
    "signing in > ",
  ],
  "connectors[].oauthClientSecret": [
    "The client's secret, which is never shown.",
    "connectors > a connector is taken from the document",
    "connectors > 10. neither secret nor key is shown",
  ],
  "connectors[].oidcWellKnownURL": [
    "The provider's discovery document.",
    "the discovery document of an OpenID provider > tells where to sign in",
    "an instance with a connector > is up once the provider was found",
  ],

  "apps[].name": ["The app's name.", "rules of apps > names and client IDs are unique"],
  "apps[].type": ["What kind of app it is.", "mistakes > an unknown app type lists the known ones"],
  "apps[].upstream": [
    "Where requests of the app's routes go.",
    field,
    `${openApps}sends requests to its upstream, whose path stands before the request's`,
  ],
  "apps[].routePatterns[]": ["The routes of a proxy.", field, `${openApps}is reached by its route patterns`],
  "apps[].policies[].location": [
    "The path that a policy is about.",
    field,
    `${people}picks the policy by its location: a rule on claims denies, with a page for people`,
  ],
  "apps[].policies[].authentication.idps[]": [
    "Connectors at which people sign in before they are let through.",
    "rules of apps > a connector in a policy is accepted",
    field,
    `${people}signs people in at the connectors of the policy, and brings them to the page that they asked for`,
  ],

  "mcpProvider.enabled": ["Makes the instance a gateway.", "defaults > a gateway that is off is absent"],
  "mcpProvider.serverName": [
    "What agents are told the gateway is called.",
    "the gateway is where stream.path says, and is called what serverName says",
    "defaults > the gateway's defaults",
  ],
  [`${SSE}.enabled`]: [
    "The legacy transport.",
    `${legacy}takes messages with 202 and answers on the stream`,
    "the legacy transport > is refused on Lambda",
  ],
  [`${SSE}.baseURL`]: [
    "The base of the legacy transport's URLs, by default the public URL's.",
    "HTTP+SSE > names the configured base in front of the path to post to",
    `${legacy}begins with the path to post to`,
  ],
  [`${SSE}.basePath`]: [
    "The prefix of the legacy transport's paths.",
    `${legacy}begins with the path to post to, below basePath`,
  ],
  [`${SSE}.path`]: [
    "Where the event stream is; required with SSE.",
    `${legacy}begins with the path to post to`,
    `${rule}the SSE transport needs both of its paths`,
  ],
  [`${SSE}.messagePath`]: [
    "Where messages are posted; required with SSE.",
    `${legacy}takes messages with 202 and answers on the stream`,
    `${rule}the SSE transport needs both of its paths`,
  ],
  [`${SSE}.keepAlive.enabled`]: [
    "Keep-alive pings.",
    "HTTP+SSE > sends comments at the interval undefined alone",
    `${legacy}sends comments at the configured interval`,
    `${rule}rules for what is off do not apply`,
  ],
  [`${SSE}.keepAlive.interval`]: [
    "How often; positive when enabled.",
    "HTTP+SSE > sends comments at the interval",
    `${rule}keepAlive.interval must be positive when on`,
  ],
  [`${STREAM}.enabled`]: [
    "The Streamable HTTP transport.",
    "without stream.enabled there is no gateway to connect to",
    "the gateway is where stream.path says",
  ],
  [`${STREAM}.path`]: [
    "Its path; required when enabled.",
    "the gateway is where stream.path says",
    `${rule}stream.path is required when stream is on`,
  ],
  [`${STREAM}.session.enabled`]: ["Sessions of agents.", `${session}begins with initialize`],
  [`${STREAM}.session.headerName`]: [
    "The header of the session's id, Mcp-Session-Id by default.",
    `${session}begins with initialize: its id of 256 bits comes in the configured header`,
    `${rule}session.headerName is a header's name`,
  ],
  [`${STREAM}.session.allowClientTermination`]: [
    "Clients may end their sessions, by default.",
    `${session}ends with DELETE`,
    "where clients may not end their sessions, DELETE is 405",
  ],
  [`${STREAM}.session.timeout`]: [
    "How long a session may idle, an hour by default; positive with sessions.",
    "a session that may idle for",
    `${rule}session.timeout must be positive when sessions are on`,
  ],
  [`${OAUTH}.enabled`]: [
    "Agents need an access token; off by default.",
    "with oauth.enabled agents need a token",
    "a challenge > answers POST /mcp without a token",
    "OAuth for agents > is off unless it is on",
    "warnings > a gateway without OAuth has callers without identity",
  ],
  [`${OAUTH}.metadataPath`]: [
    "Where the protected resource metadata is; required with OAuth.",
    "the metadata is where metadataPath says",
    "the protected resource metadata > at /resource-metadata is that of",
    "OAuth for agents > is off unless it is on, and needs neither a metadata path nor a server then",
    `${rule}metadataPath is required when OAuth is on`,
  ],
  [`${OAUTH}.servers[].wellKnownEndpoint`]: [
    "The authorization server's discovery document.",
    `${rule}wellKnownEndpoint is required`,
    `${jwt}the metadata names the issuer of the discovery document`,
  ],
  [`${OAUTH}.servers[].refreshInterval`]: [
    "How often the server's metadata is refreshed; positive.",
    `${rule}refreshInterval must be positive`,
    "OAuth for agents > is a mistake with less than nothing of the refresh interval",
    "a key that the authorization server no longer publishes > opens nothing once the keys were refreshed",
    `${jwt}old keys go when the refresh interval is over`,
  ],
  [`${VALIDATION}.expectedAudiences`]: [
    "Whom tokens may be meant for, at least one.",
    `${rule}expectedAudiences is required`,
    `${rule}expectedAudiences holds one at least`,
    `${jwt}one audience of several is enough`,
    `${opaque}23. a token for another audience is refused`,
    "what an introspection tells > is enough with one audience of several",
    "what an introspection tells > 23. refuses a token with no audience",
  ],
  [`${VALIDATION}.method`]: [
    "jwt, introspection or auto.",
    `${rule}a method is one of three`,
    "the method auto > a JWT is validated here, anything else by the server",
    "the method auto > never asks about a JWT that was found bad",
    "the method auto > asks about a JWT under a key that is not known",
    "OAuth for agents > takes JWTs without tolerance by default",
    "OAuth for agents > needs no client that introspects where tokens are JWTs",
  ],
  [`${VALIDATION}.jwt.clockSkew`]: [
    "How far clocks may differ.",
    `${jwt}the clock skew of the configuration counts`,
    "with the method jwt and a clock skew > of 30000 ms a token ends exactly so long after its exp",
    "with the method jwt and a clock skew > of 30000 ms a token begins exactly so long before its nbf",
    "OAuth for agents > is a mistake with less than nothing of the clock skew",
  ],
  [`${VALIDATION}.introspection.clientID`]: [
    "The client that introspects; required with introspection and auto.",
    `${rule}clientID is required with introspection`,
    `${rule}clientID is required with auto`,
    `${opaque}a token that the server calls active and meant for us is accepted`,
  ],
  [`${VALIDATION}.introspection.clientSecret`]: [
    "Its secret; required with introspection and auto.",
    `${rule}clientSecret is required with introspection`,
    `${rule}clientSecret is required with auto`,
    `${opaque}a refusal of our own credentials is not repeated`,
  ],
  [`${VALIDATION}.introspection.timeout`]: [
    "How long an answer may take; required with introspection and auto, and positive.",
    ...["introspection", "auto"].flatMap((method) => [
      `${rule}timeout is required with ${method}`,
      `${rule}timeout must be positive with ${method}`,
    ]),
    "a server that does not answer an introspection is given up after the configured time",
    "an introspection > without an answer is given up after the timeout and begun again",
  ],
  [`${VALIDATION}.introspection.maxRetries`]: [
    "How often a failed introspection is repeated.",
    `${opaque}a failing server is asked again as often as configured`,
    "an introspection > with 3 retries is begun once more than that at most",
    "an introspection > with 0 retries is begun once more than that at most",
    "OAuth for agents > repeats a failed introspection twice by default",
  ],
};

const NO_LEGACY = deviates(
  ["lambda"],
  "A document that turns HTTP+SSE on is refused there: each open stream would occupy an instance (D184).",
  ["the legacy transport > is refused on Lambda"],
);
const NO_LISTENER = deviates(
  ["workerd", "lambda"],
  "It has no effect, with a warning: the platform listens and ends TLS.",
  ["the listener's keys are without effect on workers", "the listener's keys are without effect on lambda"],
);
const NO_CERTIFICATE = deviates(
  ["workerd", "lambda"],
  "It has no effect, with a warning: the platform listens and ends TLS.",
  [
    "on workers > a certificate for the listener is without effect",
    "on lambda > a certificate for the listener is without effect",
  ],
);

const DEVIATIONS: Readonly<Record<string, Deviations>> = {
  "health.heartbeat.interval": deviates(
    ["lambda"],
    "An interval below a minute is kept with requests alone, and without them it beats once a minute, with a warning at the start (D181).",
    ["the Lambda handler > says that an interval of seconds is kept with requests alone"],
  ),
  "http.address": NO_LISTENER,
  "http.tls": NO_LISTENER,
  "tls.<name>.certFile": NO_CERTIFICATE,
  "tls.<name>.keyFile": NO_CERTIFICATE,
  "tls.<name>.minVersion": deviates(
    ["workerd", "lambda"],
    "A version that the platform would not insist on is refused (D51).",
    [
      "on workers > a version that the platform would not insist on",
      "on lambda > a version that the platform would not insist on",
    ],
  ),
  [`${READER}.exporter.otlp.insecure`]: deviates(
    ["workerd"],
    "It is refused there: the platform verifies every connection (D51).",
    ["telemetry on the edges > Workers refuse connections that nothing verifies"],
  ),
  [`${SSE}.enabled`]: NO_LEGACY,
  [`${SSE}.baseURL`]: NO_LEGACY,
  [`${SSE}.basePath`]: NO_LEGACY,
  [`${SSE}.path`]: NO_LEGACY,
  [`${SSE}.messagePath`]: NO_LEGACY,
  [`${SSE}.keepAlive.enabled`]: NO_LEGACY,
  [`${SSE}.keepAlive.interval`]: NO_LEGACY,
};

/** A row for each key: `configuration.` and the key. */
export const keyRows: readonly SpecificationRow[] = Object.entries(KEYS).map(([key, [statement, ...tests]]) => ({
  id: `configuration.${key}`,
  statement,
  shown: "once",
  tests: [...everyKey(key), ...tests],
  ...(DEVIATIONS[key] !== undefined && { deviations: DEVIATIONS[key] }),
}));

function everyKey(key: string): readonly string[] {
  const shown = `the key ${key} > `;
  const hasDefault = SPECIFIED_KEYS.some((one) => one.key === key && one.standard !== undefined);
  return hasDefault ? [shown, `${shown}has the default of the specification`] : [shown];
}
