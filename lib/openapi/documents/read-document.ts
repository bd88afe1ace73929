import { upgradeFromThreeToThreeOne } from "@scalar/openapi-upgrader/3.0-to-3.1";
import { isJsonObject, type JsonObject } from "../../kernel/json.ts";
import { bundle } from "./bundle.ts";
import { DocumentError, type DocumentProblem, type ProblemList } from "./document-error.ts";
import { documentUri, INLINE } from "./document-uri.ts";
import { type DocumentSource, loadDocuments } from "./load-documents.ts";
import { parseText } from "./parse-text.ts";
import { member, text } from "./plain.ts";
import { convertSwagger } from "./swagger.ts";

/** A document with all that it refers to, read as OpenAPI 3.1. */
export interface ReadDocument {
  /** References in it are JSON Pointers, or lead to nothing that could be read. */
  readonly document: JsonObject;
  /** It was Swagger 2.0: operations are not as they stand in the text. */
  readonly isConverted: boolean;
  /** The documents that it was made of beside the root, in the order of `BUNDLE`. */
  readonly others: readonly { readonly uri: string; readonly text: string }[];
  /** Mistakes in the texts of those documents. */
  readonly problems: readonly DocumentProblem[];
}

/**
 * Reads JSON or YAML text as an OpenAPI document: 3.1 and 3.2 as they are, Swagger 2.0 and 3.0 brought up to 3.1. Other
 * documents that it refers to are read as being of the same version. What is missing at the top is reported; throws a `DocumentError` or `SyntaxProblems` when
 * nothing can be made of the text.
 */
export async function readDocument(
  openapiText: string,
  source: DocumentSource | undefined,
  { report }: ProblemList,
): Promise<ReadDocument> {
  const content = parseText(openapiText);
  if (!isJsonObject(content)) throw new DocumentError("", `must be an object; found ${kindOf(content)}`);
  const other = otherFormat(content);
  if (other !== undefined) throw new DocumentError("", `is ${other}; ${ACCEPTED}`);
  const version = versionOf(content);
  if (!isJsonObject(content.info)) report("/info", "is required and must be an object");
  if (version === undefined) report("/openapi", 'is required, for example "3.1.0"');

  const uri = identity(source?.uri ?? INLINE);
  const loaded = await loadDocuments({ uri, base: uri, text: openapiText, content }, source?.read);
  const document = bundle(loaded, version === "2.0");
  const [, ...others] = loaded.documents;
  return { document: upgraded(document, version), isConverted: version === "2.0", others, problems: loaded.problems };
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  return typeof value === "string" ? "text" : String(value);
}

/** The form of a URI that references are compared in. */
function identity(uri: string): string {
  if (uri === INLINE) return uri;
  const target = documentUri(uri, INLINE);
  return "uri" in target ? target.uri : uri;
}

function upgraded(document: JsonObject, version: Version | undefined): JsonObject {
  if (version === "2.0") return upgradedParts(convertSwagger(document));
  if (version !== "3.0") return document;
  markFiles(document);
  return upgradedParts({ ...document, openapi: "3.0.4" });
}

/** Members of a document whose own members are brought up to 3.1 one by one. */
const PARTED: readonly (readonly string[])[] = [["paths"], ["components", "schemas"]];

/**
 * A document brought up to 3.1, part by part, as each is changed by what is in it and by where it stands: beside the document there is
 * a copy of one part, not of the whole. Each is made anew from its text, which takes a third of the memory of an object that was changed
 * member by member.
 */
function upgradedParts(document: JsonObject): JsonObject {
  const rest = PARTED.reduce<JsonObject>((whole, path) => replaced(whole, path, {}), document);
  const upgraded = upgradeFromThreeToThreeOne({ ...rest }) as JsonObject;
  return PARTED.reduce<JsonObject>((whole, path) => {
    const parts = path.reduce<unknown>(member, document);
    return isJsonObject(parts) ? replaced(whole, path, upgradedMembers(parts, path)) : whole;
  }, upgraded);
}

function upgradedMembers(parts: JsonObject, path: readonly string[]): JsonObject {
  return Object.fromEntries(
    Object.entries(parts).map(([name, part]) => {
      const alone = path.reduceRight<unknown>((inner, key) => ({ [key]: inner }), { [name]: part });
      const upgraded = upgradeFromThreeToThreeOne({ openapi: "3.0.4", ...(alone as JsonObject) });
      const made = [...path, name].reduce<unknown>(member, upgraded);
      return [name, made === undefined ? made : JSON.parse(JSON.stringify(made))];
    }),
  );
}

/** With another object at the path, where there is one. */
function replaced(document: JsonObject, [name = "", ...path]: readonly string[], by: JsonObject): JsonObject {
  const inner = document[name];
  if (!isJsonObject(inner)) return document;
  return { ...document, [name]: path.length === 0 ? by : replaced(inner, path, by) };
}

/**
 * Says of a multipart body that is described as one file that it is: a whole body without a type is a file in OpenAPI 3.1, as its media type says of
 * what kind, but multipart is no kind of file, and nothing would be left to tell one by. Changes the document in place; what stands in several places is looked at once.
 */
function markFiles(document: JsonObject): void {
  const seen = new Set<object>();
  const open: unknown[] = [document];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (typeof node !== "object" || node === null || seen.has(node)) continue;
    seen.add(node);
    const { content } = node as JsonObject;
    if (isJsonObject(content)) {
      for (const [type, media] of Object.entries(content)) {
        if (!type.toLowerCase().startsWith("multipart/")) continue;
        const schema = member(media, "schema");
        if (isJsonObject(schema) && schema.type === "string" && schema.format === "binary") {
          (schema as Record<string, unknown>).contentMediaType ??= "application/octet-stream";
        }
      }
    }
    for (const value of Object.values(node)) if (typeof value === "object" && value !== null) open.push(value);
  }
}

type Version = "2.0" | "3.0" | "3.1" | "3.2";

const ACCEPTED = "accepted are OpenAPI 3.0, 3.1 and 3.2 and Swagger 2.0";

/** YAML reads `2.0` and `3.1` without quotes as numbers. */
function versionOf({ swagger, openapi }: JsonObject): Version | undefined {
  if (swagger !== undefined && openapi === undefined) {
    if (/^2(\.0)?$/.test(String(swagger))) return "2.0";
    throw new DocumentError("/swagger", `version ${JSON.stringify(swagger)} is not supported; ${ACCEPTED}`);
  }
  if (openapi === undefined) return undefined;
  if (typeof openapi !== "string" && typeof openapi !== "number") {
    throw new DocumentError("/openapi", 'must be text, for example "3.1.0"');
  }
  const [, minor] = /^3(?:\.([012]))?(\.\d.*)?$/.exec(String(openapi)) ?? [];
  if (minor === undefined && openapi !== 3) {
    throw new DocumentError("/openapi", `version ${JSON.stringify(openapi)} is not supported; ${ACCEPTED}`);
  }
  return `3.${minor ?? "0"}` as Version;
}

/** What a document of another format is, for people; undefined for OpenAPI and for what is not known. */
function otherFormat(content: JsonObject): string | undefined {
  if (content.openapi !== undefined || content.swagger !== undefined) return undefined;
  const { swaggerVersion, asyncapi } = content;
  if (swaggerVersion !== undefined) return `Swagger ${versionText(swaggerVersion)}`;
  if (asyncapi !== undefined) return `AsyncAPI ${versionText(asyncapi)}`;
  if (isPostmanCollection(content) || isPostmanCollection(content.collection)) return "a Postman collection";
  const introspection = member(content, "__schema") ?? member(content.data, "__schema");
  return introspection === undefined ? undefined : "a GraphQL schema";
}

/** Of the collection format 2; its API answers with one below `collection`. */
function isPostmanCollection(value: unknown): boolean {
  const info = member(value, "info");
  return member(info, "_postman_id") !== undefined || /postman\.com/.test(text(member(info, "schema")) ?? "");
}

function versionText(version: unknown): string {
  return typeof version === "string" || typeof version === "number" ? String(version).slice(0, 20) : "";
}
