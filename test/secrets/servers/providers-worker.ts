import { systemClock } from "../../../lib/kernel/clock.ts";
import { PORTABLE_OPENERS } from "../../../lib/secrets/openers.ts";
import { SecretError } from "../../../lib/secrets/provider.ts";

/** A Worker that reads the secret `reference` from the provider `url`: answers with it, or with 500 and the error's message. */
export default {
  async fetch(request: Request): Promise<Response> {
    const { url, reference, environment } = await request.json();
    const open = PORTABLE_OPENERS[url.split("://")[0]];
    const sources = {
      fetch: (...input: Parameters<typeof fetch>) => fetch(...input),
      openFetch: undefined,
      clock: systemClock,
      environment,
    };
    try {
      return new Response(await (await open?.(url, sources))?.get(reference));
    } catch (error) {
      return new Response(error instanceof SecretError ? error.message : String(error), { status: 500 });
    }
  },
};
