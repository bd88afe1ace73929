/** What one app says of how it is used. */
export interface AppInstructions {
  readonly app: string;
  readonly instructions: string | undefined;
}

/** Characters of each where there are several. */
const LENGTH = 4_000;

/** Those of the only app as they are, those of several under their names; undefined where nobody gives any. */
export function mergedInstructions(apps: readonly AppInstructions[]): string | undefined {
  const [only] = apps;
  if (apps.length === 1) return only?.instructions;
  const sections = apps.flatMap(({ app, instructions = "" }) =>
    instructions === "" ? [] : [`# ${app}\n\n${instructions.slice(0, LENGTH)}`],
  );
  return sections.length === 0 ? undefined : sections.join("\n\n");
}
