import { SearchIcon } from "../icons.tsx";
import classes from "./search-button.module.css";

/** As the system's own programs write it. */
const KEYS = /Mac|iPhone|iPad/.test(navigator.userAgent) ? "⌘ K" : "Ctrl K";

/** Opens the search, and says which keys do. */
export function SearchButton({ onClick }: { readonly onClick: () => void }) {
  return (
    <button type="button" className={classes.button} aria-keyshortcuts="Control+K Meta+K" onClick={onClick}>
      <SearchIcon size={14} />
      <span className={classes.label}>Search</span>
      <span className={classes.keys} aria-hidden="true">
        {KEYS}
      </span>
    </button>
  );
}
