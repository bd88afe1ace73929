import * as z from "zod";
import { about } from "#about";
import { described, section } from "../section.ts";
import { choice, flag, list, positiveDuration, secret, text, url } from "../types.ts";
import { inbound, outbound } from "./authorization.ts";
import { appName, headers, operationPattern, organization, shared, toolNamespace } from "./names.ts";
import { documentPins } from "./pins.ts";
import { toolRules } from "./tool-rules.ts";

const DOCUMENT = "a file:// or https:// URL";
const CURATION = "a mapping of names";

/** Where an OpenAPI document can be read from. */
export const DOCUMENT_URI = /^(file|https):\/\/./;

/** Some APIs take their key as the user name, and no password. */
const password = z.union([z.literal(""), text()], { error: "text, also empty" });

const spec = section({
  uri: described(
    text(DOCUMENT).regex(DOCUMENT_URI, { error: DOCUMENT }).optional(),
    about(
      "URL of the document. It may refer to other documents. `file://` is relative to the YAML file.",
      "file://books.openapi.yaml",
    ),
  ),
  data: described(z.string({ error: "an OpenAPI document as text" }).optional(), about("OpenAPI document as text.")),
});

const annotations = section({
  title: described(text().optional(), about("Display name of the tool. The other `title` takes precedence.")),
  readOnlyHint: described(flag().optional(), about("The tool changes nothing.")),
  destructiveHint: described(flag().optional(), about("The tool may destroy data.")),
  idempotentHint: described(flag().optional(), about("A repeated call has no further effect.")),
  openWorldHint: described(flag().optional(), about("The tool reaches systems beyond the API.")),
});

const override = section({
  name: described(
    text().optional(),
    about(
      "New name of the tool, without namespace. Policies, scopes, token exchange and step-up use this name.",
      "find_books",
    ),
  ),
  title: described(text().optional(), about("New title: the display name of the tool.", "Find books")),
  description: described(text().optional(), about("New description.")),
  annotations: described(
    annotations.optional(),
    about("MCP hints for clients. They replace the hints derived from the HTTP method."),
  ),
});

const openapi = section({
  spec: described(spec.optional(), about("OpenAPI document. Exactly one of `uri` and `data`.")),
  baseURL: described(
    url().optional(),
    about("URL of the API. By default the first server in the document, or the operation's own server."),
  ),
  include: described(
    list(operationPattern()).optional(),
    about(
      "Operations that become tools: operationId, tag, `GET /path`, or a regular expression between slashes. By default all. Other operations are not checked.",
      ["books", "GET /authors"],
    ),
  ),
  exclude: described(
    list(operationPattern()).optional(),
    about("Operations that do not become tools, in the same notation. Wins over `include`.", ["/DELETE .*/"]),
  ),
  overrides: described(
    z.record(z.string(), override, { error: CURATION }).optional(),
    about("Changes to tools, by the tool's original name without namespace."),
  ),
});

const credential = section({
  value: described(text().optional(), about("API key, or token of a bearer, OAuth 2.0 or OpenID Connect scheme.")),
  username: described(text().optional(), about("User name for HTTP Basic.")),
  password: described(password.optional(), about("Password for HTTP Basic. May be empty.")),
});

const upstream = section({
  timeout: described(positiveDuration().prefault("30s"), about("Timeout of a request. At most 50s on Lambda.")),
  tls: described(text().optional(), about("The entry of `tls` for connections.", "internal")),
  headers,
  auth: described(
    secret(z.record(z.string(), credential, { error: CURATION })).optional(),
    about(
      "Credentials by security scheme of the OpenAPI document. A call uses the first security alternative of its operation for which all credentials are set.",
      { apiKey: { value: "<books.key>" } },
    ),
  ),
  shareable: described(flag().default(false), about("No effect for REST APIs: they have no sessions.")),
});

/** `apps[] type: mcpBridge`: a REST API as MCP tools. Where its document is read from is checked in `catalogs.ts`. */
export const mcpBridgeApp = section({
  type: described(z.literal("mcpBridge", { error: "mcpBridge" }), about("A REST API as tools.")),
  name: appName(),
  mode: described(choice(["openapi"]).optional(), about("Source of the tools: an OpenAPI document.")),
  organization,
  shared,
  toolNamespace,
  openapi: described(openapi, about("OpenAPI document of the API, and which operations become tools.")),
  upstream: described(upstream.prefault({}), about("Connection and credentials for the API.")),
  pins: documentPins,
  tools: described(
    section({ rules: toolRules }).optional(),
    about("With which arguments agents may call the tools, and what they get back."),
  ),
  authorization: described(
    section({ inbound, outbound }).prefault({}),
    about("Who may call, and which credentials calls carry."),
  ),
});
