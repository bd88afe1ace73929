/** What to look at after a refused token request, beginning with a space; empty where the refusal says enough. */
export function refusalHint(error: unknown, description: unknown): string {
  const hint = HINTS.find(([code, text]) => code === error && (text === undefined || text === description))?.[2];
  return hint === undefined ? "" : ` ${hint}`;
}

const HINTS: readonly (readonly [error: string, description: string | undefined, hint: string])[] = [
  [
    "invalid_scope",
    undefined,
    "Nothing of what -scope asks for is granted to the client for this -resource: see its scopes with client show. " +
      "Without -resource the token is for the management API, which knows its own permissions only.",
  ],
  [
    "invalid_target",
    undefined,
    "The client may not ask for this -resource: it has to stand in the client's resources, see client show, to the letter.",
  ],
  [
    "invalid_client",
    "invalid JWT signature",
    "The key is none of the client's, or is revoked: see its key pairs with client show.",
  ],
  ["invalid_client", "expired JWT", "The clocks of this machine and of the server differ."],
];
