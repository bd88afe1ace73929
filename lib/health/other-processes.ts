import type { HealthReport } from "./health.ts";

/** The other processes of the same instance, each of which sees only what it does itself (D195). */
export interface OtherProcesses {
  /** What they say of themselves; whoever does not answer soon is left out. */
  health(): Promise<readonly HealthReport[]>;
  /** What this process says of itself from now on. */
  answerHealth(check: () => Promise<HealthReport>): void;
  /** The upstream of an app is no longer reached here, or is again. */
  tellUpstream(app: string, isLost: boolean): void;
  /** Told likewise. */
  hearUpstreams(listener: (app: string, isLost: boolean) => void): void;
}

/** The instance is as its processes are: whatever one of them lacks is missing. */
export function joinedReport(own: HealthReport, others: readonly HealthReport[]): HealthReport {
  const all = [own, ...others];
  const components = all.flatMap((report) => report.components ?? []);
  const each = [...new Map(components.map((component) => [component.name, component])).values()];
  const status = (["down", "degraded"] as const).find((one) => all.some((report) => report.status === one)) ?? "up";
  return { status, ...(each.length > 0 && { components: each }) };
}
