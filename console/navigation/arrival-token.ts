import { createContext, type RefObject } from "react";

/** The token that the link brought. Whoever uses it takes it away: it works only once. */
export const ArrivalTokenContext = createContext<RefObject<string | undefined>>({ current: undefined });
