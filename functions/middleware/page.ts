import type { Context } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { PAGE_HEADERS, type Page } from "../../lib/pages/page.ts";
import type { Env } from "../env.ts";

export function answerPage(c: Context<Env>, { html, status }: Page): Response {
  return c.body(html, status as ContentfulStatusCode, PAGE_HEADERS);
}
