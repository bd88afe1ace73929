import type { Context } from "hono";
import type { Dependencies } from "../../lib/application/dependencies.ts";
import { CONSOLE_PATH } from "../../lib/config/endpoints.ts";
import type { AssetEncoding } from "../../lib/console/assets.ts";
import { consoleDocument } from "../../lib/console/document.ts";
import { type ConsoleTarget, consoleTarget, INDEX } from "../../lib/console/paths.ts";
import { PageError } from "../../lib/pages/page-error.ts";
import { acceptedEncodings } from "../../lib/protocol/http/accept-encoding.ts";
import { matchesTag } from "../../lib/protocol/http/if-none-match.ts";
import type { Endpoint, Env, Handler } from "../env.ts";
import { answerNotFound } from "../middleware/errors.ts";

/** GET `/console/…` (D136): a file of the build, or the one document of all pages, which shows the page that the path names. */
export const consolePages: Endpoint = (dependencies) => (c) => {
  const target = consoleTarget(new URL(c.req.url).pathname);
  if (target === undefined) return answerNotFound(c);
  return target.kind === "page" ? answerDocument(c, dependencies) : answerFile(c, dependencies, target);
};

/** GET `/` and `/console`: to where the Console begins. */
export const toConsole: Handler = (c) => {
  c.header("Cache-Control", "no-store");
  return c.redirect(CONSOLE_PATH, 302);
};

async function answerDocument(c: Context<Env>, { consoleAssets, random }: Dependencies): Promise<Response> {
  const built = await consoleAssets?.read(INDEX, []);
  if (built === undefined) throw notBuilt();
  const { html, headers } = consoleDocument(await new Response(built.body).text(), random);
  return c.body(html, 200, headers);
}

function notBuilt(): PageError {
  return new PageError(({ errors }) => errors.noConsole, { status: 503 });
}

type ConsoleFile = Extract<ConsoleTarget, { kind: "file" }>;

async function answerFile(
  c: Context<Env>,
  { consoleAssets }: Dependencies,
  { path, contentType, isHashed }: ConsoleFile,
): Promise<Response> {
  const asset = await consoleAssets?.read(path, acceptedEncodings(c.req.header("Accept-Encoding"), ENCODINGS));
  if (asset === undefined) return answerNotFound(c);
  const { body, etag, encoding, varies } = asset;
  c.header("Cache-Control", isHashed ? FOR_EVER : "no-cache");
  if (etag !== undefined) c.header("ETag", etag);
  if (varies) c.header("Vary", "Accept-Encoding");
  if (etag !== undefined && matchesTag(c.req.header("If-None-Match"), etag)) {
    if (body instanceof ReadableStream) await body.cancel();
    return c.body(null, 304);
  }
  c.header("Content-Type", contentType);
  if (contentType.startsWith("text/javascript")) c.header("Content-Security-Policy", OF_WORKERS);
  if (encoding !== undefined) c.header("Content-Encoding", encoding);
  return c.body(body);
}

/**
 * What a script may do that runs as a worker: it takes its policy from its own answer (CSP 3 §4.2.1), not from the page's. It reads
 * documents of APIs from other hosts, when the person asks for that. In a page, the policy of the document counts.
 */
const OF_WORKERS = "default-src 'none'; script-src 'self'; connect-src https:";
/** The best first. */
const ENCODINGS: readonly AssetEncoding[] = ["br", "gzip"];
/** Another content has another name (RFC 8246). */
const FOR_EVER = "public, max-age=31536000, immutable";
