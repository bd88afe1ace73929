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
