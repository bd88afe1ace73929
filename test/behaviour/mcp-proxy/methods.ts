import type { JWTPayload } from "jose";
import { isJsonObject, type JsonObject } from "../../../lib/kernel/json.ts";

export interface MethodContext {
  readonly params: JsonObject;
  readonly claims: JWTPayload;
  /** Which the client declared. */
  readonly capabilities: JsonObject;
  /** The client's answer; without a session `{ input }` as long as there is none. */
  ask(request: { readonly method: string; readonly params: JsonObject }): Promise<JsonObject>;
  notify(method: string, params: JsonObject): void;
}

type Method = (context: MethodContext) => JsonObject | Promise<JsonObject>;

const NAME = { type: "object", properties: { name: { type: "string" } }, required: ["name"] };
const QUESTION = {
  method: "elicitation/create",
  params: { mode: "form", message: "Who pays with 4111111111111111?", requestedSchema: NAME },
};

const TOOLS: Readonly<Record<string, Method>> = {
  whoami: ({ claims }) => said(JSON.stringify({ sub: claims.sub, act: claims.act, scope: claims.scope ?? "" })),
  count: ({ params, notify }) => {
    const progressToken = isJsonObject(params._meta) ? params._meta.progressToken : undefined;
    for (const progress of [1, 2]) notify("notifications/progress", { progressToken, progress, total: 2 });
    return said("counted");
  },
  long: ({ params }) => said(longText(Number(isJsonObject(params.arguments) ? params.arguments.length : 0))),
  greet: async ({ ask }) => {
    const { input, content } = await ask(QUESTION);
    if (input !== undefined)
      return { resultType: "input_required", inputRequests: { who: input }, requestState: "of it" };
    return said(`Hello ${isJsonObject(content) ? content.name : "nobody"}`);
  },
  declared: ({ capabilities }) => said(Object.keys(capabilities).sort().join(" ")),
  account: ({ params, notify }) => {
    const progressToken = isJsonObject(params._meta) ? params._meta.progressToken : undefined;
    notify("notifications/progress", { progressToken, progress: 1, message: "reads 4111111111111111" });
    const account = { iban: "NL91ABNA0417164300", card: 4111111111111111 };
    return { ...said(JSON.stringify(account)), structuredContent: account };
  },
  fail: () => ({ ...said("out of order"), isError: true }),
  crash: () => said("never"),
  hidden: () => said("never"),
  excluded: () => said("never"),
  write: () => said("written"),
  link: ({ params }) => ({
    content: [
      {
        type: "resource_link",
        name: "linked",
        uri: `test://linked/${isJsonObject(params.arguments) && params.arguments.what}`,
      },
    ],
  }),
  danger: () => said("never"),
  unruled: () => said("never"),
  "broken\u2028": () => said("never"),
};

/** What `long` says, so many characters. */
export function longText(length: number): string {
  return 'é\\"\n0123456789'.repeat(Math.ceil(length / 14)).slice(0, length);
}

/** Results of both generations: the older one passes over what it does not know. */
export const METHODS: Readonly<Record<string, Method>> = {
  "tools/list": ({ claims }) => {
    const names = [...Object.keys(TOOLS), `of_${claims.sub}`];
    // Where nobody says who they are the list is to be read anew each time.
    const ttl = claims.sub === undefined ? 0 : 60_000;
    return { tools: names.map((name) => ({ name, inputSchema: { type: "object" } })), ...complete(ttl) };
  },
  "tools/call": async (context) => {
    const result = await TOOLS[String(context.params.name)]?.(context);
    return { resultType: "complete", ...(result ?? { ...said("there is no such tool"), isError: true }) };
  },
  "resources/list": () => ({
    resources: ["notes", "private"].map((name) => ({ name, uri: `test://${name}` })),
    ...complete(60_000),
  }),
  "resources/templates/list": () => ({
    resourceTemplates: [{ name: "of", uriTemplate: "test://of/{name}" }],
    ...complete(60_000),
  }),
  "resources/read": ({ params, claims }) => ({
    contents: [{ uri: params.uri, text: `notes of ${claims.sub}` }],
    ...complete(0),
  }),
  "custom/told": ({ params }) => ({ told: params.what, ...complete(0) }),
  "prompts/list": () => ({ prompts: [{ name: "review" }], ...complete(60_000) }),
  "prompts/get": ({ params }) => ({
    messages: [{ role: "user", content: { type: "text", text: `the prompt ${params.name}` } }],
    ...complete(0),
  }),
  "completion/complete": ({ params }) => ({
    completion: { values: [`for ${isJsonObject(params.ref) ? params.ref.name : ""}`] },
    ...complete(0),
  }),
};

function complete(ttlMs: number): JsonObject {
  return { resultType: "complete", ttlMs, cacheScope: "private" };
}

function said(text: string): JsonObject {
  return { content: [{ type: "text", text }] };
}
