import { sha256base64url } from "../encoding.ts";

/**
 * The id of a person who signs in through a connector: the same in every region and for every client, without telling who
 * it is. No client id looks like it.
 *
 * @param issuer of the connector, as its ID tokens spell it
 * @param subject the `sub` there
 */
export function personId(issuer: string, subject: string): string {
  return `user_${sha256base64url(JSON.stringify([issuer, subject]))}`;
}
