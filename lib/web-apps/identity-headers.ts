import type { HeaderPart, UpstreamHeader } from "../config/header-template.ts";
import { encodedText, headerText } from "../gateway/credentials/upstream-headers.ts";
import type { JsonObject } from "../kernel/json.ts";

/** What the headers of a request to a web app are made of. */
export interface IdentityHeaderSources {
  /** What each connector says of the person who signed in there, by its name. */
  readonly attributes: Readonly<Record<string, JsonObject>>;
  /** Claims of the person; absent: nobody is known. */
  readonly user?: JsonObject;
  /** Of a program with a token. */
  readonly agentClientID?: string;
  readonly requestId: string;
}

/** A claim that no header of ours carries: an upstream could read a line break in it as a header of its own. */
export interface IdentityHeaderFault {
  readonly fault: "control_character";
  /** Of the header. */
  readonly name: string;
}

/**
 * The headers of one request, in the order of the configuration. One whose claim is missing is left out: an empty or half a name could
 * be taken for somebody. What is not ASCII is percent-encoded, as in `upstream.headers` of MCP apps.
 */
export function identityHeaders(
  headers: readonly UpstreamHeader[],
  sources: IdentityHeaderSources,
): readonly (readonly [name: string, value: string])[] | IdentityHeaderFault {
  const filled: [name: string, value: string][] = [];
  for (const { name, parts } of headers) {
    if (parts.some((part) => hasControlCharacter(rawValue(part, sources)))) return { fault: "control_character", name };
    const values = parts.map((part) => partText(part, sources));
    if (!values.includes(undefined)) filled.push([name, values.join("")]);
  }
  return filled;
}

function partText(part: HeaderPart, sources: IdentityHeaderSources): string | undefined {
  const { attributes, user, agentClientID, requestId } = sources;
  if ("text" in part) return part.text;
  if ("request" in part) return encodedText(requestId);
  if ("agent" in part) return agentClientID === undefined ? undefined : encodedText(agentClientID);
  if ("user" in part) return headerText(user, part.user);
  return headerText(ownValue(attributes, part.connector), part.claim);
}

/** What a part stands for, before it is encoded. */
function rawValue(part: HeaderPart, { attributes, user, agentClientID }: IdentityHeaderSources): unknown {
  if ("text" in part) return part.text;
  if ("request" in part) return undefined;
  if ("agent" in part) return agentClientID;
  if ("user" in part) return user && ownValue(user, part.user);
  return ownValue(ownValue(attributes, part.connector) ?? {}, part.claim);
}

function ownValue<Value>(values: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(values, name) ? values[name] : undefined;
}

function hasControlCharacter(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(hasControlCharacter);
  return typeof value === "string" && [...value].some((character) => character < " " || character === "\u007f");
}
