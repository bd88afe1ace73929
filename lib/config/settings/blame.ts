import { ConfigurationError, type ConfigurationMessage } from "../messages.ts";
import { pathText } from "../path.ts";
import type { ResolvedDocument } from "./resolved-document.ts";
import { GATEWAY_SETTINGS, SETTING_NAMES, type SettingName, type SettingValues } from "./settings.ts";

/** Why settings are refused. */
export interface SettingProblem {
  /** Absent: no single change is the cause. */
  readonly name?: SettingName;
  readonly detail: string;
}

type Resolver = Pick<ResolvedDocument, "resolveWith">;

/**
 * What is wrong with settings that would follow `former` ones. A mistake at another place of the configuration is told at
 * each changed setting without whose change it would not be there.
 */
export async function settingProblems(
  document: Resolver,
  values: SettingValues,
  former: SettingValues,
): Promise<readonly SettingProblem[]> {
  const messages = await mistakes(document, values);
  const own = messages.filter(({ path }) => settingAt(path) !== undefined);
  const elsewhere = messages.filter(({ path }) => settingAt(path) === undefined);
  return [
    ...own.map(({ path, message }) => ({ name: settingAt(path) as SettingName, detail: message })),
    ...(elsewhere.length > 0 ? await blamed(document, elsewhere, values, former) : []),
  ];
}

async function blamed(
  document: Resolver,
  messages: readonly ConfigurationMessage[],
  values: SettingValues,
  former: SettingValues,
): Promise<readonly SettingProblem[]> {
  const trials: { readonly name: SettingName; readonly paths: ReadonlySet<string> }[] = [];
  for (const name of SETTING_NAMES.filter((one) => values[one] !== former[one])) {
    const left = await mistakes(document, { ...values, [name]: former[name] });
    trials.push({ name, paths: new Set(left.map(({ path }) => path)) });
  }
  return messages.flatMap(({ path, message }): readonly SettingProblem[] => {
    const detail = `does not fit the rest of the configuration: ${path}: ${message}`;
    const causes = trials.filter(({ paths }) => !paths.has(path));
    return causes.length === 0 ? [{ detail }] : causes.map(({ name }) => ({ name, detail }));
  });
}

async function mistakes({ resolveWith }: Resolver, values: SettingValues): Promise<readonly ConfigurationMessage[]> {
  try {
    await resolveWith(values);
    return [];
  } catch (error) {
    if (error instanceof ConfigurationError) return error.messages;
    throw error;
  }
}

function settingAt(path: string): SettingName | undefined {
  return GATEWAY_SETTINGS.find((setting) => pathText(setting.path) === path)?.name;
}
