import type { McpBridgeAppConfiguration } from "../../config/app-configuration.ts";
import type { HeaderPart } from "../../config/header-template.ts";
import { isJsonObject, type JsonObject } from "../../kernel/json.ts";
import { REDACTED, type Redact, SHORTEST_SECRET } from "../../logging/redaction.ts";
import { secretValues, spellingsOf, withoutUrlEscapes } from "../../logging/secret-values.ts";
import type { Invocation } from "../../openapi/response/invocation.ts";
import { type ContentBlock, textBlock } from "../../protocol/mcp/tool-result.ts";

/**
 * Takes the credentials of an app out of its results: APIs answer with links that repeat an API key of the query, and
 * with errors that quote one. Undefined where the app has none.
 */
export function createEchoRedaction({
  auth = {},
  headers = [],
}: Pick<McpBridgeAppConfiguration, "auth" | "headers">): ((invocation: Invocation) => Invocation) | undefined {
  const secrets = [
    ...Object.values(auth).map(secretOf),
    ...headers.filter(({ isSecret }) => isSecret).flatMap(({ parts }) => secretPartsOf(parts).map(textOf)),
  ];
  const redact = redactionOf(secrets.filter(({ length }) => length >= SHORTEST_SECRET));
  return redact && ((invocation) => withoutSecrets(invocation, redact));
}

/** Takes a token that the call carried out of its result. */
export function withoutToken(invocation: Invocation, token: string): Invocation {
  if (token.length < SHORTEST_SECRET) return invocation;
  return withoutSecrets(invocation, (text) => text.replaceAll(token, REDACTED));
}

/** Answers have megabytes, and hardly one repeats a secret: looking for that takes a fraction of the time. */
function redactionOf(secrets: readonly string[]): Redact | undefined {
  if (secrets.length === 0) return undefined;
  const spellings = secrets.flatMap(spellingsOf).filter(({ length }) => length >= SHORTEST_SECRET);
  const { add, redact } = secretValues();
  for (const secret of secrets) add(secret);
  return (text) => {
    const plain = text.includes("%") ? withoutUrlEscapes(text) : text;
    return spellings.some((spelling) => plain.includes(spelling)) ? redact(text) : text;
  };
}

/** Some APIs take their key as the user name, with an empty password. */
function secretOf(credential: NonNullable<McpBridgeAppConfiguration["auth"]>[string]): string {
  if ("value" in credential) return credential.value;
  return credential.password === "" ? credential.username : credential.password;
}

/** Where it is known which parts are the secrets, the others are none. */
function secretPartsOf(parts: readonly HeaderPart[]): readonly HeaderPart[] {
  const secrets = parts.filter((part) => "text" in part && part.isSecret === true);
  return secrets.length === 0 ? parts : secrets;
}

/** Without the authentication scheme in front of a credential. */
function textOf(part: HeaderPart): string {
  return "text" in part ? part.text.replace(/^[A-Za-z]+ /, "") : "";
}

function withoutSecrets(invocation: Invocation, redact: Redact): Invocation {
  const { result } = invocation;
  const content = result.content.map((block) => redactedBlock(block, redact));
  // Structured content says what the text says.
  if (content.every((block, index) => block === result.content[index])) return invocation;
  const { structuredContent } = result;
  return {
    ...invocation,
    result: {
      ...result,
      content,
      ...(structuredContent !== undefined && {
        structuredContent: redactedJson(structuredContent, redact) as JsonObject,
      }),
    },
  };
}

function redactedBlock(block: ContentBlock, redact: Redact): ContentBlock {
  if (block.type !== "text") {
    const data = block.type === "resource" ? block.resource.blob : block.data;
    return redact(data) === data ? block : textBlock(REDACTED);
  }
  const text = redactedText(block.text, redact);
  return text === block.text ? block : { ...block, text };
}

/** JSON may have an escape for any character, and many write one for `/` or `=`: a text with a secret in escapes is shown without them. */
function redactedText(text: string, redact: Redact): string {
  const safe = redact(text);
  const plain = safe.includes("\\") ? withoutJsonEscapes(safe) : safe;
  const last = plain === safe ? safe : redact(plain);
  return last === plain ? safe : last;
}

function withoutJsonEscapes(text: string): string {
  return text.replace(/\\(?:\/|u([0-9a-f]{4}))/gi, (escaped, code: string | undefined) => {
    const character = code === undefined ? "/" : String.fromCharCode(Number.parseInt(code, 16));
    return character === '"' || character === "\\" || character < " " ? escaped : character;
  });
}

/** The bridge bounds how deep answers are. */
function redactedJson(value: unknown, redact: Redact): unknown {
  if (typeof value === "string") return redact(value);
  if (Array.isArray(value)) return value.map((entry) => redactedJson(entry, redact));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [redact(key), redactedJson(entry, redact)]));
}
