import { isJsonObject, type JsonObject } from "../../kernel/json.ts";
import { type AccessToken, tokenFrom, tokenHolder, withToken } from "../access-token.ts";
import { pickMember, textIn } from "../field.ts";
import { jsonAnswer, refusalReason, type SecretAnswer, secretFailure, secretHttp, signInFailure } from "../http.ts";
import { oneFlight } from "../one-flight.ts";
import type { SecretError, SecretProvider, SecretSources } from "../provider.ts";
import { parseProviderUrl, vendorOrigin } from "../provider-url.ts";

const PROVIDER = "delinea";
const EXAMPLE = "delinea://tenant.secretservercloud.com?username=NAME&password=PASSWORD";

/**
 * Delinea Secret Server: `<secretName.fieldSlug>` is a field of the one secret with this name, in the folder of the URL when
 * it names one, else anywhere. The last dot divides, as names have dots and slugs have none. The URL's path is where Secret
 * Server is installed on the host.
 * @throws SecretError when the URL is not as documented; nothing is connected yet
 */
export function openDelinea(text: string, sources: SecretSources): SecretProvider {
  const url = parseProviderUrl(text, { example: EXAMPLE, parameters: ["username", "password", "folder"] });
  const base = [vendorOrigin(url), ...url.path.map(encodeURIComponent)].join("/");
  const credentials = { username: url.required("username"), password: url.required("password") };
  const send = secretHttp({ ...sources, provider: PROVIDER });

  const signIn = async (): Promise<AccessToken> => {
    const answer = await send({
      url: new URL(`${base}/oauth2/token`),
      method: "POST",
      headers: { "Content-Type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams({ grant_type: "password", ...credentials }).toString(),
    });
    const granted = tokenFrom(answer);
    if (granted !== undefined) return granted;
    throw signInFailure(PROVIDER, answer, { code: jsonAnswer(answer)?.error, meanings: SIGNING_IN });
  };

  const token = tokenHolder(signIn, sources.clock);
  const apiFor = (reference: string): DelineaApi => ({
    get: (path) =>
      withToken(token, {
        send: (value) =>
          send({ url: new URL(`${base}/api/v1/${path}`), headers: { Authorization: `Bearer ${value}` }, reference }),
        // A token that has ended is answered with 403 as well.
        isRefused: ({ status }) => status === 401 || status === 403,
      }),
    failure: (reason) => secretFailure(PROVIDER, reference, reason),
  });
  const folder = url.parameter("folder");
  const read = oneFlight((name, reference) => readDelineaSecret(apiFor(reference), { folder, name }));
  return {
    async get(reference) {
      const api = apiFor(reference);
      const dot = reference.lastIndexOf(".");
      if (dot < 1) throw api.failure("no field is named; accepted: <secretName.fieldSlug>");
      return readDelineaField(api, await read(reference.slice(0, dot), reference), reference.slice(dot + 1));
    },
  };
}

const SIGNING_IN = {
  400: "the user name or the password is not valid, or the user may not use the API",
  401: "the user name or the password is not valid, or the user may not use the API",
};

/** Secret Server's API, as it is asked for one reference. */
interface DelineaApi {
  /** GET below `/api/v1/`; rejects with SecretError when there is no answer. */
  readonly get: (path: string) => Promise<SecretAnswer>;
  /** The error for the reference. */
  readonly failure: (reason: string) => SecretError;
}

interface DelineaPlace {
  /** A folder's path, with `/` or `\` between names; absent: every folder. */
  readonly folder: string | undefined;
  readonly name: string;
}

/** A secret as the API gives it. */
interface DelineaSecret {
  /** Below `/api/v1/`. */
  readonly path: string;
  readonly name: string;
  readonly items: readonly JsonObject[];
}

/** @throws SecretError (rejects) when there is no secret with this name, or more than one */
async function readDelineaSecret(api: DelineaApi, { folder, name }: DelineaPlace): Promise<DelineaSecret> {
  const folderId = folder === undefined ? undefined : await findFolder(api, folder);
  const path = `secrets/${await findSecret(api, name, folderId)}`;
  const { items } = await objectAt(api, path, `the secret ${name}`);
  return { path, name, items: objectsOf(items) };
}

/**
 * A field's text, or the text of the file that it holds.
 * @throws SecretError (rejects) when there is no such field, or nothing in it
 */
async function readDelineaField(api: DelineaApi, { path, name, items }: DelineaSecret, slug: string): Promise<string> {
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
