import type { SignInWays } from "../../../lib/management/schemas/sign-in.ts";
import { useRead } from "../../api/use-read.ts";
import { ClientChooser } from "../../mcp-clients/client-chooser.tsx";
import { CodeBlock } from "../../parts/code-block.tsx";
import { SkeletonLines } from "../../parts/data-state.tsx";
import { ForeignText } from "../../parts/foreign-text.tsx";
import { Note } from "../../parts/note.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { WholePage } from "../../shell/whole-page.tsx";

/** For whoever connects an agent, signed in here or not. It says nothing that the gateway does not tell everybody. */
export function ConnectPage() {
  const ways = useRead<SignInWays>("/sign-in", { isPublic: true });
  if (ways.data === undefined) {
    return (
      <WholePage title="Connect an agent">
        {(ways.error && <ProblemNote error={ways.error} onRetry={() => void ways.refetch()} />) || (
          <SkeletonLines lines={3} />
        )}
      </WholePage>
    );
  }
  const { gateway } = ways.data.body;
  if (gateway === undefined) {
    return (
      <WholePage title="Connect an agent">
        <Note title="Agents cannot connect: the gateway is off">Ask the person who runs it.</Note>
      </WholePage>
    );
  }
  return (
    <WholePage
      title="Connect an agent"
      description={
        <>
          to <ForeignText text={gateway.name} />, at this address:
        </>
      }
    >
      <CodeBlock code={gateway.url} label="MCP address" isWrapped />
      <ClientChooser url={gateway.url} level={2} />
      {gateway.people ? (
        <Note title="When an agent signs you in">
          Your browser opens. It shows what the agent asks for; allow it, and sign in. From then on the agent acts for
          you, within what you allowed, and each of its calls is recorded. Go on only where you have just begun to
          connect an agent yourself.
        </Note>
      ) : (
        <Note title="You need a token">Ask the person who runs this gateway for an API client.</Note>
      )}
    </WholePage>
  );
}
