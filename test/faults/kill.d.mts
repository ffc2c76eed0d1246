/** What one disturbed command came to. */
export function killAndCompare(
  args: readonly string[],
  options?: { times?: number; seed?: number },
): Promise<{ kills: number; differences: string[] }>
