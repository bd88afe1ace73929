import { useState } from "react";
import { useSession } from "../../session/context.ts";

/** Edited texts, as long as the Console is open in this tab: who looks at a record and comes back finds theirs. */
const texts = new Map<string, string>();

/**
 * A text with what was made of it here before.
 *
 * @param key of the policy, among those of the organization
 * @param begin the text without changes
 */
export function useKeptText(key: string, begin: string): readonly [string, (text: string) => void] {
  const { me, organization } = useSession();
  const whole = JSON.stringify([me.userId, organization.organizationId, key]);
  const [text, setText] = useState(() => texts.get(whole) ?? begin);
  return [
    text,
    (next) => {
      if (next === begin) texts.delete(whole);
      else texts.set(whole, next);
      setText(next);
    },
  ];
}
