import { mergeConfig } from "vitest/config";
import { SETTINGS } from "../../../vitest.config.ts";

/** What needs Keycloak: `node test/connections/keycloak/run.ts`, which starts it, is a step of `.ci/run`. */
export default mergeConfig(SETTINGS, { test: { include: ["test/connections/keycloak/*.test.ts"] } });
