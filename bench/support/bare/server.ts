import { createPublicKey, hash, type JsonWebKey, randomBytes, randomUUID, verify } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { DatabaseSync } from "node:sqlite";
import { Worker } from "node:worker_threads";
import { derSignature } from "../../../infra/node/crypto/der-signature.ts";
import { basic } from "../http-request.ts";
import { type Issue, type Issued, SCHEMA } from "./store.ts";

/**
 * About the least that a durable token endpoint on Node can be: `node:http`, one signature, one commit for whoever comes together. It
 * knows one client, believes most of what it is sent and tells nothing about errors. What a product takes above it is the price
 * of all that a product does. Argument: `BareOptions` as JSON.
 */
export interface BareOptions {
  readonly port: number;
  readonly database: string;
  readonly clientId: string;
  /** Public half of the client's key. */
  readonly jwk: JsonWebKey;
  readonly introspector: { readonly clientId: string; readonly secret: string };
}

const { port, database, clientId, jwk, introspector } = JSON.parse(process.argv[2] ?? "") as BareOptions;
/** Calls of one turn that are not kept waiting for more. */
const BATCH = 6;
const LIFETIME = 3_600_000;

const reader = new DatabaseSync(database);
reader.exec(SCHEMA);
const findToken = reader.prepare("SELECT record FROM tokens WHERE hash = ? AND expires_at > ?");
const findEnded = reader.prepare("SELECT id FROM ended WHERE id IN (?, ?)");
const key = createPublicKey({ key: jwk, format: "jwk" });
const authorization = basic(introspector.clientId, introspector.secret);
const store = new Worker(new URL("./store.ts", import.meta.url), { workerData: database });
const waiting = new Map<number, (isNew: boolean) => void>();
let batch: Issue[] = [];
let next = 0;

store.on("message", (issued: readonly Issued[]) => {
  for (const { id, isNew } of issued) {
    waiting.get(id)?.(isNew);
    waiting.delete(id);
  }
});

createServer((incoming, outgoing) => {
  const chunks: Buffer[] = [];
  incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
  incoming.on("end", () => void respond(incoming, new URLSearchParams(Buffer.concat(chunks).toString()), outgoing));
}).listen(port, "localhost");

async function respond({ url, headers }: IncomingMessage, form: URLSearchParams, outgoing: ServerResponse) {
  if (url === "/introspect") answer(outgoing, headers.authorization === authorization ? 200 : 401, introspect(form));
  else if (url === "/token") await respondToken(form, outgoing);
  else answer(outgoing, 200, {});
}

async function respondToken(form: URLSearchParams, outgoing: ServerResponse): Promise<void> {
  const [header = "", payload = "", signature = ""] = (form.get("client_assertion") ?? "").split(".");
  const { sub, jti } = JSON.parse(Buffer.from(payload, "base64url").toString()) as Record<string, string>;
  const data = Buffer.from(`${header}.${payload}`);
  const isSigned = verify("sha256", data, key, derSignature(Buffer.from(signature, "base64url")));
  if (sub !== clientId || jti === undefined || !isSigned) return answer(outgoing, 401, { error: "invalid_client" });
  const text = `bare_${randomBytes(32).toString("base64url")}`;
  if (!(await issue(text, jti))) return answer(outgoing, 400, { error: "invalid_client" });
  answer(outgoing, 200, { access_token: text, token_type: "Bearer", expires_in: LIFETIME / 1000 });
}

/** Resolves when it is durable. */
function issue(text: string, jti: string): Promise<boolean> {
  const id = next++;
  const expiresAt = Date.now() + LIFETIME;
  const record = JSON.stringify({
    tokenId: randomUUID(),
    clientId,
    audience: `http://localhost:${port}/api`,
    expiresAt,
  });
  const event = JSON.stringify({
    id: randomUUID(),
    type: "token.issued",
    time: Date.now(),
    actor: clientId,
    details: record,
  });
  return new Promise((resolve) => {
    waiting.set(id, resolve);
    if (batch.length === 0) setImmediate(flush);
    batch.push({ id, hash: sha256(text), jti: sha256(jti), expiresAt, record, event });
    if (batch.length === BATCH) flush();
  });
}

function flush(): void {
  const issues = batch;
  batch = [];
  if (issues.length > 0) store.postMessage(issues);
}

function introspect(form: URLSearchParams): object {
  const row = findToken.get(sha256(form.get("token") ?? ""), Date.now());
  if (row === undefined) return { active: false };
  const token = JSON.parse(String(row.record)) as { readonly tokenId: string; readonly clientId: string };
  return findEnded.all(token.tokenId, token.clientId).length > 0 ? { active: false } : { active: true, ...token };
}

function sha256(text: string): string {
  return hash("sha256", text, "base64url");
}

function answer(outgoing: ServerResponse, status: number, value: object): void {
  const body = JSON.stringify(value);
  const headers = { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(body) };
  outgoing.writeHead(status, headers).end(body);
}
