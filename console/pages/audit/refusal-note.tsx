import type { AuditEvent } from "../../../lib/management/schemas/audit-events.ts";
import { ForeignText } from "../../parts/foreign-text.tsx";
import { LinkButton } from "../../parts/link-button.tsx";
import { Note } from "../../parts/note.tsx";
import { useSession } from "../../session/context.ts";
import { Scopes } from "../gateway/scopes.tsx";
import { whyAddress } from "../why/choice.ts";
import classes from "./event-drawer.module.css";

/** Why a call of a tool was refused, in words, and the way to the steps of the decision. Nothing for any other record. */
export function RefusalNote({ event }: { readonly event: AuditEvent }) {
  const { isOwner, instance } = useSession();
  const { type, outcome, reason = "", details = {}, tool, agent, user } = event;
  if (type !== "tool.invoked" || outcome !== "denied") return null;
  const why = WORDS[reason]?.(details);
  // Clients of other servers are unknown here.
  const isOwn = details.issuer === undefined || details.issuer === instance?.issuer;
  const address =
    isOwner && isOwn && tool !== undefined && agent !== undefined
      ? whyAddress({ tool, client: agent, person: user ?? "", scopes: details.held })
      : undefined;
  if (why === undefined && address === undefined) return null;
  return (
    <Note tone="bad" title="The call was not made">
      <div className={classes.refusal}>
        {why !== undefined && <ForeignText text={why} />}
        {details.missing !== undefined && reason === "insufficient_scope" && (
          <>
            <Scopes scopes={wordsOf(details.missing)} />
            {details.held !== undefined && (
              <>
                <span>It had:</span>
                <Scopes scopes={wordsOf(details.held)} />
              </>
            )}
          </>
        )}
        {address !== undefined && (
          <div>
            <LinkButton href={address} variant="default" size="xs">
              Explain this decision
            </LinkButton>
          </div>
        )}
      </div>
    </Note>
  );
}

type Details = NonNullable<AuditEvent["details"]>;

function wordsOf(scopes: string): readonly string[] {
  return scopes.split(" ").filter((scope) => scope !== "");
}

/** By the reason of the record, with what its details tell. */
const WORDS: Readonly<Record<string, (details: Details) => string>> = {
  insufficient_scope: () => "The token lacked scopes that the tool needs:",
  no_rule: () =>
    "The app has entries for tools (authorization.inbound.tools), and none names this one: nobody may call it.",
  not_a_member: () => "The app is for people of its organization (members), and the person does not belong to it.",
  insufficient_authentication: ({ missing }) =>
    missing === "acr"
      ? "The tool needs a sign-in of another kind."
      : "The tool needs a more recent sign-in of the person.",
  policy: ({ policy }) => `The policy ${policy ?? "of the app"} did not allow it.`,
  unreadable_number: () => "An argument is a number with more digits than policies can read.",
  missing_claim: ({ claim, argument }) =>
    `A rule of the tool makes the argument ${argument} of ${claim}, which the token does not tell as a text.`,
  invalid_arguments: () => "The arguments are not those that the tool and its rules take.",
  rules_do_not_fit: () => "The rules of the tool do not fit it as it is now: it is there for nobody.",
  stopped: () => "The tool, its app or who called was stopped.",
  tool_held: () => "Nobody has approved the tool as it is now.",
  limited: ({ limit }) => (limit === undefined ? "A limit was used up." : `The limit ${limit} was used up.`),
  approval_needed: () => "Somebody had to approve it first.",
  approval_refused: () => "Whoever had to approve it refused.",
  no_person: () => "It needs a person, and the agent acted for itself.",
  not_connected: ({ connector }) =>
    `The person has not connected the account that it needs${connector ? ` at ${connector}` : ""}.`,
};
