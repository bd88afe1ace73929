/** Makes sure that the object's alarm rings at `time` or before. */
export async function wakeBy(storage: DurableObjectStorage, time: number): Promise<void> {
  const set = await storage.getAlarm();
  if (set === null || set > time) await storage.setAlarm(time);
}
