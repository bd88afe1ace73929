import type { SpecificationRow } from "../row.ts";
import { keyRows } from "./keys.ts";

const rule = "rules of mcpProvider > ";

export const configurationRows: readonly SpecificationRow[] = [
  ...keyRows,
  {
    id: "configuration.environment",
    statement: "{{ env.VAR }} is replaced by an environment variable.",
    shown: "once",
    tests: [
      "placeholders > text, numbers and booleans are filled where the document wants them",
      "placeholders > a value never adds structure",
    ],
  },
  {
    id: "configuration.secrets",
    statement: "<namespace.key> is fetched from the secret provider at runtime.",
    shown: "once",
    tests: [
      "placeholders > unset variables and missing secrets are reported together",
      "a secret in Vault is in effect, a new value is without a restart, and an outage changes nothing",
      "a secret that changed is in the next snapshot, five minutes later at most",
      "a Worker > takes its secrets from Vault, and new ones five minutes later with a request",
      "a Lambda function > takes new secrets from Vault five minutes later with a request",
    ],
  },
  {
    id: "configuration.mistakes",
    statement: "Invalid YAML and missing required fields are startup failures with their cause.",
    shown: "once",
    tests: [
      "mistakes > ten mistakes are reported at once",
      "is refused with a position",
      "tells the cause when > the YAML is invalid",
      "tells the cause when > the required version is missing",
      "tells the cause when > a required field is missing",
    ],
  },
  {
    id: "configuration.published",
    statement:
      "Documents with every key of the specification load, with one warning for each key that is not in effect.",
    shown: "once",
    tests: [
      "all keys of the specification at once are a document that loads",
      "a document of the field loads without a change, with one warning for each key that is not in effect",
      "a published gateway loads unchanged > ",
      "a published provider loads unchanged > ",
      "keys without effect > ",
    ],
  },
  {
    id: "configuration.unsupported",
    statement:
      "What asks for protection that this version does not give is not served: validate refuses it, a warning says why, and health is degraded.",
    shown: "once",
    tests: [
      "validate calls an app that would get no tokens a mistake, unless it is told that this is known",
      "an instance with an app that it cannot serve is degraded, and says which",
      "an oidc app > keeps grants that are not served out",
    ],
  },
  {
    id: "configuration.clients",
    statement: "Clients of the provider have what their apps say, and documented defaults.",
    shown: "once",
    tests: [
      "an oidc app > that says nothing more has defaults",
      "an oidc app > is taken from the document with all of its keys",
      "an oidc app that is right > ",
      "what clients may have that come by themselves > ",
    ],
  },
  {
    id: "configuration.sign-in",
    statement: "Connectors say where people sign in, with what, and where they come back to.",
    shown: "once",
    tests: [
      "connectors > what sign-in asks for is taken from the document",
      "connectors > the callback is where connectors send people back to",
      "connectors > a private key is PEM or a JWK",
    ],
  },
  {
    id: "configuration.signing-keys",
    statement: "Keys of the document sign; without them the service makes its own, encrypted at the edge.",
    shown: "once",
    tests: ["oidcProvider.jwks[].privateKey > ", "keySecret on workers > ", "keySecret on lambda > "],
  },
  {
    id: "configuration.credentials",
    statement:
      "Each tool's calls carry a token with the audience, scopes and lifetime of the document; some want a stronger sign-in.",
    shown: "runtimes",
    tests: [
      "credentials for upstreams > are good for the API alone, and name the agent",
      "credentials for upstreams > take a sign-in of the kind that a tool needs",
      "each tool gets the scopes and lifetime that are configured for it, and none where nothing is",
    ],
    also: ["token exchange toward an upstream > ", "a stronger sign-in for some tools > "],
  },
  {
    id: "configuration.unknown",
    statement: "Unknown keys are mistakes and not ignored.",
    shown: "once",
    tests: ["mistakes > ten mistakes are reported at once", "health > intervall: 1s is refused"],
  },
  {
    id: "configuration.defaults",
    statement: "Keys that are left out have the documented defaults.",
    shown: "once",
    tests: [
      "defaults > the smallest document serves health on port 8080 of this machine",
      "defaults > the gateway's defaults",
      "telemetry > what a document leaves out is what OpenTelemetry has for it",
    ],
  },
  {
    id: "configuration.server-required",
    statement: "Each authorization server needs its discovery endpoint and at least one expected audience.",
    shown: "once",
    tests: [`${rule}wellKnownEndpoint is required`, `${rule}expectedAudiences is required`],
  },
  {
    id: "configuration.introspection-required",
    statement: "introspection and auto need client id, client secret and a timeout; a placeholder will do.",
    shown: "once",
    tests: [
      ...["introspection", "auto"].flatMap((method) =>
        ["clientID", "clientSecret", "timeout"].map((key) => `${rule}${key} is required with ${method}`),
      ),
      `${rule}a placeholder satisfies a required key`,
    ],
  },
];
