import { ActionIcon, Button, Tooltip } from "@mantine/core";
import { useEffect, useState } from "react";
import { CheckIcon, CopyIcon } from "../icons.tsx";
import { useAnnounce } from "./announcer.tsx";

export interface CopyButtonProps {
  readonly value: string;
  /** "Copy client id". */
  readonly label: string;
  /** A button with words instead of an icon. */
  readonly isWide?: boolean;
}

/** Copies a text. Where the browser refuses, it says so. */
export function CopyButton({ value, label, isWide }: CopyButtonProps) {
  const { isCopied, copy } = useCopy(value);
  const Icon = isCopied ? CheckIcon : CopyIcon;
  if (isWide) {
    return (
      <Button variant="default" leftSection={<Icon size={14} />} onClick={copy}>
        {isCopied ? "Copied" : label}
      </Button>
    );
  }
  return (
    <Tooltip label={isCopied ? "Copied" : label}>
      <ActionIcon size="sm" aria-label={label} onClick={copy}>
        <Icon size={14} />
      </ActionIcon>
    </Tooltip>
  );
}

const SHOWN = 1500;

function useCopy(value: string) {
  const announce = useAnnounce();
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), SHOWN);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(value);
      setCopied(true);
      announce("Copied", { isSilent: true });
    } catch {
      announce("The browser did not allow copying: select the text and copy it yourself.", { tone: "bad" });
    }
  };
  return { isCopied, copy };
}
