import { appendFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Mood, Taken, UpstreamSettings } from "./moods.ts";
import { type RpcMessage, run } from "./run.ts";
import { holdStream, initialize, type Sessions, sessionOf } from "./sessions.ts";
import { answeredAlone, finished } from "./stateless.ts";

// `node main.ts SETTINGS`: an MCP server that is told its moods by its parent, and ends with it.
const settings: UpstreamSettings = JSON.parse(process.argv[2] ?? "{}");
/** Of what knows of the sessions. */
let life = crypto.randomUUID();
const sessions: Sessions = new Map();
/** Answers that are held back while it hangs. */
const held = new Set<ServerResponse>();
let mood: Mood = "normal";

// After a line that a kill may have cut short.
appendFileSync(settings.logFile, "\n");

process.on("disconnect", () => process.exit());
process.on("message", (next: Mood) => {
  if (mood === "forget" || next === "forget") {
    sessions.clear();
    life = crypto.randomUUID();
  }
  mood = next;
  if (mood === "hang") return;
  for (const response of held) response.destroy();
  held.clear();
});

createServer((request, response) => {
  // Whoever leaves is not answered.
  response.on("error", () => undefined);
  handle(request, response).catch((cause: unknown) => {
    console.error(cause);
    response.destroy();
  });
}).listen(settings.port, "127.0.0.1", () => process.send?.("listening"));

async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const text = await textOf(request);
  if (isMoody(response)) return;
  const message: RpcMessage = text === "" ? {} : JSON.parse(text);
  const principal = String(request.headers["x-principal"] ?? "");
  if (settings.generation === "session") return inSession(request, response, message, principal);
  if (request.method !== "POST") return void response.writeHead(405).end();
  if (message.id === undefined) return void response.writeHead(202).end();
  note(message, principal);
  if (answeredAlone(message, response)) return;
  const labelled = (label: string) => label;
  await run({ message, principal, labelled, finish: finished, settings }, writing(response));
}

async function inSession(
  request: IncomingMessage,
  response: ServerResponse,
  message: RpcMessage,
  principal: string,
): Promise<void> {
  if (message.method === "server/discover") return void response.writeHead(400).end();
  if (message.method === "initialize") return initialize(message, response, sessions);
  const session = sessionOf(request, response, mood === "forget" ? new Map() : sessions);
  if (session === undefined) return;
  note({ ...message, method: message.method ?? request.method ?? "" }, principal, session.id);
  if (request.method === "GET") return holdStream(session, response);
  if (request.method === "DELETE") {
    sessions.delete(session.id);
    return void response.writeHead(200).end();
  }
  if (message.id === undefined) return void response.writeHead(202).end();
  const labelled = (label: string) => {
    session.label ??= label;
    return session.label;
  };
  await run({ message, principal, labelled, finish: (result) => result, settings }, writing(response));
}

function writing(response: ServerResponse) {
  return { response, mood: () => mood };
}

/** Whether the mood answers for it. */
function isMoody(response: ServerResponse): boolean {
  if (mood === "hang") held.add(response);
  else if (mood === "html")
    response.writeHead(200, { "content-type": "text/html" }).end("<h1>Down for maintenance</h1>");
  else if (mood === "bad_gateway") response.writeHead(502, { "content-type": "text/html" }).end("<h1>Bad gateway</h1>");
  else if (mood === "redirect") response.writeHead(307, { location: `http://127.0.0.1:${settings.port}/login` }).end();
  else return false;
  return true;
}

/** Written at once: whatever was done is known, also when the process is killed. */
function note({ method = "", params }: RpcMessage, principal: string, session?: string): void {
  const nonce = params?.arguments?.nonce ?? /^note:\/\/([^/]+)/.exec(params?.uri ?? "")?.[1];
  const taken: Taken = {
    app: settings.name,
    life,
    method,
    principal,
    ...(session !== undefined && { session }),
    ...(nonce !== undefined && { nonce }),
  };
  appendFileSync(settings.logFile, `${JSON.stringify(taken)}\n`);
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = "";
  request.setEncoding("utf8");
  for await (const piece of request) text += piece;
  return text;
}
