import type { ConsoleAssets } from "../../lib/console/assets.ts";

/** The Console's files as `wrangler deploy` uploads them. The platform compresses what leaves it, and weakens tags then. */
export function cloudflareConsoleAssets(assets: Fetcher): ConsoleAssets {
  return {
    read: async (path) => {
      const { status, body, headers } = await assets.fetch(`https://assets.invalid/${path}`);
      if (status !== 200 || body === null) {
        await body?.cancel();
        return undefined;
      }
      return { body, etag: headers.get("ETag") ?? undefined, varies: false };
    },
  };
}
