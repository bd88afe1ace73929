import { RUNTIMES, type Runtime } from "../results.ts";
import { deviates, type SpecificationRow } from "../row.ts";

const EDGES: readonly Runtime[] = ["workerd", "lambda"];
const exported = (title: string) => RUNTIMES.map((runtime) => `telemetry on ${runtime} > ${title}`);
/** The Worker is built with its document, and so is the function. */
const build = [
  "npm run build for Workers > builds both regions offline",
  "the CloudFormation of stage us > runs the stage's bundle on Node 24",
];
const edgeBuild = "the build for Workers and Lambda refuses ";
const noCommand = (instead: string, tests: readonly string[] = build) =>
  deviates(EDGES, `There is no command to start: the platform starts what was built. ${instead}`, tests);
const platformTls = deviates(
  EDGES,
  "The platform listens and ends TLS: the certificate has no effect, with a warning, and a version that the platform would not insist on is refused (D51).",
  [
    "on workers > a certificate for the listener is without effect",
    "on workers > a version that the platform would not insist on is refused",
    "on lambda > a certificate for the listener is without effect",
    "on lambda > a version that the platform would not insist on is refused",
  ],
);
const everyLog = "the log of all suites > ";

const A_MINUTE =
  "An interval below a minute is kept with requests alone, and without them it beats once a minute, with a warning at the start: the platform's schedule has no shorter one, and waiting would occupy an instance (D181).";
const SECONDS = ["the Lambda handler > says that an interval of seconds is kept with requests alone"];
const LACKING = "the secret provider > cyberarkccp on a runtime that lacks it is told apart from a typing mistake";

export const operationRows: readonly SpecificationRow[] = [
  {
    id: "health.status",
    statement: "The health endpoint answers {status: up} at /status by default and where health.location says.",
    shown: "once",
    tests: [
      "it serves health at the public URL and logs every line with the instance's soid",
      "health is where health.location says",
    ],
  },
  {
    id: "health.connectors",
    statement:
      "An instance whose connectors failed to initialize reports an unhealthy status, and comes up when they do.",
    shown: "runtimes",
    tests: [
      "starts and serves although connector and authorization server are not there, and says which",
      "comes up without a restart, each part by itself",
    ],
  },
  {
    id: "heartbeat.fields",
    statement: "The heartbeat tells versions, processors, memory, what is active, and the instance's soid.",
    shown: "runtimes",
    tests: [`${everyLog}every instance that serves has a heartbeat`],
    also: [
      "the heartbeat entry > has the fields of the specification, the instance's soid, and no others",
      "the heartbeat has the configured level and interval, and its fields",
      "what a process tells about itself > shares are between 0 and 1",
    ],
    deviations: deviates(
      ["workerd"],
      "Processors, memory and what is active are left out: the platform does not tell them, and an invented number is worse than none (D62).",
      [
        "the heartbeat entry > leaves out what the runtime does not tell",
        `${everyLog}every instance that serves has a heartbeat`,
      ],
    ),
  },
  {
    id: "heartbeat.interval",
    statement: "The heartbeat is logged every interval, 60 s by default, unless it is disabled.",
    shown: "once",
    tests: [
      "the heartbeat beats every minute at info unless the document says otherwise",
      "on Node > it beats at once and every interval, until it is stopped",
      "a disabled heartbeat is not in the log",
      "where the platform rings once a minute, also without requests > ",
      "a Worker's Cron trigger > starts the instance and beats once an interval, without any request",
      "the Lambda handler > beats with EventBridge's schedule once an interval, without any request",
      "the CloudFormation of stage us > rings once a minute, and lets this rule alone do so",
    ],
    deviations: deviates(["lambda"], A_MINUTE, SECONDS),
  },
  {
    id: "log.instance",
    statement: "Every log entry carries the instance's soid.",
    shown: "runtimes",
    tests: [`${everyLog}every entry names its instance`],
    also: [
      "it serves health at the public URL and logs every line with the instance's soid",
      "no field replaces time, level, message or instance",
      "an entry looks as the configuration says > text, with the fields as they come and the instance last",
    ],
  },
  {
    id: "log.request",
    statement: "Each request has an id of its own, and every log entry of that request carries it.",
    shown: "runtimes",
    tests: [`${everyLog}every entry names its instance, and its request when it belongs to one`],
    also: ["every log entry of a request carries the request's own id", "every entry of a request carries its id > "],
  },
  {
    id: "log.json",
    statement: "logger.jsonOutput turns entries into JSON objects, logger.level filters them.",
    shown: "once",
    tests: ["a JSON line carries time, level, message, instance and fields", "entries below the level are dropped"],
  },
  {
    id: "log.access",
    statement: "The access log has a level and can be disabled.",
    shown: "once",
    tests: [
      "the access log has the configured level",
      "the access log can be disabled",
      "the access log > tells who was authenticated, from where and with what",
    ],
  },
  {
    id: "telemetry.requests",
    statement: "Requests are exported as metrics: how many, with which status, and histograms of how long they took.",
    shown: "once",
    tests: exported("metrics count requests by route and status"),
  },
  {
    id: "telemetry.authentication",
    statement: "Tokens that are asked for and agents that come with one are counted by how it ended.",
    shown: "once",
    tests: exported("metrics count requests by route and status, operations by tool, and what tokens were asked for"),
  },
  {
    id: "telemetry.runtime",
    statement: "Memory, running requests and sessions are measured.",
    shown: "once",
    tests: [
      "memory and running requests are measured",
      ...exported("a request that is being answered is active, and memory is told where the platform does"),
    ],
    deviations: deviates(["workerd"], "Its memory is not measured: the platform does not tell it.", [
      "telemetry on workerd > a request that is being answered is active, and memory is told where the platform does",
    ]),
  },
  {
    id: "telemetry.traces",
    statement: "Requests, tool calls and upstream requests are spans of one distributed trace.",
    shown: "once",
    tests: [
      ...exported("a request is a span of its caller's trace, named after the route"),
      ...exported("a tool call is a span inside its request's, and the upstream's request one inside it"),
    ],
  },
  {
    id: "telemetry.otlp",
    statement: "Telemetry is exported over OTLP, and a collector that is not there costs no request.",
    shown: "once",
    tests: [
      "with http/protobuf a collector reads spans and metrics",
      "a collector that cannot be reached costs no request, and is told once",
      ...exported("no answer, and no end of a stream, waits for the collector"),
    ],
  },
  {
    id: "telemetry.options",
    statement: "There are TLS certificates, gzip, headers, temporality and a batch processor, by names of our own.",
    shown: "once",
    tests: [
      "a collector behind TLS is trusted by `certificate`, and knows us by `clientCertificate` and `clientKey`",
      "gzip compresses what is exported, none leaves it alone",
      "configured headers go with every export",
      "a batch leaves when it is full, and holds no more than it may",
      "temporality sums count from the start or from the last export",
    ],
    deviations: deviates(
      ["workerd"],
      "Certificates from files are refused: a Worker reads none, and its platform verifies connections by public authorities alone (D51).",
      ["telemetry on the edges > Workers refuse certificates that come from files"],
    ),
  },
  {
    id: "command.config",
    statement: "-config names the document, SVC_CONFIG is the alternative; without both the start fails.",
    shown: "once",
    deviations: noCommand("The document is compiled into the Worker and into the function by npm run build."),
    tests: [
      "countersign -config > serves a file until SIGINT",
      "countersign -config > serves a folder until SIGTERM",
      "countersign -config > SVC_CONFIG and SVC_DEBUG_MODE name the file",
      "countersign > without a configuration, one line names both ways and the exit code is 2",
      "tells the cause when > the flag names nothing, whatever the variable names",
    ],
  },
  {
    id: "command.version",
    statement: "-version prints the version and exits.",
    shown: "once",
    deviations: noCommand("The version is in the heartbeat.", [
      `${everyLog}every instance that serves has a heartbeat`,
    ]),
    tests: ["countersign > -version prints name and version", "-version needs no configuration, and reads none"],
  },
  {
    id: "command.verbose",
    statement: "-verbose and SVC_DEBUG_MODE=true set the level to debug whatever the document says.",
    shown: "once",
    deviations: {
      ...noCommand("SVC_DEBUG_MODE holds, the flag has no place.", ["a Worker > with SVC_DEBUG_MODE=true logs"]),
      ...deviates(
        ["lambda"],
        "There is no command to start: the platform starts what was built. SVC_DEBUG_MODE holds, the flag has no place.",
        ['the Lambda handler > with {"SVC_DEBUG_MODE":"true"} logs at debug level'],
      ),
    },
    tests: [
      "-verbose logs at debug level",
      "SVC_DEBUG_MODE=true logs at debug level",
      "SVC_DEBUG_MODE=false leaves the level as it is",
    ],
  },
  {
    id: "command.secret-provider",
    statement:
      "-secretProvider or SVC_SECRET_PROVIDER names the one secret provider; a document that names no secret needs none.",
    shown: "once",
    deviations: noCommand("SVC_SECRET_PROVIDER holds, the flag has no place.", [
      "token endpoint > answers a correct request > with an opaque bearer token",
    ]),
    tests: [
      "the secret provider > comes from the flag or from the variable",
      "countersign -config > two different secret providers are an error",
      "the same secret provider may be named by flag and variable",
    ],
  },
  {
    id: "command.secret-provider-only",
    statement: "The document cannot name a secret provider.",
    shown: "once",
    tests: ["the document cannot name a secret provider: "],
  },
  {
    id: "command.secret-stores.vault",
    statement: "A vault server is a secret provider: its URL has host, path and a token.",
    shown: "once",
    tests: [
      "the URL of Vault > hashivault:// is https",
      "<ns.key> is the field of the entry below the path, in KV version 2",
      "a secret in Vault is in effect, a new value is without a restart, and an outage changes nothing",
      "a Worker > takes its secrets from Vault, and new ones five minutes later with a request",
      "a Lambda function > takes new secrets from Vault five minutes later with a request",
    ],
  },
  {
    id: "command.secret-stores.aws",
    statement: "A cloud's secrets manager is a secret provider: its URL has a region.",
    shown: "once",
    tests: [
      "a secret in AWS Secrets Manager, read by AWS's own client > <prod/db:password> is taken from prod/db",
      "a secret in AWS Secrets Manager, read by AWS's own client > requests are signed for the region",
      "a secret in AWS Secrets Manager, read by requests that we sign > requests are signed for the region",
      "a Worker reads from AWS Secrets Manager, which verifies its signature",
    ],
  },
  {
    id: "command.secret-stores.azure",
    statement: "A cloud's key vault is a secret provider: its URL has the vault's host.",
    shown: "once",
    tests: [
      "reading > <database.password> is a secret, or a field of the JSON object in it",
      "managed identities > without a client's secret, the machine's identity",
      "a Worker reads from Azure Key Vault as a client with its secret",
    ],
  },
  {
    id: "command.secret-stores.file",
    statement: "A secret file is a secret provider, for development.",
    shown: "once",
    tests: ["secretfile:// > entries are text, a value or a file beside it"],
    deviations: deviates(EDGES, "There are no files beside an instance there; development is on Node.", [
      "the secret provider > secretfile on a runtime that lacks it is told apart from a typing mistake",
    ]),
  },
  {
    id: "command.secret-kinds",
    statement:
      "There are five further kinds of providers, more than seven in all; a kind that is unknown or that the runtime lacks is refused.",
    shown: "once",
    deviations: deviates(
      ["workerd"],
      "CyberArk's Central Credential Provider wants a client certificate, which a Worker has not, and secret files are on Node alone.",
      ["a runtime without client certificates refuses it", LACKING],
    ),
    tests: [
      "a Worker reads from Conjur",
      "a Worker reads from Delinea Secret Server",
      "a Worker reads from Google Cloud",
      "reading > an account's folder is that of the URL",
      "the secret provider > every scheme that can be opened is a known one",
      "the secret provider > secretfile on a runtime that lacks it is told apart from a typing mistake",
      "tells the cause when > the secret provider is unknown",
    ],
  },
  {
    id: "http.tls",
    statement: "http.tls names the entry of tls whose certificate, key and least version the listener uses.",
    shown: "once",
    deviations: platformTls,
    tests: [
      "the listener answers over TLS with the certificate of http.tls, and the application sees https",
      "versions below minVersion are refused",
      "tells the cause when > a key is for something else",
    ],
  },
  {
    id: "startup.yaml",
    statement: "Invalid YAML is a startup failure with its cause.",
    shown: "once",
    deviations: noCommand("The build refuses the document with the cause.", [`${edgeBuild}invalid YAML`]),
    tests: ["startup fails with exit 3, one log entry and one line that tells the cause when > the YAML is invalid"],
  },
  {
    id: "startup.required",
    statement: "A required field that is missing is a startup failure with its cause.",
    shown: "once",
    tests: [
      "tells the cause when > the required version is missing",
      "tells the cause when > a required field is missing",
      "tells the cause when > a variable is not set",
      "tells the cause when > a secret has no provider",
      `${edgeBuild}a document without its version`,
      "a Worker > answers 503 on every path when a secret is missing, and only the log says which",
      "the Lambda handler > answers 503 on every path when the configuration cannot start, and only the log says why",
    ],
  },
  {
    id: "startup.port",
    statement: "A taken port is a startup failure with its cause.",
    shown: "once",
    deviations: noCommand("It listens for us, so that no port can be taken."),
    tests: [
      "a taken port is a startup error of one line that names address and port",
      "startup fails with exit 3, one log entry and one line that tells the cause when > the listening port is taken",
    ],
  },
  {
    id: "startup.file",
    statement: "A file that cannot be read is a startup failure with its cause.",
    shown: "once",
    deviations: noCommand("The build, which reads every file, refuses with the cause.", [`${edgeBuild}no file`]),
    tests: [
      "cannot be read: the start ends with 3, a log entry and one line",
      "tells the cause when > an OpenAPI document cannot be read",
      "tells the cause when > a certificate is not there",
      "tells the cause when > the secret file is not there",
    ],
  },
];
