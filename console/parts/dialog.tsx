import { Modal, type ModalProps } from "@mantine/core";
import { useKeptFocus } from "./use-kept-focus.ts";

/** A dialog over the page. A click beside it does not close it, and after it the keyboard goes on where it was. */
export function Dialog(props: ModalProps) {
  useKeptFocus(props.opened);
  return <Modal closeOnClickOutside={false} {...props} />;
}
