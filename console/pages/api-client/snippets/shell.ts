import { shellWord } from "./shell-word.ts";
import type { Snippet, SnippetFacts } from "./snippet.ts";

/** The command line of Countersign, which finds the token endpoint and signs the assertion. */
export function shellSnippet({ issuer, clientId, keyFile, resource }: SnippetFacts): Snippet {
  const flags = [
    `-issuer ${shellWord(issuer)}`,
    `-client ${shellWord(clientId)}`,
    `-key ${shellWord(keyFile)}`,
    ...(resource === undefined ? [] : [`-resource ${shellWord(resource)}`]),
  ];
  return { code: `TOKEN=$(countersign token \\\n  ${flags.join(" \\\n  ")})` };
}
