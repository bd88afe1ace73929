import { isJsonObject, type JsonObject } from "../../json.ts";
import { pickMember, textIn } from "../field.ts";
import { jsonAnswer, type SecretAnswer } from "../http.ts";
import type { SecretError } from "../provider.ts";
import { refusalReason } from "../refusal.ts";

/** Secret Server's API, as it is asked for one reference. */
export interface DelineaApi {
  /** GET below `/api/v1/`; rejects with SecretError when there is no answer. */
  readonly get: (path: string) => Promise<SecretAnswer>;
  /** The error for the reference. */
  readonly failure: (reason: string) => SecretError;
}

export interface DelineaPlace {
  /** A folder's path, with `/` or `\` between names; absent: every folder. */
  readonly folder: string | undefined;
  readonly name: string;
}

/** A secret as the API gives it. */
export interface DelineaSecret {
  /** Below `/api/v1/`. */
  readonly path: string;
  readonly name: string;
  readonly items: readonly JsonObject[];
}

/** @throws SecretError (rejects) when there is no secret with this name, or more than one */
export async function readDelineaSecret(api: DelineaApi, { folder, name }: DelineaPlace): Promise<DelineaSecret> {
  const folderId = folder === undefined ? undefined : await findFolder(api, folder);
  const path = `secrets/${await findSecret(api, name, folderId)}`;
  const { items } = await objectAt(api, path, `the secret ${name}`);
  return { path, name, items: objectsOf(items) };
}

/**
 * A field's text, or the text of the file that it holds.
 * @throws SecretError (rejects) when there is no such field, or nothing in it
 */
export async function readDelineaField(
  api: DelineaApi,
  { path, name, items }: DelineaSecret,
  slug: string,
): Promise<string> {
  const item = items.find((entry) => entry.slug === slug);
  if (item === undefined) throw api.failure(`the secret ${name} has no field ${slug}`);
  if (item.isFile === true) {
    const file = textIn(await fileAt(api, `${path}/fields/${encodeURIComponent(slug)}`));
    if ("value" in file) return file.value;
    throw api.failure(`the file in the field ${slug} of the secret ${name} ${file.reason}`);
  }
  const picked = pickMember({ [slug]: item.itemValue }, slug);
  if ("value" in picked) return picked.value;
  throw api.failure(`the secret ${name} ${picked.reason}`);
}

/** With the id 0, folders are found by their path. */
async function findFolder(api: DelineaApi, folder: string): Promise<number> {
  const path = folder.split(/[\\/]/).filter((name) => name !== "");
  const query = new URLSearchParams({ folderPath: `\\${path.join("\\")}` });
  const { id } = await objectAt(api, `folders/0?${query}`, "the folder of its URL");
  if (isId(id)) return id;
  throw api.failure("the folder of its URL is not there");
}

/** The search is for text anywhere in a secret; names are compared here, as Secret Server does it: without regard to case. */
async function findSecret(api: DelineaApi, name: string, folderId: number | undefined): Promise<number> {
  const query = new URLSearchParams({
    "filter.searchText": name,
    "filter.isExactMatch": "true",
    "filter.includeRestricted": "true",
    ...(folderId !== undefined && { "filter.folderId": String(folderId), "filter.includeSubFolders": "false" }),
    take: "100",
  });
  const { records } = await objectAt(api, `secrets?${query}`, "the search");
  const ids = objectsOf(records)
    .filter((entry) => typeof entry.name === "string" && entry.name.toLowerCase() === name.toLowerCase())
    .map(({ id }) => id)
    .filter(isId);
  const [id] = ids;
  const where = folderId === undefined ? "" : " in the folder of its URL";
  if (id === undefined) throw api.failure(`there is no secret ${name}${where}, or the user may not see it`);
  if (ids.length > 1) throw api.failure(`there are ${ids.length} secrets ${name}${where}; accepted: one`);
  return id;
}

async function objectAt(api: DelineaApi, path: string, what: string): Promise<JsonObject> {
  const answer = await api.get(path);
  const body = jsonAnswer(answer);
  if (answer.status !== 200) throw refusal(api, answer, what);
  if (body === undefined) throw api.failure(`${what}: its answer is no JSON object`);
  return body;
}

async function fileAt(api: DelineaApi, path: string): Promise<Uint8Array> {
  const answer = await api.get(path);
  if (answer.status !== 200) throw refusal(api, answer, "the file");
  return answer.bytes;
}

function refusal(api: DelineaApi, answer: SecretAnswer, what: string): SecretError {
  return api.failure(`${what}: ${refusalReason(answer.status, jsonAnswer(answer)?.errorCode, READING)}`);
}

const READING = { 403: "the user may not see it", 404: "it is not there" };

function objectsOf(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

function isId(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0;
}
