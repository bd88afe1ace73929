import { Button, type ButtonProps } from "@mantine/core";
import type { ReactNode } from "react";
import { Link } from "wouter";

export interface LinkButtonProps extends ButtonProps {
  /** Below `/console`. */
  readonly href: string;
  readonly children: ReactNode;
}

/** A link to another page of the Console that looks like a button. */
export function LinkButton({ href, children, ...look }: LinkButtonProps) {
  return (
    <Button component={Link} href={href} {...look}>
      {children}
    </Button>
  );
}
