import type { LimitSetting } from "../../../lib/management/schemas/gateway-settings.ts";

/** Whether a limit can count what an API client asks: it acts for itself, never for a person. */
export function holdsFor({ for: about = {} }: LimitSetting, clientId: string, organizationId: string): boolean {
  const { client, organization, person, agent } = about;
  return isAmong(client, clientId) && isAmong(organization, organizationId) && (person ?? agent) === undefined;
}

function isAmong(wanted: string | readonly string[] | undefined, id: string): boolean {
  return wanted === undefined || (typeof wanted === "string" ? wanted === id : wanted.includes(id));
}
