import type { Language } from "../language.ts";
import { de } from "./de.ts";
import { en, type Messages } from "./en.ts";

/** The texts of the pages that people see, by language. */
export const MESSAGES: Readonly<Record<Language, Messages>> = { en, de };
