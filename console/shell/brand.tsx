import classes from "./brand.module.css";

/** The mark and the name. */
export function Brand() {
  return (
    <span className={classes.brand}>
      <svg viewBox="0 0 32 32" width="22" height="22" aria-hidden="true" className={classes.mark}>
        <rect width="32" height="32" rx="8" fill="currentColor" />
        <path
          d="M7.5 17.2l4.6 4.6L21 11M15.6 21.8L24.5 11"
          fill="none"
          stroke="#fff"
          strokeWidth="2.6"
          strokeLinecap="round"
          strokeLinejoin="round"
        />
      </svg>
      <span className={classes.name}>Countersign</span>
    </span>
  );
}
