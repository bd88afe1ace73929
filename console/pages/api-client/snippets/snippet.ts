/** What a snippet is filled with. */
export interface SnippetFacts {
  readonly issuer: string;
  readonly clientId: string;
  /** The private key's file, as it was downloaded. */
  readonly keyFile: string;
  /** The audience to ask for (RFC 8707); undefined for the management API. */
  readonly resource: string | undefined;
}

/** A way to get a token: a program that prints it, or a line for the shell. */
export interface Snippet {
  readonly code: string;
  /** The file that the code goes into; undefined for what is typed into a shell. */
  readonly file?: string;
  /** Sets `TOKEN` in a shell. Undefined where the code itself does. */
  readonly run?: string;
}
