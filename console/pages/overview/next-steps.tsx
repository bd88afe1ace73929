import { Link } from "wouter";
import type { Steps } from "../../../lib/management/schemas/overview.ts";
import { CheckIcon } from "../../icons.tsx";
import { ADD_REST_API } from "../../parts/add-app-link.tsx";
import { Panel } from "../../parts/panel.tsx";
import classes from "./next-steps.module.css";

interface Step {
  readonly name: keyof Steps;
  readonly title: string;
  readonly words: string;
  readonly href: string;
  readonly isOwners?: boolean;
}

const STEPS: readonly Step[] = [
  {
    name: "passkey",
    title: "Add a passkey",
    words: "A link works once. A passkey lets you sign in again with your device.",
    href: "/account",
  },
  {
    name: "app",
    title: "Put an API or an MCP server behind the gateway",
    words: "Its operations or tools become your organization's tools.",
    href: ADD_REST_API,
    isOwners: true,
  },
  {
    name: "apiClient",
    title: "Create an API client",
    words: "It stands for a program or an agent and sets its permissions.",
    href: "/api-clients?create=true",
    isOwners: true,
  },
  {
    name: "keyPair",
    title: "Add a key pair to it",
    words: "You download the private key, once; Countersign keeps the public one.",
    href: "/api-clients",
    isOwners: true,
  },
  {
    name: "token",
    title: "Get a first token",
    words: "The page of the API client has the commands, ready to paste.",
    href: "/api-clients",
  },
  {
    name: "toolCall",
    title: "Call a tool through the gateway",
    words: "With the token, at the gateway's address. Each call is in the audit log.",
    href: "/gateway",
  },
];

/** For organizations that do not write the configuration. */
const APP_OF_OTHERS = {
  words: "Whoever runs this instance gives your organization one, with organization at the app. You see it here then.",
  href: "/gateway",
};

export interface NextStepsProps {
  readonly steps: Steps;
  readonly isOwner: boolean;
  /** Of the organization that the configuration is in the hands of. */
  readonly isFirstOrganization: boolean;
}

/** What a new installation or organization lacks, in order, of what there is at this instance. Gone when everything is done. */
export function NextSteps({ steps, isOwner, isFirstOrganization }: NextStepsProps) {
  const own = STEPS.filter(({ name, isOwners }) => steps[name] !== undefined && (isOwner || isOwners !== true)).map(
    (step) => (step.name === "app" && !isFirstOrganization ? { ...step, ...APP_OF_OTHERS } : step),
  );
  const next = own.find(({ name }) => !steps[name]);
  if (next === undefined) return null;
  return (
    <Panel title="Next steps" description="From here to the first tool call.">
      <ol className={classes.steps}>
        {own.map((step) => (
          <StepItem key={step.name} step={step} isDone={steps[step.name] === true} isNext={step === next} />
        ))}
      </ol>
    </Panel>
  );
}

function StepItem({
  step,
  isDone,
  isNext,
}: {
  readonly step: Step;
  readonly isDone: boolean;
  readonly isNext: boolean;
}) {
  const { title, words, href } = step;
  return (
    <li className={classes.step} data-done={isDone || undefined} aria-current={isNext ? "step" : undefined}>
      <span className={classes.mark} data-next={isNext || undefined}>
        {isDone && <CheckIcon size={12} />}
      </span>
      <div>
        <Link href={href} className={isDone ? classes.title : undefined}>
          {isDone ? `${title}: done` : title}
        </Link>
        {!isDone && <p className={classes.words}>{words}</p>}
      </div>
    </li>
  );
}
