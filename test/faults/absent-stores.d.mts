/** Asks every entry point that reads a store for one that is not there. */
export function askAbsentStores(
  folder: string,
  databases?: readonly [string, string],
): Promise<{ asked: number; problems: string[] }>
