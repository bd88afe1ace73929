import type { IncomingMessage } from "node:http";
import { header } from "./http.ts";

/** Why a request is refused before its message is looked at. */
export interface Refusal {
  readonly status: number;
  readonly message: string;
}

const LOOPBACK: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** What all requests have to be like: addressed to this machine, by no page of another one, and without anyone's credentials. */
export function refuseStranger(request: IncomingMessage): Refusal | undefined {
  const origin = header(request, "origin");
  if (!isLoopback(`http://${header(request, "host")}`)) return { status: 403, message: "Host is not this machine." };
  if (origin !== undefined && !isLoopback(origin)) return { status: 403, message: "Origin is not this machine." };
  if (header(request, "authorization") !== undefined)
    return { status: 400, message: "Authorization: this server knows no credentials, and is to be given nobody's." };
  if (new URL(request.url ?? "", "http://upstream").pathname !== "/mcp") return { status: 404, message: "Not here." };
  return undefined;
}

/** What a POST has to be like besides (MCP 2025-11-25 and 2026-07-28, Transports, Sending Messages to the Server). */
export function refuseForm(request: IncomingMessage): Refusal | undefined {
  if (essence(header(request, "content-type")) !== "application/json")
    return { status: 415, message: "Content-Type must be application/json." };
  if (!accepts(request, "application/json") || !accepts(request, "text/event-stream"))
    return { status: 406, message: "Accept must name both application/json and text/event-stream." };
  return undefined;
}

export function accepts(request: IncomingMessage, type: string): boolean {
  return (header(request, "accept") ?? "").split(",").some((range) => essence(range) === type);
}

function essence(type = ""): string {
  return (type.split(";")[0] ?? "").trim().toLowerCase();
}

function isLoopback(url: string): boolean {
  return URL.canParse(url) && LOOPBACK.has(new URL(url).hostname);
}
