import type { History, IssuedToken, Of } from "./history.ts";
import type { Violation } from "./violation.ts";

/**
 * A token whose issue was answered is active until somebody asked for its end, and inactive once that was acknowledged.
 * After the last restart each is looked at once more.
 */
export function judgeTokens(history: History): readonly Violation[] {
  const introspections = Map.groupBy(history.of("introspect"), ({ operation }) => operation.token);
  return history.issued.flatMap((token) => judgeToken(token, introspections.get(token.name) ?? [], history));
}

function judgeToken(
  token: IssuedToken,
  introspections: readonly Of<"introspect">[],
  history: History,
): readonly Violation[] {
  const { name, issue } = token;
  const end = history.endOfToken(token);
  const answered = introspections.filter(({ result }) => result?.active !== undefined);
  const violations = answered.flatMap(({ sent, ended = 0, result }): Violation[] => {
    if (result?.active === false && sent > (issue.ended ?? 0) && ended < end.asked) {
      return [{ rule: "token lost", text: `${name}, acknowledged at ${issue.ended}, was inactive at ${ended}` }];
    }
    if (result?.active === true && sent > end.acknowledged) {
      const text = `${name}, ended at ${end.acknowledged}, was active for the request of ${sent}`;
      return [{ rule: "revoked and still accepted", text }];
    }
    return [];
  });
  if (answered.some(({ sent }) => sent > history.journal.lastRestart)) return violations;
  return [...violations, { rule: "token lost", text: `${name} was not found out about after the last restart` }];
}
