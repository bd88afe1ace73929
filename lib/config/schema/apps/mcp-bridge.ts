import * as z from "zod";
import { described } from "../described.ts";
import { section } from "../section.ts";
import { choice, flag, list, positiveDuration, secret, text, url } from "../types.ts";
import { headers } from "./headers.ts";
import { inbound } from "./inbound.ts";
import { appName, organization } from "./name.ts";
import { outbound } from "./outbound.ts";
import { operationPattern } from "./tool-name.ts";
import { toolNamespace } from "./tool-namespace.ts";

const DOCUMENT = "a file:// or https:// URL";
const CURATION = "a mapping of names";

/** Where an OpenAPI document can be read from. */
export const DOCUMENT_URI = /^(file|https):\/\/./;

/** Some APIs take their key as the user name, and no password. */
const password = z.union([z.literal(""), text()], { error: "text, also empty" });

const spec = section({
  uri: described(
    text(DOCUMENT).regex(DOCUMENT_URI, { error: DOCUMENT }).optional(),
    "Where the document is, with documents that it refers to; `file://` is relative to the YAML file.",
    "file://books.openapi.yaml",
  ),
  data: described(z.string({ error: "an OpenAPI document as text" }).optional(), "The document itself, as text."),
});

const annotations = section({
  title: described(text().optional(), "The name that people read, unless there is the other `title`."),
  readOnlyHint: described(flag().optional(), "It changes nothing."),
  destructiveHint: described(flag().optional(), "What it changes may be lost."),
  idempotentHint: described(flag().optional(), "Calling it again changes nothing more."),
  openWorldHint: described(flag().optional(), "It reaches beyond the API."),
});

const override = section({
  name: described(
    text().optional(),
    "Another name for the tool, in front of which the namespace goes; policies, scopes and protection know it by this one.",
    "find_books",
  ),
  title: described(text().optional(), "Another title, the name that people read.", "Find books"),
  description: described(text().optional(), "Another description."),
  annotations: described(
    annotations.optional(),
    "Hints for clients (MCP), in the place of those that the method gives.",
  ),
});

const openapi = section({
  spec: described(spec.optional(), "The OpenAPI document, from exactly one of `uri` and `data`."),
  baseURL: described(
    url().optional(),
    "Where the API is; by default the document's first server, and where operations name another one, that.",
  ),
  include: described(
    list(operationPattern()).optional(),
    "The operations that become tools, by operationId, tag or `GET /path`, or by an expression between slashes; by default all. Others are not even checked.",
    ["books", "GET /authors"],
  ),
  exclude: described(list(operationPattern()).optional(), "The operations that become none, in the same way.", [
    "/DELETE .*/",
  ]),
  overrides: described(
    z.record(z.string(), override, { error: CURATION }).optional(),
    "What differs from the document, by the name that a tool has without it, namespace left out.",
  ),
});

const credential = section({
  value: described(text().optional(), "The API key, or the token of a bearer, OAuth 2.0 or OpenID Connect scheme."),
  username: described(text().optional(), "The user of HTTP Basic."),
  password: described(password.optional(), "The password of HTTP Basic; may be empty."),
});

const upstream = section({
  timeout: described(positiveDuration().prefault("30s"), "How long a request may take; at most 50s on Lambda."),
  tls: described(text().optional(), "The entry of `tls` that connections use.", "internal"),
  headers,
  auth: described(
    secret(z.record(z.string(), credential, { error: CURATION })).optional(),
    "Credentials, by security scheme of the OpenAPI document. A call carries those of the first alternative of its operation for which there are all.",
    { apiKey: { value: "<books.key>" } },
  ),
  shareable: described(flag().default(false), "Without effect on REST APIs, which have no sessions."),
});

/** `apps[] type: mcpBridge`: a REST API as MCP tools. Where its document is read from is checked in `catalogs.ts`. */
export const mcpBridgeApp = section({
  type: described(z.literal("mcpBridge", { error: "mcpBridge" }), "A REST API, as tools."),
  name: appName(),
  mode: described(choice(["openapi"]).optional(), "Tools come from an OpenAPI document."),
  organization,
  toolNamespace,
  openapi: described(openapi, "Where the tools come from."),
  upstream: described(upstream.prefault({}), "How the API is called."),
  authorization: described(section({ inbound, outbound }).prefault({}), "Who may call, and with what."),
});
