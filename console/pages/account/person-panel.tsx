import { CopyableId } from "../../parts/copyable-id.tsx";
import { Facts } from "../../parts/facts.tsx";
import { ForeignText } from "../../parts/foreign-text.tsx";
import { Panel } from "../../parts/panel.tsx";
import { useSession } from "../../session/context.ts";
import classes from "./person-panel.module.css";

/** Address, id and organizations of the person. */
export function PersonPanel() {
  const { email, userId, organizations } = useSession().me;
  const facts = [
    { term: "E-mail address", value: email && <ForeignText text={email} /> },
    { term: "User ID", value: <CopyableId id={userId} label="Copy user id" /> },
    {
      term: organizations.length === 1 ? "Organization" : "Organizations",
      value: (
        <ul className={classes.organizations}>
          {organizations.map(({ organizationId, name, role }) => (
            <li key={organizationId}>
              <ForeignText text={name} />, as {role === "owner" ? "an owner" : "a member"}
            </li>
          ))}
        </ul>
      ),
    },
  ];
  return (
    <Panel title="You">
      <Facts facts={facts} />
    </Panel>
  );
}
