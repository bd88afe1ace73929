import type { Clock } from "../clock.ts";
import type { OpenFetch } from "../net/outbound.ts";
import type { SecretProvider } from "./provider.ts";
import type { ReadFile } from "./secret-file.ts";

/** What a secret provider may use of its runtime. */
export interface SecretSources {
  readonly fetch: typeof globalThis.fetch;
  /** Connections with TLS settings of their own, such as a client certificate; undefined where the runtime has none. */
  readonly openFetch: OpenFetch | undefined;
  readonly clock: Clock;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Absent where there are no files. */
  readonly readFile?: ReadFile;
  /** How long an answer may take, milliseconds; 10 s unless given. */
  readonly timeout?: number | undefined;
  /** Ends requests and waits that are under way: nobody waits for them any more. */
  readonly signal?: AbortSignal | undefined;
}

/** Opens a provider from its URL. Throws or rejects with SecretError, which never quotes a value of the URL. */
export type OpenSecretProvider = (url: string, sources: SecretSources) => SecretProvider | Promise<SecretProvider>;

/** By scheme, without `://`. */
export type SecretProviderOpeners = Readonly<Record<string, OpenSecretProvider>>;
