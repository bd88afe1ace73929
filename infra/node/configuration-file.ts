import { UsageError } from "./usage-error.ts";

/** The file that `-config` or SVC_CONFIG names; the flag wins. */
export function configurationFile(
  flag: string | undefined,
  environment: Readonly<Record<string, string | undefined>>,
): string {
  const file = flag || environment.SVC_CONFIG;
  if (file) return file;
  throw new UsageError("No configuration: name a YAML file with -config FILE or with the variable SVC_CONFIG.");
}
