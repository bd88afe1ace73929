import * as z from "zod";
import { about } from "#about";
import { apps } from "./apps/apps.ts";
import { branding } from "./branding.ts";
import { connectors } from "./connectors.ts";
import { console, session, singleLogout } from "./console.ts";
import { deployment } from "./deployment.ts";
import { email } from "./email.ts";
import { http } from "./http.ts";
import { limits } from "./limits.ts";
import { health, logger } from "./logger.ts";
import { mcpProvider } from "./mcp-provider.ts";
import { oidcProvider } from "./oidc-provider.ts";
import { described, section } from "./section.ts";
import { signals } from "./signals.ts";
import { audit, caches, store } from "./store.ts";
import { telemetry } from "./telemetry.ts";
import { tls } from "./tls.ts";
import { anything, text } from "./types.ts";
import { vault } from "./vault.ts";
import { webhooks } from "./webhooks.ts";

const VERSION = 'text or a number, for example "1"';

const version = z.union([text(VERSION), z.number({ error: VERSION })], { error: VERSION });

/** The whole YAML document; the order is that of the reference page. */
export const documentSchema = section({
  version: described(version, about("Version of the document. Reported as `config_version`.", "1")),
  health,
  logger,
  http,
  tls,
  telemetry,
  connectors,
  signals,
  webhooks,
  vault,
  session,
  singleLogout,
  console,
  branding,
  email,
  audit,
  store,
  caches,
  oidcProvider,
  mcpProvider,
  limits,
  deployment,
  apps,
  features: described(anything().optional(), about("Accepted, no effect.")),
});

/** The document with defaults applied and durations in milliseconds. */
export type ConfigurationDocument = z.output<typeof documentSchema>;
