import { UsageError } from "./usage-error.ts";

/**
 * The file that `-config` or SVC_CONFIG names; the flag wins.
 * @param instead what the command takes in place of a configuration
 * @throws UsageError where nothing names one
 */
export function configurationFile(
  flag: string | undefined,
  environment: Readonly<Record<string, string | undefined>>,
  instead?: string,
): string {
  const file = flag || environment.SVC_CONFIG;
  if (file) return file;
  const ways = "name a YAML file with -config FILE or with the variable SVC_CONFIG";
  throw new UsageError(`No configuration: ${ways}${instead === undefined ? "" : `, or ${instead}`}.`);
}
