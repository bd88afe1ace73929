import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { freePort } from "./free-port.ts";

/** What arrived at the upstream. */
export interface UpstreamRequest {
  readonly method: string;
  /** Path and query as they were on the wire. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/** The small REST API of `upstream.openapi.yaml` on a loopback port. */
export interface Upstream {
  readonly url: string;
  /** Every request so far, oldest first. */
  readonly requests: readonly UpstreamRequest[];
  /** Requests to `/odd/slow` that still wait for their answer. */
  readonly waiting: number;
  /** Begins the answer of every waiting request. */
  begin(): void;
  /** Answers every waiting request, or ends the answer that was begun. */
  release(): void;
  stop(): Promise<void>;
}

interface Note {
  readonly noteId: string;
  readonly title: string;
  readonly text?: string;
  readonly tags?: readonly string[];
}

/** On a port that nobody else gets while it is stopped, unless one is given. */
export async function startUpstream(wanted?: number): Promise<Upstream> {
  const notes = new Map<string, Note>([["1", { noteId: "1", title: "First", text: "Hello.", tags: ["a"] }]]);
  const requests: UpstreamRequest[] = [];
  const waiting = new Set<ServerResponse>();
  const server = createServer(async (incoming, outgoing) => {
    const body = await readText(incoming);
    const { method = "", url = "", headers } = incoming;
    requests.push({ method, url, headers, body });
    if (url === "/odd/slow") {
      waiting.add(outgoing);
      outgoing.on("close", () => waiting.delete(outgoing));
      return;
    }
    const [status, type, content] = answer({ method, url, headers, body }, notes);
    outgoing.writeHead(status, { ...(type !== "" && { "content-type": type }), ...(status === 302 && LOCATION) });
    outgoing.end(content);
  });
  const port = wanted ?? (await freePort());
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    get waiting() {
      return waiting.size;
    },
    begin() {
      for (const response of waiting) response.writeHead(200, { "content-type": "text/plain" }).flushHeaders();
    },
    release() {
      for (const response of waiting) {
        if (!response.headersSent) response.writeHead(200, { "content-type": "text/plain" });
        response.end("at last");
      }
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const LOCATION = { location: "http://127.0.0.1:9/elsewhere" };
const JSON_TYPE = "application/json; charset=utf-8";
type Answer = readonly [status: number, type: string, content: string | Uint8Array];

function answer({ method, url, body }: UpstreamRequest, notes: Map<string, Note>): Answer {
  const { pathname, searchParams } = new URL(url, "http://upstream");
  const odd = ODD[pathname];
  if (odd !== undefined) return odd();
  if (pathname === "/tags") return json(200, ["a", "b"]);
  if (pathname === "/notes" && method === "POST") return write(body, notes);
  if (pathname === "/notes") return json(200, { items: list(searchParams.getAll("tag"), notes) });
  const [, id = "", part] = /^\/notes\/([^/]+)(\/text)?$/.exec(pathname) ?? [];
  const note = notes.get(decodeURIComponent(id));
  if (note === undefined) return json(404, { error: "there is no such note" });
  if (method === "DELETE") {
    notes.delete(note.noteId);
    return [204, "", ""];
  }
  return part === undefined ? json(200, note) : [200, "text/plain", note.text ?? ""];
}

const ODD: Readonly<Record<string, () => Answer>> = {
  "/odd/failure": () => json(500, { error: "the database is on fire" }),
  "/odd/page": () => [200, "text/html", "<h1>Please sign in</h1>"],
  "/odd/shape": () => json(200, { noteId: 5 }),
  "/odd/large": () => [200, "text/plain", "x".repeat(5 * 1024 * 1024)],
  "/odd/image": () => [200, "image/png", new Uint8Array([0x89, 0x50, 0x4e, 0x47])],
  "/odd/elsewhere": () => [302, "", ""],
};

function write(body: string, notes: Map<string, Note>): Answer {
  const note: Note = { ...(JSON.parse(body) as Note), noteId: String(notes.size + 1) };
  notes.set(note.noteId, note);
  return json(201, note);
}

function list(tags: readonly string[], notes: Map<string, Note>): Note[] {
  return [...notes.values()].filter((note) => tags.every((tag) => note.tags?.includes(tag)));
}

function json(status: number, value: unknown): Answer {
  return [status, JSON_TYPE, JSON.stringify(value)];
}

async function readText(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}
