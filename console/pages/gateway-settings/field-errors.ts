import type { ApiProblem } from "../../api/problem.ts";
import { SETTING_NAMES, type SettingName } from "./settings.ts";

export type SettingErrors = Readonly<Partial<Record<SettingName, string>>>;

/** The refusals of a problem by setting, and the problem itself unless it says no more than they do. */
export function fieldErrors(problem: ApiProblem): {
  readonly errors: SettingErrors;
  readonly rest: ApiProblem | undefined;
} {
  const errors: Partial<Record<SettingName, string>> = {};
  for (const name of SETTING_NAMES) {
    const own = problem.fields.filter(({ pointer }) => pointer === `/${name}`).map(({ detail }) => detail);
    if (own.length > 0) errors[name] = own.map(asSentence).join(" ");
  }
  const isAll = problem.fields.length > 0 && problem.fields.every(({ pointer }) => pointer.slice(1) in errors);
  return { errors, rest: isAll ? undefined : problem };
}

/** What is said of a value begins small. */
function asSentence(detail: string): string {
  return `${detail.slice(0, 1).toUpperCase()}${detail.slice(1)}${detail.endsWith(".") ? "" : "."}`;
}
