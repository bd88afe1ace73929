import type { Path } from "../path.ts";
import { type KnownNames, reportUnknownName } from "./names.ts";
import { type RuleContext, reportUnlessOne } from "./rule.ts";
import { headerRules, reportUnprintable } from "./upstream-headers.ts";

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
