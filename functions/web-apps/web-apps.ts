import type { Context, Hono } from "hono";
import { getCookie } from "hono/cookie";
import { TrieRouter } from "hono/router/trie-router";
import type { WebGateway } from "../../lib/application/web-gateway.ts";
import { OWN_PATHS } from "../../lib/config/endpoints.ts";
import { forgottenSession } from "../../lib/directory/session-cookie.ts";
import { isPageRequest, namesWebSocket } from "../../lib/protocol/http/field-names.ts";
import { faultSentence, hostOfUrl, readRequestTarget } from "../../lib/protocol/http/request-target.ts";
import type { ForwardedAnswer } from "../../lib/reverse-proxy/forward.ts";
import { refusalDetails, refusalPage, type WebRefusal, webRefusal } from "../../lib/web-apps/refusal.ts";
import { answerWebRequest, type WebAnswer } from "../../lib/web-apps/web-request.ts";
import type { Env } from "../env.ts";
import { answerPage } from "../middleware/errors.ts";

/**
 * Answers requests for web apps.
 *
 * @param isOwnPath whether something of ours is served at a canonical path, which no app gets
 */
export function webRequests(
  { find, ports }: WebGateway,
  isOwnPath: (path: string) => boolean,
): (c: Context<Env>, orElse: (c: Context<Env>) => Response | Promise<Response>) => Promise<Response> {
  return async (c, orElse) => {
    const { host: runtime } = c.env;
    const host = hostOfUrl(c.req.url);
    const target = readRequestTarget(runtime.target, host);
    if ("fault" in target) {
      tellPeople(c);
      const code = target.fault === "too_long" ? "target_too_long" : "bad_request_target";
      const sentence = faultSentence(target.fault);
      return answerRefusal(
        c,
        webRefusal(code, ({ fault }) => fault(sentence)),
      );
    }
    const isOurs = target.path.startsWith(OWN_PATHS) || isOwnPath(target.path);
    const app = isOurs ? undefined : find(host, target.path);
    if (app === undefined) return orElse(c);
    c.set("app", app.settings.name);
    tellPeople(c);
    const isSocket = namesWebSocket(c.req.header("Upgrade"));
    const { streamsBody, acceptSocket } = runtime;
    const asked = { request: c.req.raw, fields: runtime.fields?.(), cookies: getCookie(c), host, ...target, isSocket };
    const answer = await answerWebRequest(app, asked, c.get("request"), { ...ports, streamsBody, acceptSocket });
    if (answer.kind === "own" || answer.kind === "refused") {
      const response = answer.kind === "refused" ? answerRefusal(c, answer.refusal) : answer.response;
      for (const cookie of forgotten(answer, c, ports)) response.headers.append("Set-Cookie", cookie);
      return response;
    }
    c.set("isCarried", true);
    if (answer.kind === "opened") {
      c.set("status", 101);
      return answer.response;
    }
    for (const cookie of forgotten(answer, c, ports)) answer.answer.headers.append("Set-Cookie", cookie);
    return runtime.passesOn?.(answer.answer) ?? asResponse(answer.answer);
  };
}

function asResponse({ status, headers, body }: ForwardedAnswer): Response {
  return new Response(body as ReadableStream | null, { status, headers });
}

/** Whether a web app answers at a target of a host. */
export function isOfWebApp(
  { find }: Pick<WebGateway, "find">,
  isOwnPath: (path: string) => boolean,
  { host, target: raw }: { readonly host: string; readonly target: string },
): boolean {
  const target = readRequestTarget(raw, host);
  return !("fault" in target) && !isOwnPath(target.path) && find(host, target.path) !== undefined;
}

const known = new WeakMap<object, (path: string) => boolean>();

/** Whether a canonical path is one of the routes, for whichever method. Made once, so to be asked for when all are there. */
export function ownPaths(app: Pick<Hono<Env>, "routes">): (path: string) => boolean {
  const isOwnPath = known.get(app) ?? pathsOf(app);
  known.set(app, isOwnPath);
  return isOwnPath;
}

function pathsOf({ routes }: Pick<Hono<Env>, "routes">): (path: string) => boolean {
  const router = new TrieRouter<true>();
  for (const path of new Set(routes.map((route) => route.path))) {
    if (path !== "*" && path !== "/*") router.add("ALL", path, true);
  }
  return (path) => router.match("ALL", path)[0].length > 0;
}

/** What makes the browser of a person who signed out forget the session. */
function forgotten(
  { endsSession }: WebAnswer,
  c: Context<Env>,
  { configuration }: WebGateway["ports"],
): readonly string[] {
  if (!endsSession) return [];
  return [forgottenSession(new URL(c.req.url).hostname, configuration().configuration.session)];
}

/** From here on whoever asked for a page reads errors on one. */
function tellPeople(c: Context<Env>): void {
  c.set("answersPages", isPageRequest(c.req.method, c.req.raw.headers));
}

/** A page for people, problem details (RFC 9457) for programs. */
function answerRefusal(c: Context<Env>, refusal: WebRefusal): Response {
  const { requestId, logger } = c.get("request");
  const { code, status, headers } = refusal;
  logger.info("web request refused", { code, app: c.get("app") });
  for (const [name, value] of Object.entries(headers)) c.header(name, value);
  if (c.get("answersPages")) {
    return answerPage(c, refusalPage(refusal, requestId));
  }
  c.header("Cache-Control", "no-store");
  return c.body(JSON.stringify(refusalDetails(refusal, requestId)), status as 400, {
    "Content-Type": "application/problem+json",
  });
}
