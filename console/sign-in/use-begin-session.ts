import { useQueryClient } from "@tanstack/react-query";
import { useLocation } from "wouter";
import { useConnection } from "../api/context.ts";

/**
 * What follows a sign-in: nothing that was read for whoever was here before is kept, and the person goes on to a page
 * below `/console`. With an organization the Console is about that one.
 */
export function useBeginSession(): (page: string, organizationId?: string) => void {
  const { organization } = useConnection();
  const queries = useQueryClient();
  const [, navigate] = useLocation();
  return (page, organizationId) => {
    queries.clear();
    if (organizationId === undefined) organization.forget();
    else organization.choose(organizationId);
    navigate(page, { replace: true });
  };
}
