import { ForeignText } from "../../parts/foreign-text.tsx";
import { Panel } from "../../parts/panel.tsx";
import { useSession } from "../../session/context.ts";

/** The way back for whoever has lost the others. */
export function LostPanel() {
  const { email } = useSession().me;
  return (
    <Panel
      title="If you lose every way to sign in"
      description={
        <>
          Whoever runs the instance gets you a one-time link: on its machine,{" "}
          <code>
            countersign owner -config FILE -email <ForeignText text={email ?? "you@example.com"} />
          </code>{" "}
          prints one that works once, within an hour. On Workers and Lambda an owner comes back with a new setup token
          and <code>console.recoverOwner</code>.
        </>
      }
    />
  );
}
