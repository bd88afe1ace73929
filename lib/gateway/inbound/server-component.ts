import type { Component } from "../../health/component.ts";
import type { AuthorizationServer } from "./authorization-server.ts";

/** A server as health sees it: it is up once everything is known that tokens of its method are checked with. */
export function serverComponent({ settings, expectedIssuer, metadata, keys }: AuthorizationServer): Component {
  const needsKeys = settings.method !== "introspection";
  const areKeysDue = () => needsKeys && metadata.isFresh() && keys.isDue();
  return {
    name: `authorization-server:${nameOf(expectedIssuer ?? settings.wellKnownEndpoint)}`,
    status: () => (needsKeys && metadata.status() === "up" ? keys.status() : metadata.status()),
    isDue: () => metadata.isDue() || areKeysDue(),
    async attempt(signal) {
      if (metadata.isDue()) await metadata.attempt(signal);
      // What was just read tells where the keys are; without it nothing would be gained by looking for them.
      if (areKeysDue()) await keys.attempt(signal);
    },
  };
}

/** Host and path: issuers are public, other addresses may hold secrets in their query. */
function nameOf(url: string): string {
  const { host, pathname } = new URL(url);
  return host + pathname.replace(/\/$/, "");
}
