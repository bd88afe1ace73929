import { isLoopbackRedirect, isPrivateUseRedirect } from "../clients/redirect-url.ts";

/** Where a redirect leads, in words for people. */
export function redirectHost(redirectURL: string): string {
  if (isLoopbackRedirect(redirectURL)) return `an application on this computer (${new URL(redirectURL).host})`;
  const { protocol, host } = new URL(redirectURL);
  if (isPrivateUseRedirect(redirectURL)) return `an application on this device that opens ${protocol} links`;
  return host;
}
