import { parseArguments } from "../flags.ts";
import type { CommandIo } from "../io.ts";

/**
 * `countersign sign-out -url URL`: takes back the tokens that a sign-in of `call` or `tools` at this server left (RFC 7009), and forgets them.
 * They are forgotten in any case. Exit 4 or 5 where the authorization server did not take them back.
 */
export async function run(args: readonly string[], io: CommandIo): Promise<number> {
  const { flags } = parseArguments(args, { url: "string" });
  // The client of the SDK is for these commands alone.
  const { signOut } = await import("./mcp-client/sign-out.ts");
  io.stdout(`${await signOut(flags.url, io)}\n`);
  return 0;
}
