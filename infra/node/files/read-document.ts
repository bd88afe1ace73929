import { readFile, stat } from "node:fs/promises";
import { resolve } from "node:path";
import type { ReadDocument } from "../../../lib/config/document-source.ts";
import { networkFailure } from "../../../lib/net/failure.ts";
import { outboundFetch } from "../net/open-fetch.ts";
import { fileErrorReason } from "./file-error.ts";

const TIMEOUT = 30_000;
const MAX_BYTES = 64 * 1024 * 1024;

/**
 * Reads OpenAPI documents named by the configuration and their parts: `file://` (relative paths start in `folder`) and `https://`.
 * Rejects with a message for people.
 * @param fetch the environment's own unless given
 */
export function documentReader(folder: string, fetch?: typeof globalThis.fetch): ReadDocument {
  return (uri) => (uri.startsWith("https://") ? download(uri, fetch) : readLocal(uri, folder));
}

async function readLocal(uri: string, folder: string): Promise<string> {
  const path = resolve(folder, decodePath(uri.slice("file://".length)));
  try {
    const { size } = await stat(path);
    if (size > MAX_BYTES) throw new Error(`larger than ${MAX_BYTES} bytes`);
    return await readFile(path, "utf8");
  } catch (error) {
    throw new Error(`cannot be read: ${fileErrorReason(error)}`, { cause: error });
  }
}

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch (error) {
    throw new Error("cannot be read: a malformed % escape", { cause: error });
  }
}

async function download(
  uri: string,
  fetch = outboundFetch(process.env),
): Promise<{ readonly text: string; readonly uri: string }> {
  const response = await fetch(uri, { signal: AbortSignal.timeout(TIMEOUT) }).catch((error: unknown) => {
    throw new Error(`cannot be read: ${unanswered(error)}`, { cause: error });
  });
  if (!response.ok) {
    await response.body?.cancel();
    throw new Error(`cannot be read: the server answered ${response.status}`);
  }
  // A redirect must not leave TLS: whoever can change the document on the way decides what the tools do.
  if (!response.url.startsWith("https://")) {
    await response.body?.cancel();
    throw new Error("cannot be read: the server redirected to a URL without TLS");
  }
  return { text: await readBounded(response), uri: response.url };
}

function unanswered(error: unknown): string {
  if (error instanceof DOMException && error.name === "TimeoutError") {
    return `the server did not answer within ${TIMEOUT / 1_000} s`;
  }
  const { why, cause } = networkFailure(error);
  return `the server did not answer: ${why === undefined ? cause : `${why} (${cause})`}`;
}

async function readBounded(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let [text, bytes] = ["", 0];
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > MAX_BYTES) throw new Error(`cannot be read: larger than ${MAX_BYTES} bytes`);
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
