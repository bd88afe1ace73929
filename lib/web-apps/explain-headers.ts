import type { HeaderPart, UpstreamHeader } from "../config/header-template.ts";
import type { WebAppConfiguration } from "../config/web-app-configuration.ts";
import type { ExplainedStep } from "../gateway/explain/explanation.ts";
import { carriedIdentity } from "./carry-request.ts";
import { identityHeaders } from "./identity-headers.ts";
import type { WebCaller } from "./who-asks.ts";

/** A header that the upstream gets from us. */
export interface ExplainedHeader {
  readonly name: string;
  /** What its value is made of; empty: the configuration alone. */
  readonly from: readonly string[];
  /** Absent where it is a secret, or another one with each request. */
  readonly value?: string;
}

export interface ExplainedHeaders {
  readonly steps: readonly ExplainedStep[];
  /** Those that are sent. */
  readonly headers: readonly ExplainedHeader[];
}

/** What the upstream would be told of who asks. Steps name no values: claims may be nobody else's business. */
export function explainHeaders(
  { headers, assertion }: Pick<WebAppConfiguration, "headers" | "assertion">,
  caller: WebCaller,
): ExplainedHeaders {
  const explained = [...headers.map((header) => explainHeader(header, caller)), ...asserted(assertion, caller)];
  return {
    steps: explained.map(({ step }) => step),
    headers: explained.flatMap(({ header }) => (header === undefined ? [] : [header])),
  };
}

interface Explained {
  readonly step: ExplainedStep;
  /** Absent: it is left out. */
  readonly header?: ExplainedHeader;
}

function explainHeader(header: UpstreamHeader, caller: WebCaller): Explained {
  const { name, parts, isSecret } = header;
  const filled = identityHeaders([header], { ...carriedIdentity(caller), requestId: "" });
  const from = parts.flatMap(sourceOf);
  const step = (decision: ExplainedStep["decision"], why: string) => ({ step: "header", name, decision, why });
  const made = from.length === 0 ? "as the configuration has it" : `made of ${from.join(", ")}`;
  if ("fault" in filled) return { step: step("denied", `${made}: it would contain a control character`) };
  const [pair] = filled;
  if (pair === undefined) return { step: step("allowed", `left out: ${from.join(", ")} is missing, or no text`) };
  const isShown = isSecret !== true && !parts.some((part) => "request" in part);
  return { step: step("allowed", made), header: { name, from, ...(isShown && { value: pair[1] }) } };
}

function sourceOf(part: HeaderPart): readonly string[] {
  if ("text" in part) return [];
  if ("user" in part) return [`user.${part.user}`];
  if ("connector" in part) return [`${part.connector}.${part.claim}`];
  return ["agent" in part ? "agent.clientID" : "request.id"];
}

/** Nothing is asserted of nobody. */
function asserted(assertion: WebAppConfiguration["assertion"], { principal, claims }: WebCaller): readonly Explained[] {
  if (assertion === undefined || principal === undefined) return [];
  const { header: name, audience } = assertion;
  const from = ["sub", ...assertion.claims.filter((claim) => Object.hasOwn(claims, claim))];
  const why = `a statement for ${audience} of ${from.join(", ")}, signed by this instance`;
  return [{ step: { step: "header", name, decision: "allowed", why }, header: { name, from } }];
}
