import { EXIT, EXIT_MEANINGS } from "./exit-codes.ts";
import type { FlagKinds } from "./flags.ts";

export interface CommandUsage {
  /** What follows `countersign`; flags in brackets may be left out. */
  readonly usage: string;
  readonly summary: string;
}

/** Every command, and every action of `client`, in the order of the overview. */
export const USAGES: Readonly<Record<string, CommandUsage>> = {
  serve: {
    usage: "[serve] -config FILE [-secretProvider URL] [-verbose]",
    summary: "serves until SIGINT or SIGTERM, then finishes running requests",
  },
  init: { usage: "init [-out FILE]", summary: "writes a first configuration, countersign.yaml unless named" },
  validate: { usage: "validate -config FILE [-allowUnserved]", summary: "checks a configuration, starts nothing" },
  migrate: {
    usage: "migrate -config FILE",
    summary: "prints a configuration of a comparable product as one of this product, and what is left to do",
  },
  "import-bundle": {
    usage: "import-bundle -bundle FILE -publicKey FILE [-out FILE]",
    summary: "verifies a signed bundle of a comparable product, and prints its configuration as YAML for migrate",
  },
  compile: { usage: "compile -config FILE -out FILE", summary: "makes the artifact for Workers and Lambda" },
  publish: {
    usage:
      "publish (-config FILE | -rollbackTo N) -deployment NAME -key FILE -to PLACE [-revision N] [-reason TEXT] [-by TEXT] [-expires TIME] [-minimumVersion V] [-region NAME] [-keys FILE] [-secretProvider URL] [-verbose] [-restart] [-force WORDS] [-dryRun]",
    summary: "signs a configuration, or an earlier one again, and puts it where instances look for it",
  },
  "verify-bundle": {
    usage: "verify-bundle -bundle FILE -keys FILE",
    summary: "shows what a published configuration says, when one of the public keys has signed it",
  },
  diff: {
    usage: "diff -from FILE -to FILE [-keys FILE] [-json]",
    summary: "shows what differs between two configurations, each a YAML file or a published one",
  },
  tools: {
    usage:
      "tools (-config FILE | -openapi FILE|URL | -url URL [-client ID] [-tokenFile FILE] [-noBrowser]) [-app NAME] [-search TEXT | -tool NAME | -leftOut] [-json | -jsonl]",
    summary: "lists the tools, or shows one in full, and the operations that were left out; or those of an MCP server",
  },
  call: {
    usage:
      "call TOOL [key=value | key:=json …] -url URL [-arguments FILE] [-client ID] [-tokenFile FILE] [-noBrowser] [-json]",
    summary: "calls a tool of an MCP server and prints its answer; a person signs in in the browser where it needs one",
  },
  "sign-out": {
    usage: "sign-out -url URL",
    summary: "ends the sign-in of call and tools at an MCP server: its tokens are taken back and forgotten",
  },
  explain: {
    usage:
      "explain -config FILE (-source KEY | -tool NAME -claims FILE [-arguments FILE] | -app NAME -path PATH [-method METHOD] [-host HOST] [-claims FILE [-connector NAME]]) [-secretProvider URL] [-json]",
    summary:
      "shows what would be decided on a call or a request for a web app and why, exits with 4 if it would be refused; or where the value of a key comes from",
  },
  "test-policy": {
    usage: "test-policy -config FILE -cases FILE [-secretProvider URL] [-json]",
    summary: "decides on each case of a YAML file, and exits with 1 if a decision is not the expected one",
  },
  schema: { usage: "schema", summary: "prints the JSON Schema of the configuration, for editors" },
  "client create": {
    usage: "client create -config FILE -name TEXT -keyOut FILE [-description TEXT] [-scopes LIST] [-resources LIST]",
    summary: "makes an API client with a generated key pair",
  },
  "client list": { usage: "client list -config FILE [-json | -jsonl]", summary: "lists the API clients" },
  "client show": { usage: "client show -config FILE -client ID", summary: "shows an API client with its key pairs" },
  "client delete": {
    usage: "client delete -config FILE -client ID [-revokeTokens]",
    summary: "deletes an API client",
  },
  "client add-key": {
    usage: "client add-key -config FILE -client ID (-keyOut FILE | -publicKey FILE)",
    summary: "adds a key pair: generated, or your own",
  },
  "client revoke-key": {
    usage: "client revoke-key -config FILE -client ID -keyPair ID",
    summary: "revokes a key pair; issued tokens stay valid until they expire: stop -kind key_pair -endTokens ends them",
  },
  stop: {
    usage: "stop -config FILE -kind KIND -id ID [-issuer URL] [-endTokens] -reason TEXT",
    summary: "suspends an organization, client, key pair, person, agent, app, tool or upstream server",
  },
  resume: {
    usage: "resume -config FILE -kind KIND -id ID [-issuer URL] -reason TEXT",
    summary: "takes a suspension back; tokens and sessions from before stay over",
  },
  stops: { usage: "stops -config FILE [-json | -jsonl]", summary: "lists what is stopped" },
  "pins list": {
    usage: "pins list -config FILE [-app NAME] [-json | -jsonl]",
    summary: "lists apps with pins, and versions of tools that wait for approval",
  },
  "pins show": {
    usage: "pins show -config FILE -app NAME -digest DIGEST",
    summary: "shows a held version of a tool beside the approved ones",
  },
  "pins approve": {
    usage: "pins approve -config FILE -app NAME -digest DIGEST",
    summary: "approves a held version of a tool; a running server follows within five seconds",
  },
  "pins refuse": {
    usage: "pins refuse -config FILE -app NAME -digest DIGEST",
    summary: "refuses a held version of a tool, which stays held",
  },
  "pins forget": {
    usage: "pins forget -config FILE -app NAME [-tool NAME]",
    summary: "forgets a tool, which is held as a new one then, or all tools of an app, whose next list is the first",
  },
  "approvals list": {
    usage: "approvals list -config FILE [-state STATE] [-json | -jsonl]",
    summary: "lists calls that wait for approval, with their arguments; with another state, those",
  },
  "approvals approve": {
    usage: "approvals approve -config FILE -approval ID -digest DIGEST",
    summary: "approves a call for which owners have to; the agent makes it with its next request",
  },
  "approvals refuse": {
    usage: "approvals refuse -config FILE -approval ID -digest DIGEST",
    summary: "refuses a call, whoever has to approve it",
  },
  "connections list": {
    usage: "connections list -config FILE [-person ID] [-json | -jsonl]",
    summary: "lists people's accounts at providers, without their tokens",
  },
  "connections delete": {
    usage: "connections delete -config FILE -connection ID -person ID -app NAME [-agent ID]",
    summary: "takes a connection back; the running server revokes its tokens at the provider",
  },
  "vault keys": {
    usage: "vault keys -config FILE [-json | -jsonl]",
    summary: "counts the connections that each vault key encrypts",
  },
  "vault rewrap": {
    usage: "vault rewrap -config FILE",
    summary: "encrypts the data keys of all connections with the first vault key; may be repeated",
  },
  backup: {
    usage: "backup -config FILE -out FILE",
    summary: "copies the store into a new file, even while a server runs; to restore, start on that file",
  },
  owner: { usage: "owner -config FILE -email EMAIL|-user ID", summary: "prints a one-time sign-in link" },
  token: {
    usage: "token -issuer URL -client ID -key FILE [-resource URL] [-scope TEXT]",
    summary: "signs an assertion, prints an access token",
  },
  completion: { usage: "completion bash|zsh|fish", summary: "prints what completes commands and flags in a shell" },
  version: { usage: "version", summary: "prints name and version; also -version and -v" },
};

/** A flag means the same wherever it is accepted. */
const FLAGS: Readonly<Record<string, readonly [value: string, meaning: string]>> = {
  config: ["FILE", "the YAML document, or a folder whose *.yaml and *.yml are one; default: the variable SVC_CONFIG"],
  secretProvider: ["URL", "the source of <ns.key> secrets; default: the variable SVC_SECRET_PROVIDER"],
  verbose: ["", "logs everything, as SVC_DEBUG_MODE=true does"],
  version: ["", "prints name and version"],
  allowUnserved: ["", "apps that would not be served are warnings, and no mistakes"],
  out: ["FILE", "the file to write"],
  json: ["", "one JSON object instead of text"],
  jsonl: ["", "one JSON object a line for each entry"],
  url: ["URL", "the address of an MCP server, such as https://gateway.example.com/mcp"],
  tokenFile: ["FILE", "an access token instead of a sign-in; the variable COUNTERSIGN_TOKEN has one, too"],
  noBrowser: ["", "only prints the address at which a person signs in"],
  cases: ["FILE", "YAML with cases: who asks for what, and whether it is allowed"],
  openapi: ["FILE|URL", "an OpenAPI document, without a configuration"],
  app: [
    "NAME",
    "only this app; with -openapi the app's name, by default the file's; of explain: a web app; of connections and pins: theirs",
  ],
  search: ["TEXT", "only tools that agents would find, best match first"],
  leftOut: ["", "only the operations that are no tools, with the reasons"],
  tool: ["NAME", "the tool, as agents see it; of pins: as its server calls it"],
  source: ["KEY", "a key of the configuration, such as limits or apps[ledger].timeout: what each layer says of it"],
  claims: ["FILE", "the claims of the token, or of the person's sign-in, one JSON object"],
  arguments: ["FILE", "the arguments of the call, one JSON object; default: none; of call, - is the standard input"],
  method: ["METHOD", "of the request; default: GET"],
  path: ["PATH", "of the request, with its query, as a client writes it"],
  host: ["HOST", "that the request is sent to; default: that of the app's first route"],
  connector: [
    "NAME",
    "where the person signed in; default: a program, or the policy's first where it is for people alone",
  ],
  name: ["TEXT", "the client's name"],
  description: ["TEXT", "what the client is for"],
  scopes: ["LIST", "scopes it may ask for, with commas between"],
  resources: ["LIST", "audiences it may ask for, URLs with commas between"],
  keyOut: ["FILE", "where the generated private key goes; must not exist"],
  publicKey: ["FILE", "a public key, PEM or JWK: to register, or of whoever signed the bundle"],
  client: ["ID", "the client ID; of call and tools one that the authorization server knows, else one is registered"],
  keyPair: ["ID", "the key pair's ID"],
  kind: ["KIND", "organization, api_client, key_pair, person, agent, app, tool or upstream"],
  id: ["ID", "its id; the name of an app, app/tool, the URL or origin of an upstream server"],
  endTokens: ["", "only ends its tokens and sessions: it can have new ones"],
  approval: ["ID", "the approval's id, approval_…, as approvals list shows it"],
  state: ["STATE", "pending, approved, refused, expired, consumed or all; default: pending"],
  connection: ["ID", "the connection's id, connection_…, as connections list shows it"],
  person: ["ID", "whose connections, as audit records name the person"],
  agent: ["ID", "the agent that alone may use the connection, where there is one"],
  digest: ["DIGEST", "of the approval, or of the tool's version, as the list shows it: nothing else is decided"],
  reason: ["TEXT", "why, for the audit log"],
  deployment: ["NAME", "whose instances it is for, as their SVC_CONFIG_DEPLOYMENT says"],
  to: ["PLACE", "store:, a URL that takes PUT, the management API's …/api/v1/deployment, or a file; of diff: a file"],
  revision: ["N", "the number of the publication; default: the next"],
  rollbackTo: ["N", "the earlier revision whose contents are published again"],
  by: ["TEXT", "who publishes; default: operator:<login name>"],
  expires: ["TIME", "no instance takes it over after that, RFC 3339"],
  minimumVersion: ["V", "the oldest release that may take it over"],
  region: ["NAME", "oidcProvider.region, where the document has a variable there"],
  keys: ["FILE", "public keys of publishers, PEM or a JWK Set"],
  dryRun: ["", "does all but the last step"],
  restart: ["", "through the management API: also what running instances do not take over before they are restarted"],
  force: ["WORDS", "words for what the publication takes away, as the refusal names them, with commas between"],
  bundle: ["FILE", "a published configuration; of import-bundle: a .tar.gz"],
  from: ["FILE", "a YAML file, a folder of such, or a published configuration"],
  revokeTokens: ["", "also revokes the tokens that were issued to it"],
  email: ["EMAIL", "the person's address"],
  user: ["ID", "the person's id, user_…, where several have the address"],
  issuer: ["URL", "the authorization server"],
  key: ["FILE", "the private key of the client, or of the publisher, PEM"],
  resource: ["URL", "the audience of the token; else the management API"],
  scope: ["TEXT", "scopes with spaces between; else all that are granted"],
  help: ["", "shows this"],
};

/** What a flag's value is called, empty for a switch, and what it means. */
export function flagHelp(name: string): { readonly value: string; readonly meaning: string } {
  const [value = "", meaning = ""] = FLAGS[name] ?? [];
  return { value, meaning };
}

/** All commands. */
export function overview(): string {
  const rows = Object.values(USAGES).map(({ usage, summary }) => `  countersign ${usage}\n      ${summary}\n`);
  const exits = Object.entries(EXIT_MEANINGS).map(([name, text]) => `  ${EXIT[name as keyof typeof EXIT]}  ${text}\n`);
  return `${rows.join("")}
countersign help COMMAND lists the command's flags. They take one dash or two, and -flag value or -flag=value.
Variables: SVC_CONFIG, SVC_SECRET_PROVIDER, SVC_DEBUG_MODE=true, COUNTERSIGN_TOKEN
Exit codes:
${exits.join("")}`;
}

/** The actions of a command that has some, for example `client`; undefined for any other. */
export function actionsHelp(command: string): string | undefined {
  const rows = Object.entries(USAGES).filter(([name]) => name.startsWith(`${command} `));
  if (rows.length === 0) return undefined;
  const lines = rows.map(([, { usage, summary }]) => `  countersign ${usage}\n      ${summary}\n`);
  return `${lines.join("")}\ncountersign ${command} ACTION -help lists the action's flags.\n`;
}

/** One command with the flags that it accepts. */
export function commandHelp(name: string, kinds: FlagKinds): string {
  const usage = USAGES[name];
  const heading = usage === undefined ? `countersign ${name}\n` : `countersign ${usage.usage}\n  ${usage.summary}\n`;
  const rows = [...Object.keys(kinds), "help"].map((flag) => {
    const { value, meaning } = flagHelp(flag);
    return [`  -${flag} ${value}`.trimEnd(), meaning] as const;
  });
  const width = Math.max(...rows.map(([flag]) => flag.length));
  return `${heading}\n${rows.map(([flag, meaning]) => `${`${flag.padEnd(width)}   ${meaning}`.trimEnd()}\n`).join("")}`;
}
