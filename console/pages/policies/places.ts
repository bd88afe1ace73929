/** Places of policies that there are not yet: no place of one is called so. */
export const NEW_CEL = "+cel";
export const NEW_REGO = "+rego";
