import { isFramingHeader } from "../../openapi/framing-headers.ts";
import { type Path, pathText } from "../path.ts";
import { type KnownNames, reportUnknownName } from "./names.ts";
import { type RuleContext, reportUnlessOne } from "./rule.ts";

const TRANSPORTS = ["stream", "sse"];

/** The rules of an MCP app's `upstream`. */
export function upstreamRules(context: RuleContext, app: Path, tls: KnownNames): void {
  const upstream = [...app, "upstream"];
  reportUnknownName(context, [...upstream, "tls"], tls);
  for (const transport of TRANSPORTS) reportUnknownName(context, [...upstream, transport, "tls"], tls);
  if (context.at(...app, "type") === "mcpProxy") transportRules(context, upstream);
  else credentialRules(context, [...upstream, "auth"]);
  headerRules(context, app);
}

function transportRules({ at, report }: RuleContext, upstream: Path): void {
  const written = at(...upstream, "transport");
  const transport = written === undefined ? "stream" : written;
  if (typeof transport !== "string" || !TRANSPORTS.includes(transport) || at(...upstream) === undefined) return;
  if (at(...upstream, transport) === undefined) {
    report([...upstream, transport], `required with transport: ${transport}; accepted: a mapping with url`);
  }
}

function credentialRules(context: RuleContext, auth: Path): void {
  const { at, report } = context;
  const schemes = at(...auth);
  for (const scheme of Object.keys(typeof schemes === "object" && schemes !== null ? schemes : {})) {
    const path = [...auth, scheme];
    reportUnlessOne(context, path, ["value", "username"]);
    if (at(...path, "username") !== undefined && at(...path, "password") === undefined) {
      report([...path, "password"], "required beside username; accepted: text, also empty");
    }
    const username = at(...path, "username");
    if (typeof username === "string" && username.includes(":")) {
      report([...path, "username"], "found a colon, which ends the user name (RFC 7617); accepted: one without");
    }
    reportUnprintable(context, [...path, "value"]);
  }
}

const PRINTABLE = /^[\x20-\x7e]*$/;

/** The rules of `upstream.headers`. */
function headerRules({ at, report }: RuleContext, app: Path): void {
  const headers = [...app, "upstream", "headers"];
  const isProxy = at(...app, "type") === "mcpProxy";
  const type = at(...app, "authorization", "outbound", "type");
  const seen = new Map<string, Path>();
  const values = at(...headers);
  for (const name of Object.keys(typeof values === "object" && values !== null ? values : {})) {
    const path = [...headers, name];
    const first = seen.get(name.toLowerCase());
    seen.set(name.toLowerCase(), first ?? path);
    if (first !== undefined) report(path, `stands above already, at ${pathText(first)}; accepted: each header once`);
    else if (isFramingHeader(name)) report(path, refusal(name, isProxy));
    // A stream that goes on after an event is the gateway's to ask for (HTML, server-sent events).
    else if (isProxy && name.toLowerCase() === "last-event-id") report(path, refusal(name, isProxy));
    else if (name.toLowerCase() === "authorization" && carriesToken(type))
      report(path, `stands beside type: ${type}, whose token goes into it; accepted: one of the two`);
    else reportUnprintable({ at, report }, path);
  }
}

function carriesToken(type: unknown): type is string {
  return type === "tokenExchange" || type === "userToken";
}

/** Headers hold nothing else for sure, and what runtimes make of it differs (RFC 9110 §5.5). */
export function reportUnprintable({ at, report }: Pick<RuleContext, "at" | "report">, path: Path): void {
  const value = at(...path);
  if (typeof value !== "string" || PRINTABLE.test(value)) return;
  report(path, "found characters that are not ASCII; accepted: letters, digits, spaces and signs of ASCII");
}

function refusal(name: string, isProxy: boolean): string {
  if (/^cookie2?$/i.test(name)) {
    if (isProxy) return "cookies are not sent to MCP servers; accepted: another header";
    return "is no header of its own; accepted: upstream.auth for an API key in a cookie";
  }
  return `the gateway makes ${name} by itself; accepted: another header`;
}
