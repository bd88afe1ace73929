import type { Clock } from "../kernel/clock.ts";
import type { OpenFetch } from "../net/outbound.ts";

/** Where `<reference>` values come from. */
export interface SecretProvider {
  /**
   * The secret behind a reference such as `ns.key`.
   * @throws SecretError that names the reference and the kind of provider, never a value or the provider's credentials
   */
  get(reference: string): Promise<string>;
}

/** A secret or a provider of secrets that is not there. */
export class SecretError extends Error {
  constructor(message: string, options: { readonly cause?: unknown } = {}) {
    super(message, options);
    this.name = "SecretError";
  }
}

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

/** Reads a text file. `folder` is where a relative path starts. Rejects with a reason for people as message. */
export type ReadFile = (path: string, folder?: string) => Promise<string>;

/** Opens a provider from its URL. Throws or rejects with SecretError, which never quotes a value of the URL. */
export type OpenSecretProvider = (url: string, sources: SecretSources) => SecretProvider | Promise<SecretProvider>;

/** By scheme, without `://`. */
export type SecretProviderOpeners = Readonly<Record<string, OpenSecretProvider>>;
