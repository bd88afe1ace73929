import type { ConsoleServer } from "./server.ts";
import type { Visitor } from "./visitor.ts";

/**
 * A request of the management API in a visitor's session, beside their pages; about the given organization, else the one
 * joined first. Fails unless it succeeds.
 */
export async function request<Body = unknown>(
  { url }: ConsoleServer,
  { context }: Visitor,
  method: string,
  path: string,
  body?: unknown,
  organizationId?: string,
): Promise<Body> {
  const response = await context.request.fetch(`${url}/api/v1${path}`, {
    method,
    ...(body !== undefined && { data: body }),
    ...(organizationId !== undefined && { headers: { "Countersign-Organization": organizationId } }),
  });
  const text = await response.text();
  if (!response.ok()) throw new Error(`${method} ${path} answered ${response.status()}: ${text}`);
  return (text === "" ? undefined : JSON.parse(text)) as Body;
}
