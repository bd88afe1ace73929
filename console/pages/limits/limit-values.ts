import type { LimitSetting } from "../../../lib/management/schemas/gateway-settings.ts";
import { ABOUT, type About, joined, typedOf } from "./limit-texts.ts";

/** What the fields of a limit hold. */
export interface LimitValues extends Readonly<Record<About, string>> {
  readonly name: string;
  readonly endpoint: string;
  readonly per: string;
  readonly rate: string;
  readonly burst: string | number;
  readonly quota: string;
  readonly bytes: string;
  readonly concurrent: string | number;
  readonly exact: boolean;
}

export function limitValues(limit: LimitSetting | undefined): LimitValues {
  const { for: about = {}, per, rate, burst, quota, bytes, concurrent, exact } = limit ?? { name: "" };
  return {
    name: limit?.name ?? "",
    endpoint: joined(about.endpoint) || "mcp",
    ...(Object.fromEntries(ABOUT.map((one) => [one, joined(about[one])])) as Record<About, string>),
    per: joined(per),
    rate: rate ?? "",
    burst: burst ?? "",
    quota: quota ?? "",
    bytes: bytes ?? "",
    concurrent: concurrent ?? "",
    exact: exact ?? false,
  };
}

/** The limit as the configuration file would have it. What this form does not ask for stays as it was. */
export function limitOf(fields: LimitValues, former: LimitSetting | undefined): LimitSetting {
  const { name, endpoint, per, rate, burst, quota, bytes, concurrent, exact } = fields;
  const about = ABOUT.flatMap((one) =>
    fields[one].trim() === "" ? [] : [[one, typedOf(fields[one], former?.for?.[one])] as const],
  );
  const text = (key: string, value: string) => (value.trim() === "" ? {} : { [key]: value.trim() });
  // A placeholder is no number.
  const count = (key: string, value: string | number) =>
    value === "" ? {} : { [key]: Number.isNaN(Number(value)) ? value : Number(value) };
  const isOfEndpoint = endpoint !== "mcp" || former?.for?.endpoint !== undefined;
  return {
    name: name.trim(),
    ...((about.length > 0 || isOfEndpoint) && {
      for: {
        ...(isOfEndpoint && { endpoint: typedOf(endpoint, former?.for?.endpoint) }),
        ...Object.fromEntries(about),
      },
    }),
    ...(per !== "" && { per: typedOf(per, former?.per) }),
    ...text("rate", rate),
    ...count("burst", burst),
    ...text("quota", quota),
    ...text("bytes", bytes),
    ...count("concurrent", concurrent),
    ...((exact || former?.exact !== undefined) && { exact }),
    ...(former?.unavailable !== undefined && { unavailable: former.unavailable }),
  };
}
