import { Button } from "@mantine/core";
import type { Approval } from "../../../lib/management/schemas/approvals.ts";
import { path } from "../../api/request.ts";
import { useRead } from "../../api/use-read.ts";
import { ApprovalIcon } from "../../icons.tsx";
import { CodeBlock } from "../../parts/code-block.tsx";
import { DataState } from "../../parts/data-state.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { ForeignText } from "../../parts/foreign-text.tsx";
import { PageFrame } from "../../parts/page-frame.tsx";
import { Panel } from "../../parts/panel.tsx";
import { useSession } from "../../session/context.ts";
import { ApprovalFacts } from "./approval-facts.tsx";
import { DecisionPanel } from "./decision-panel.tsx";
import { layOutJson } from "./json-layout.ts";

const BACK = { href: "/approvals", label: "Approvals" } as const;
const REFRESH = 5_000;

/** A call that waits for a person: all that they decide on. The links that agents show lead here. */
export function ApprovalPage({ approvalId }: { readonly approvalId: string }) {
  const approval = useRead<Approval>(path`/approvals/${approvalId}`, { refetchInterval: REFRESH });
  const { data, error } = approval;
  const refetch = () => void approval.refetch();
  return (
    <PageFrame
      title="Approve a call?"
      description="An agent asks to make this call. Nothing is made by opening this page."
      back={BACK}
    >
      {error?.status === 404 ? (
        <Panel>
          <Missing />
        </Panel>
      ) : (
        <DataState data={data?.body} error={error} refetch={refetch} problemTitle="The call could not be read">
          {(shown) => (
            <>
              <ApprovalFacts approval={shown} />
              <ArgumentsPanel approval={shown} />
              <DecisionPanel approval={shown} refetch={refetch} />
            </>
          )}
        </DataState>
      )}
    </PageFrame>
  );
}

/** All that the call would be made with, as text. Each string stands for itself: none can change how the others read. */
function ArgumentsPanel({ approval }: { readonly approval: Approval }) {
  const { arguments: json, answers } = approval;
  return (
    <Panel
      title="Arguments"
      description="Exactly what would be sent. Characters that are not seen are shown by their numbers, such as U+202E."
    >
      {json === undefined ? (
        <p>They are not kept any more: the call was begun, or will not be made.</p>
      ) : (
        <CodeBlock code={json} label="Arguments as JSON" isWrapped shown={<ShownJson json={json} />} />
      )}
      {answers !== undefined && (
        <>
          <p>The server has asked the agent something. These answers would be sent with the arguments.</p>
          <CodeBlock code={answers} label="Answers as JSON" isWrapped shown={<ShownJson json={answers} />} />
        </>
      )}
    </Panel>
  );
}

function ShownJson({ json }: { readonly json: string }) {
  return layOutJson(json).map(({ key, text, isString }) =>
    isString ? <ForeignText key={key} text={text} isExact /> : text,
  );
}

/** An owner's link names no organization: it is looked for where they say. */
function Missing() {
  const { me, organization, switchTo } = useSession();
  const others = me.organizations.filter(({ organizationId }) => organizationId !== organization.organizationId);
  return (
    <EmptyState
      icon={<ApprovalIcon size={20} />}
      title="There is no such approval for you"
      action={others.map(({ organizationId, name }) => (
        <Button key={organizationId} variant="default" onClick={() => switchTo(organizationId)}>
          Look in&nbsp;
          <ForeignText text={name} />
        </Button>
      ))}
    >
      It may be over and forgotten, or for others to decide on
      {others.length === 0 ? "." : ". Or it belongs to another of your organizations."}
    </EmptyState>
  );
}
