import type { AppPins } from "../../../lib/management/schemas/pins.ts";
import { path } from "../../api/request.ts";
import { useSend } from "../../api/use-send.ts";
import { useAnnounce } from "../../parts/announcer.tsx";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { ForeignText } from "../../parts/foreign-text.tsx";
import type { Subject } from "../../parts/use-subject.ts";
import type { Forgetting } from "./held-version.ts";

/** Asks before approvals are forgotten, and says what agents get then. */
export function ForgetDialog({ forgetting }: { readonly forgetting: Subject<Forgetting & Pick<AppPins, "first">> }) {
  const announce = useAnnounce();
  const { value, isOpen, close } = forgetting;
  const forget = useSend<AppPins, Forgetting>(
    ({ app, tool }) => ({ method: "POST", path: path`/pins/${app}/forget`, body: { tool } }),
    {
      refreshes: ["/pins", "/tools"],
      onDone: () => {
        announce("Forgotten");
        close();
      },
    },
  );
  if (value === undefined) return null;
  const { app, tool, first } = value;
  const leave = () => {
    close();
    forget.reset();
  };
  return (
    <ConfirmDialog
      opened={isOpen}
      title={tool === undefined ? "Forget all tools of this app?" : "Forget this tool?"}
      confirmLabel="Forget"
      isPending={forget.isPending}
      error={forget.error}
      problemTitle="Nothing was forgotten"
      onConfirm={() => forget.mutate({ app, ...(tool !== undefined && { tool }) })}
      onClose={leave}
    >
      <p>
        What was approved and held of{" "}
        <strong>
          <ForeignText text={tool ?? app} />
        </strong>{" "}
        is forgotten. {tool === undefined ? NEXT_LIST[first] : "From then on it is held as a new tool."} This cannot be
        undone.
      </p>
    </ConfirmDialog>
  );
}

const NEXT_LIST = {
  trust: "The next list of the app is the first one again: all tools in it are approved without a look at them.",
  hold: "The next list of the app is the first one again: all tools in it are held until an owner approves them.",
} as const;
