import * as z from "zod";
import { apps } from "./apps/apps.ts";
import { audit } from "./audit.ts";
import { caches } from "./caches.ts";
import { console } from "./console.ts";
import { health } from "./health.ts";
import { http } from "./http.ts";
import { logger } from "./logger.ts";
import { mcpProvider } from "./mcp-provider.ts";
import { oidcProvider } from "./oidc-provider.ts";
import { section } from "./section.ts";
import { session } from "./session.ts";
import { store } from "./store.ts";
import { text } from "./types.ts";

const VERSION = 'text or a number, for example "1"';

/** The whole YAML document. */
export const documentSchema = section(
  {
    version: z.union([text(VERSION), z.number({ error: VERSION })], { error: VERSION }),
    health,
    logger,
    http,
    store,
    session,
    console,
    audit,
    caches,
    oidcProvider,
    mcpProvider,
    apps,
  },
  { tls: "TLS settings", telemetry: "telemetry", connectors: "connectors to upstream providers" },
);

/** The document with defaults applied and durations in milliseconds. */
export type ConfigurationDocument = z.output<typeof documentSchema>;
