import { CONSOLE_PATH } from "./target.ts";

/**
 * Where whoever holds the setup token becomes the first owner, once. The token stands in the fragment, which browsers send
 * to no server.
 *
 * @param baseURL of the Console, without trailing slash
 */
export function setupLink(baseURL: string, setupToken: string): string {
  return `${baseURL}${CONSOLE_PATH}setup#token=${encodeURIComponent(setupToken)}`;
}
