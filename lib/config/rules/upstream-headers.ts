import { isFramingHeader } from "../../bridge/framing-headers.ts";
import { type Path, pathText } from "../path.ts";
import type { RuleContext } from "./rule.ts";

const PRINTABLE = /^[\x20-\x7e]*$/;

/** The rules of `upstream.headers`. */
export function headerRules({ at, report }: RuleContext, app: Path): void {
  const headers = [...app, "upstream", "headers"];
  const isProxy = at(...app, "type") === "mcpProxy";
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
    else if (
      name.toLowerCase() === "authorization" &&
      at(...app, "authorization", "outbound", "type") === "tokenExchange"
    )
      report(path, "stands beside type: tokenExchange, whose token goes into it; accepted: one of the two");
    else reportUnprintable({ at, report }, path);
  }
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
