import type { Clock } from "../../../lib/kernel/clock.ts";
import { json, startVendorServer, type VendorRequest, type VendorServer } from "./vendor-server.ts";

export interface DelineaSecret {
  readonly id: number;
  readonly name: string;
  readonly folderId: number;
  /** Text of fields by slug. */
  readonly fields: Readonly<Record<string, string>>;
  /** Files by slug. */
  readonly files?: Readonly<Record<string, string>>;
  /** The user finds it and may not view it. */
  readonly isDenied?: boolean;
}

export interface DelineaContent {
  /** Where Secret Server is installed: `/SecretServer`, or nothing. */
  readonly base: string;
  readonly username: string;
  readonly password: string;
  /** Ids by path: `\Team\App`. */
  readonly folders: Readonly<Record<string, number>>;
  readonly secrets: readonly DelineaSecret[];
}

export interface DelineaServer extends VendorServer {
  /** Every token that was issued. */
  readonly tokens: readonly string[];
  endTokens(): void;
}

/** Seconds; the default of "Session timeout for web services". */
const TOKEN_LIFETIME = 1_200;

/**
 * Stands in for Delinea Secret Server, a commercial Windows application or cloud service that cannot run here. It follows its
 * REST API's documentation: the OAuth password grant, search of secrets, `folders/0?folderPath=`, secrets with their `items`,
 * files as fields, and its error bodies. Its search finds text in fields as well, as the real one does.
 */
export async function startDelinea(
  content: DelineaContent,
  tls: { cert: string; key: string },
  clock: Clock,
): Promise<DelineaServer> {
  const granted = new Map<string, number>();
  const tokens: string[] = [];
  const signIn = ({ body, headers }: VendorRequest) => {
    const form = new URLSearchParams(body);
    const isForm = headers.get("Content-Type") === "application/x-www-form-urlencoded";
    const isRight = form.get("username") === content.username && form.get("password") === content.password;
    if (!isForm || form.get("grant_type") !== "password") return json(400, { error: "unsupported_grant_type" });
    if (!isRight) return json(400, { error: "Login failed." });
    const token = `canary-delinea-token-${tokens.length}`;
    tokens.push(token);
    granted.set(token, clock.now() + TOKEN_LIFETIME * 1_000);
    return json(200, { access_token: token, token_type: "bearer", expires_in: TOKEN_LIFETIME, refresh_token: "r" });
  };

  const vendor = await startVendorServer((request) => {
    const { method, url, headers } = request;
    if (!url.pathname.startsWith(`${content.base}/`)) return new Response(null, { status: 404 });
    const path = url.pathname.slice(content.base.length);
    if (method === "POST" && path === "/oauth2/token") return signIn(request);
    const ends = granted.get(headers.get("Authorization")?.slice("Bearer ".length) ?? "") ?? 0;
    if (clock.now() >= ends) {
      return json(403, { message: "Authentication failed or expired token.", errorCode: "API_InvalidToken" });
    }
    const [, api, version, resource, id, ...rest] = path.split("/");
    if (method !== "GET" || api !== "api" || version !== "v1") return new Response(null, { status: 404 });
    if (resource === "folders" && id === "0") return folder(content, url);
    if (resource === "secrets" && id === undefined) return search(content, url);
    return resource === "secrets" ? secret(content, Number(id), rest) : new Response(null, { status: 404 });
  }, tls);
  return Object.assign(vendor, { tokens, endTokens: () => granted.clear() });
}

function folder({ folders }: DelineaContent, url: URL): Response {
  const folderPath = url.searchParams.get("folderPath") ?? "";
  const id = folders[folderPath];
  if (id === undefined) return json(404, { message: "Folder not found.", errorCode: "API_FolderNotFound" });
  return json(200, { id, folderPath, folderName: folderPath.split("\\").at(-1), folderTypeId: 1, parentFolderId: -1 });
}

function search({ secrets }: DelineaContent, { searchParams }: URL): Response {
  const text = searchParams.get("filter.searchText")?.toLowerCase() ?? "";
  const isExact = searchParams.get("filter.isExactMatch") === "true";
  const inFolder = searchParams.get("filter.folderId");
  const matches = (value: string) => (isExact ? value.toLowerCase() === text : value.toLowerCase().includes(text));
  const found = secrets.filter(
    ({ name, fields, folderId }) =>
      [name, ...Object.values(fields)].some(matches) && (inFolder === null || String(folderId) === inFolder),
  );
  const records = found.map(({ id, name, folderId }) => ({ id, name, folderId, secretTemplateId: 2, active: true }));
  return json(200, { skip: 0, take: Number(searchParams.get("take")), total: found.length, hasNext: false, records });
}

function secret({ secrets }: DelineaContent, id: number, rest: readonly string[]): Response {
  const found = secrets.find((entry) => entry.id === id);
  if (found === undefined) return json(400, { message: "Secret not found.", errorCode: "API_SecretNotFound" });
  if (found.isDenied) return json(403, { message: "Access Denied", errorCode: "API_AccessDenied" });
  const { name, folderId, fields, files = {} } = found;
  if (rest[0] === "fields")
    return new Response(files[rest[1] ?? ""] ?? null, { status: files[rest[1] ?? ""] === undefined ? 404 : 200 });
  const items = [
    ...Object.entries(fields).map(([slug, itemValue]) => item(slug, itemValue)),
    ...Object.keys(files).map((slug) => ({
      ...item(slug, "*** Not Valid For Display ***"),
      isFile: true,
      fileAttachmentId: 7,
    })),
  ];
  return json(200, { id, name, folderId, secretTemplateId: 2, active: true, items });
}

function item(slug: string, itemValue: string) {
  return { itemId: 1, fieldId: 1, fieldName: slug, slug, itemValue, isFile: false, isPassword: slug === "password" };
}
