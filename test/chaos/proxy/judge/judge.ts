import { judgeActivity } from "./activity.ts";
import { judgeAnswers } from "./answers.ts";
import type { Findings } from "./findings.ts";
import { judgeRecords } from "./records.ts";
import { judgeSessions } from "./sessions.ts";
import type { Violation } from "./violation.ts";

export function judge(findings: Findings): readonly Violation[] {
  const { unrecovered, logged } = findings;
  return [
    ...judgeActivity(findings),
    ...judgeAnswers(findings),
    ...judgeRecords(findings),
    ...judgeSessions(findings),
    ...unrecovered.map((text) => ({ rule: "not as before after the torment", text }) as const),
    ...logged.map((text) => ({ rule: "an error in the log", text }) as const),
  ];
}
