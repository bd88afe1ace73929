import type { SpecificationRow } from "../row.ts";

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
    statement: "An instance whose connectors failed to initialize reports an unhealthy status, and comes up when they do.",
    shown: "runtimes",
    tests: [
      "starts and serves although connector and authorization server are not there, and says which",
      "comes up without a restart, each part by itself",
    ],
  },
  {
    id: "log.instance",
    statement: "Every log entry carries the instance's soid.",
    shown: "once",
    tests: ["it serves health at the public URL and logs every line with the instance's soid"],
  },
  {
    id: "log.request",
    statement: "Each request has an id of its own, and every log entry of that request carries it.",
    shown: "once",
    tests: ["every log entry of a request carries the request's own id"],
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
    tests: ["the access log has the configured level", "the access log can be disabled"],
  },
  {
    id: "command.config",
    statement: "-config names the document, SVC_CONFIG is the alternative; without both the start fails.",
    shown: "once",
    tests: [
      "countersign -config > serves until SIGTERM",
      "countersign -config > SVC_CONFIG and SVC_DEBUG_MODE name the file",
      "countersign > without a configuration, one line names both ways and the exit code is 1",
    ],
  },
  {
    id: "command.version",
    statement: "-version prints the version and exits.",
    shown: "once",
    tests: ["countersign > -version prints name and version"],
  },
  {
    id: "command.verbose",
    statement: "-verbose and SVC_DEBUG_MODE=true set the level to debug whatever the document says.",
    shown: "once",
    tests: ["-verbose logs at debug level", "SVC_DEBUG_MODE=true logs at debug level"],
  },
  {
    id: "command.secret-provider",
    statement: "-secretProvider or SVC_SECRET_PROVIDER names the one secret provider; a secret file works.",
    shown: "once",
    tests: [
      "the secret provider > comes from the flag or from the variable",
      "countersign -config > two different secret providers are an error",
      "secretfile:// > entries are text, a value or a file beside it",
    ],
  },
  {
    id: "command.secret-stores",
    statement: "A vault server, a cloud's secrets manager and a cloud's key vault are secret providers as well.",
    shown: "once",
    tests: [
      "a secret in Vault is in effect, a new value is without a restart, and an outage changes nothing",
      "a secret in AWS Secrets Manager, read by AWS's own client > <prod/db:password> is taken from prod/db",
      "reading > many secrets take one token, until it is nearly at its end",
    ],
  },
  {
    id: "http.tls",
    statement: "http.tls names the entry of tls whose certificate, key and least version the listener uses.",
    shown: "once",
    tests: [
      "the listener answers over TLS with the certificate of http.tls, and the application sees https",
      "versions below minVersion are refused",
      "tells the cause when > a key is for something else",
    ],
  },
  {
    id: "startup.port",
    statement: "A taken port is a startup failure with its cause.",
    shown: "once",
    tests: [
      "a taken port is a startup error of one line that names address and port",
      "startup fails with exit 1 and one line that tells the cause when > the listening port is taken",
    ],
  },
  {
    id: "startup.file",
    statement: "A file that cannot be read is a startup failure with its cause.",
    shown: "once",
    tests: [
      "cannot be read: the start ends with 1 and one line",
      "tells the cause when > an OpenAPI document cannot be read",
      "tells the cause when > a certificate is not there",
      "tells the cause when > the secret file is not there",
    ],
  },
];
