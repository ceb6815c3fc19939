/** The UTC calendar month that holds `wallMs`: its name, length in seconds, and whole seconds left of it. */
export function calendarMonth(wallMs: number): { name: string; windowSeconds: number; resetSeconds: number } {
  const date = new Date(wallMs);
  const start = Date.UTC(date.getUTCFullYear(), date.getUTCMonth());
  const end = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1);
  return {
    name: date.toISOString().slice(0, 7),
    windowSeconds: (end - start) / 1000,
    resetSeconds: Math.ceil((end - wallMs) / 1000),
  };
}
