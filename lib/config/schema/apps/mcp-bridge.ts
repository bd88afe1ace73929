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

const spec = section({
  uri: described(
    text(DOCUMENT).regex(DOCUMENT_URI, { error: DOCUMENT }).optional(),
    "Where the document is; `file://` is relative to the YAML file.",
    "file://books.openapi.yaml",
  ),
  data: described(z.string({ error: "an OpenAPI document as text" }).optional(), "The document itself, as text."),
});

const override = section({
  name: described(text().optional(), "Another name for the tool."),
  description: described(text().optional(), "Another description."),
  annotations: described(
    z.record(z.string(), z.unknown(), { error: CURATION }).optional(),
    "Annotations of the tool (MCP).",
  ),
});

const openapi = section({
  spec: described(spec.optional(), "The OpenAPI document, from exactly one of `uri` and `data`."),
  baseURL: described(url().optional(), "Where the API is; by default the document's first server."),
  include: described(list(operationPattern()).optional(), "The operations that become tools. Not yet in effect."),
  exclude: described(list(operationPattern()).optional(), "The operations that become none. Not yet in effect."),
  overrides: described(
    z.record(z.string(), override, { error: CURATION }).optional(),
    "What differs from the document, by tool. Not yet in effect.",
  ),
});

const credential = section({
  value: described(text().optional(), "The API key."),
  username: described(text().optional(), "The user of HTTP Basic."),
  password: described(text().optional(), "The password of HTTP Basic."),
});

const upstream = section({
  timeout: described(positiveDuration().prefault("30s"), "How long a request may take; at most 50s on Lambda."),
  tls: described(text().optional(), "The entry of `tls` that connections use.", "internal"),
  headers,
  auth: described(
    secret(z.record(z.string(), credential, { error: CURATION })).optional(),
    "Credentials, by security scheme of the OpenAPI document. Not yet in effect.",
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
