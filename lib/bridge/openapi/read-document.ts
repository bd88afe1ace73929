import { upgradeFromThreeToThreeOne } from "@scalar/openapi-upgrader/3.0-to-3.1";
import { parseDocument } from "yaml";
import { DocumentError } from "./document-error.ts";
import { isObject, type PlainObject } from "./plain.ts";

/** Deeper documents are refused, so that no walk over one can exhaust the stack. */
const MAX_DEPTH = 200;

/** Reads JSON or YAML text as an OpenAPI 3.1 document; a 3.0 one is brought up to 3.1. Throws a `DocumentError`. */
export function readDocument(openapiText: string): PlainObject {
  const document = parse(openapiText);
  if (!isObject(document)) throw new DocumentError("", "an OpenAPI document is an object");
  checkVersion(document);
  checkDepth(document);
  return isObject(document.info) && document.openapi !== undefined
    ? (upgradeFromThreeToThreeOne({ ...document }) as PlainObject)
    : missingInfo();
}

function missingInfo(): never {
  throw new DocumentError("/info", "is required and must be an object");
}

function parse(openapiText: string): unknown {
  const trimmed = openapiText.trimStart().replace(/^\uFEFF/, "");
  return trimmed.startsWith("{") ? (parseJson(trimmed) ?? parseYaml(trimmed)) : parseYaml(trimmed);
}

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    // A YAML flow mapping starts with the same character; the YAML reader also tells where the mistake is.
    return undefined;
  }
}

function parseYaml(yaml: string): unknown {
  const document = parseDocument(yaml, { prettyErrors: true, logLevel: "silent" });
  const [mistake] = document.errors;
  if (mistake !== undefined) throw new DocumentError("", `is neither JSON nor YAML: ${firstLine(mistake.message)}`);
  try {
    return document.toJS({ maxAliasCount: 1000 });
  } catch (cause) {
    throw new DocumentError("", `is not usable: ${cause instanceof Error ? firstLine(cause.message) : "aliases"}`);
  }
}

function firstLine(message: string): string {
  return message.split("\n", 1)[0]?.replace(/:$/, "") ?? message;
}

function checkVersion(document: PlainObject): void {
  if (document.swagger !== undefined) {
    throw new DocumentError(
      "/swagger",
      "Swagger 2.0 is not supported by this version; accepted are OpenAPI 3.0 and 3.1",
    );
  }
  const version = document.openapi;
  if (typeof version !== "string") throw new DocumentError("/openapi", 'is required, for example "3.1.0"');
  if (!/^3\.[01]\.\d+/.test(version)) {
    throw new DocumentError(
      "/openapi",
      `version ${JSON.stringify(version)} is not supported; accepted are 3.0 and 3.1`,
    );
  }
}

function checkDepth(document: unknown): void {
  let level: unknown[] = [document];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) throw new DocumentError("", `is nested deeper than ${MAX_DEPTH} levels`);
    level = level.flatMap((value) => (typeof value === "object" && value !== null ? Object.values(value) : []));
  }
}
