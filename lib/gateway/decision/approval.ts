import { sha256base64url } from "#sha256";
import { personOf } from "../../connections/person-connections.ts";
import { canonicalJson } from "../../kernel/canonical-json.ts";
import { utf8 } from "../../kernel/encoding.ts";
import { invalidArgumentsText } from "../../openapi/problem-sentences.ts";
import { upstreamOf } from "../../stops/targets.ts";
import { MOST_ARGUMENTS } from "../../stores/approvals.ts";
import { holdsExactNumber } from "../../upstream/wire/exact-json.ts";
import type { ApprovalTerms } from "../tool-terms.ts";
import type { AnsweredQuestions, ApprovalSubject, Asked, Finding, Refusal, Step, StepPorts } from "./step.ts";

/**
 * A person has approved this call, with exactly these arguments (D230). It comes after the policies, which see the same arguments. It
 * only looks: who makes the call uses the approval up.
 */
export const approval: Step = {
  name: "approval",
  async *judge(asked, ports) {
    const { approval: terms, ruled, subject } = asked;
    const isRefused = ruled !== undefined && ruled.outcome !== "applied";
    if (terms === undefined || subject.tool === undefined || isRefused) return;
    yield [await findingOf(terms, asked, ports)];
  },
};

/**
 * What is approved, as one text: who asks, what of which server, and by whose word. Whatever of it changes asks anew.
 *
 * @param outgoing the arguments as they would go out
 * @param answered what goes out beside them
 * @param pin digest of the tool's version, where its app pins tools
 */
export function approvalDigest(
  subject: ApprovalSubject,
  outgoing: unknown,
  answered: AnsweredQuestions | undefined,
  pin: string | undefined,
): string {
  const more = { ...(pin !== undefined && { pin }), ...(answered !== undefined && { answered }) };
  return sha256base64url(canonicalJson({ ...subject, ...more, arguments: outgoing ?? {} }));
}

/** For people and models. */
export function approverText({ by, separate }: Pick<ApprovalTerms, "by" | "separate">): string {
  const but = separate ? ", but not by the person that the agent acts for" : "";
  if (by === "self") return "by the person that the agent acts for";
  return by === "owners" ? `by an owner of the organization${but}` : `by somebody whom the configuration names${but}`;
}

/** Why a call would not be made whatever anybody approves: nobody is asked for it. */
export function refusedAnyway(asked: Asked): Refusal | undefined {
  const made = asked.request?.();
  // Nobody approves what would not go out.
  if (made !== undefined && "problems" in made) {
    const message = invalidArgumentsText(made.problems);
    return { outcome: "refuse", code: "invalid_arguments", message, reason: "invalid_arguments", why: message };
  }
  const { approval: terms } = asked;
  // Whether one is needed at all an expression says, if there is one.
  return terms !== undefined && terms.when === undefined && lacksPerson(terms, asked) ? NO_PERSON : undefined;
}

function lacksPerson({ by }: ApprovalTerms, { caller }: Asked): boolean {
  return by === "self" && caller.identity?.user === undefined;
}

async function findingOf(terms: ApprovalTerms, asked: Asked, ports: StepPorts): Promise<Finding> {
  const anyway = refusedAnyway(asked);
  if (anyway !== undefined) return anyway;
  if (!(await isNeeded(terms, asked, ports))) return { outcome: "allow", why: "none is needed for these arguments" };
  if (lacksPerson(terms, asked)) return NO_PERSON;
  const outgoing = asked.outgoing?.();
  const answered = asked.answered?.();
  const text = canonicalJson(outgoing ?? {});
  const answers = answered && canonicalJson(answered.inputResponses ?? {});
  if (utf8(text + (answers ?? "")).length > MOST_ARGUMENTS) return TOO_LONG;
  const subject = await subjectOf(terms, asked, ports);
  const pin = asked.pin?.().digest;
  const digest = approvalDigest(subject, outgoing, answered, pin);
  const found = await ports.stores?.approvals.liveApproval(subject.organizationId, digest, ports.clock.now());
  if (found?.state === "approved") {
    const { approvalId, call } = found;
    return { outcome: "allow", why: "it is approved", use: { approvalId, subject, pin, isTask: call !== undefined } };
  }
  if (found?.state === "refused") return refused(found.approvalId);
  return {
    outcome: "refuse",
    code: "approval_needed",
    message: `The call waits for approval ${approverText(terms)}.`,
    reason: "approval_needed",
    approval: { subject, digest, text, answers, lifetime: terms.expires },
    why: `the call needs an approval ${approverText(terms)}`,
  };
}

/** An expression that fails does not tell that none is needed; nor does one that reads another number than the server gets. */
async function isNeeded({ when }: ApprovalTerms, { outgoing }: Asked, { answers }: StepPorts): Promise<boolean> {
  if (when === undefined || holdsExactNumber(outgoing?.())) return true;
  return (await answers.decision(when())).outcome !== "denied";
}

async function subjectOf(
  { by, separate }: ApprovalTerms,
  { app, subject, caller: { identity } }: Asked,
  { organizationOf, ownIssuer }: StepPorts,
): Promise<ApprovalSubject> {
  const person = identity && personOf(identity, ownIssuer);
  const upstream = upstreamOf(app);
  return {
    organizationId: (await organizationOf(app)) ?? "",
    ...{ app: app.name, tool: subject.tool?.params.name ?? "", upstream: upstream ?? "" },
    ...(person !== undefined && { person }),
    ...(identity?.agent !== undefined && { agent: identity.agent.clientID }),
    ...(identity !== undefined && { issuer: identity.issuer }),
    ...{ by, separate },
  };
}

function refused(approvalId: string): Refusal {
  return {
    outcome: "refuse",
    code: "approval_refused",
    message: REFUSED_TEXT,
    reason: "approval_refused",
    details: { approvalId },
    why: "somebody refused it",
  };
}

/** For the model. */
export const REFUSED_TEXT = "The call was not made: whoever was asked to approve it refused it. Do not make it again.";

const NO_PERSON: Refusal = {
  outcome: "refuse",
  code: "no_person",
  message:
    "The call was not made: the person that the agent acts for has to approve it, and this agent acts for nobody.",
  reason: "no_person",
  why: "the person that the agent acts for has to approve it, and there is none",
};

const TOO_LONG: Refusal = {
  outcome: "refuse",
  code: "invalid_arguments",
  message: `The call was not made: it needs an approval, and nobody can look through arguments of more than ${MOST_ARGUMENTS} bytes.`,
  reason: "arguments_too_long",
  why: `an approval is needed, and the arguments have more than ${MOST_ARGUMENTS} bytes`,
};
