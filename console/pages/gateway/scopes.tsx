import { ForeignText } from "../../parts/foreign-text.tsx";
import classes from "./scopes.module.css";

/** Scopes, each a word of its own. */
export function Scopes({ scopes, none = "None" }: { readonly scopes: readonly string[]; readonly none?: string }) {
  if (scopes.length === 0) return <span className={classes.none}>{none}</span>;
  return (
    <ul className={classes.scopes}>
      {scopes.map((scope) => (
        <li key={scope}>
          <code className={classes.scope}>
            <ForeignText text={scope} />
          </code>
        </li>
      ))}
    </ul>
  );
}
