import { Button } from "@mantine/core";
import { useState } from "react";
import { StopIcon } from "../../icons.tsx";
import { OwnersOnly } from "../../parts/owners-only.tsx";
import { StopDialog, type StopTarget } from "./stop-dialog.tsx";

/** Opens the switch for what a page shows. For owners alone. */
export function StopButton({ target, label }: { readonly target: StopTarget; readonly label: string }) {
  const [isStopping, setStopping] = useState(false);
  return (
    <OwnersOnly>
      <Button variant="default" leftSection={<StopIcon size={14} />} onClick={() => setStopping(true)}>
        {label}
      </Button>
      <StopDialog opened={isStopping} onClose={() => setStopping(false)} target={target} />
    </OwnersOnly>
  );
}
