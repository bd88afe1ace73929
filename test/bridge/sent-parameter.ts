import { buildRequest } from "../../lib/openapi/request.ts";
import { compileOperation, parameter } from "./compiled.ts";

export const BASE = "https://api.example/v1";

export type More = Readonly<Record<string, unknown>>;

/** What is sent for the parameter `color`. */
export async function requestOf(location: string, color: unknown, more: More = {}) {
  const path = location === "path" ? "/x/{color}/y" : "/x";
  const tool = await compileOperation("get", path, {
    parameters: [parameter("color", location, { schema: {}, ...more })],
  });
  return buildRequest(BASE, tool.request, { color });
}

export const search = async (color: unknown, more?: More) =>
  new URL((await requestOf("query", color, more)).url).search;
export const segment = async (color: unknown, more?: More) => {
  return new URL((await requestOf("path", color, more)).url).pathname.replace(/^\/v1\/x\/(.*)\/y$/, "$1");
};
export const cookie = async (color: unknown, more?: More) => (await requestOf("cookie", color, more)).headers.cookie;
export const header = async (color: unknown, more?: More) => (await requestOf("header", color, more)).headers.color;
