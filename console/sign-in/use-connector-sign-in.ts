import { useEffect } from "react";
import type { ConnectorSignIn, ConnectorSignInRequest } from "../../lib/management/schemas/sign-in.ts";
import { path } from "../api/request.ts";
import { useSend } from "../api/use-send.ts";

export interface ConnectorVariables extends ConnectorSignInRequest {
  readonly connector: string;
}

/** Asks where signing in at a connector begins, and goes there. With `link` it needs the session. */
export function useConnectorSignIn() {
  const begin = useSend<ConnectorSignIn, ConnectorVariables>(
    ({ connector, ...body }) => ({
      method: "POST",
      path: path`/sign-in/oidc/${connector}`,
      body,
      isPublic: body.link === undefined,
    }),
    { onDone: ({ body }) => window.location.assign(webAddress(body.location)) },
  );
  const { reset } = begin;
  useEffect(() => {
    // Whoever goes back finds the page as it was left, on its way to the connector, and may begin again.
    const onReturn = (event: PageTransitionEvent) => {
      if (event.persisted) reset();
    };
    window.addEventListener("pageshow", onReturn);
    return () => window.removeEventListener("pageshow", onReturn);
  }, [reset]);
  return begin;
}

/** A connector's address is of the web, whatever the server says. */
function webAddress(text: string): string {
  const url = new URL(text);
  if (url.protocol !== "https:" && url.protocol !== "http:")
    throw new Error("The connector's address is not one of the web.");
  return url.href;
}
