import type { Configuration } from "../../config/configuration.ts";
import type { RotationSchedule } from "./rotation.ts";

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

const PERIOD = 90 * DAY;
/** The JWKS may be kept for five minutes; libraries keep it for ten whatever it says, and clocks differ. */
const AHEAD = 15 * MINUTE;
/** For instances that learn a little late that a key has retired, and clocks that differ. */
const MARGIN = 5 * MINUTE;
/** ID tokens are compared long after they were issued. */
const LEAST_KEPT = DAY;

/** The rotation of the service's own keys under a configuration (D84). */
export function rotationSchedule(configuration: Configuration): RotationSchedule {
  return { period: PERIOD, ahead: AHEAD, kept: Math.max(LEAST_KEPT, longestLifetime(configuration)) + MARGIN };
}

/** Of anything that is signed, milliseconds. An exchanged token lives as long as those of the app that gets it. */
function longestLifetime({ apps, oidcProvider }: Configuration): number {
  const ofApps = apps.map((app) => (app.type === "oidc" ? app.accessToken.lifetime : 0));
  const { apiClients, registration } = oidcProvider ?? {};
  return Math.max(0, ...ofApps, registration?.accessToken.lifetime ?? 0, apiClients?.accessTokenLifetime ?? 0);
}
