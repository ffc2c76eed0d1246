/** Has workers killed between any two statements of their loop. */
export function killWorkers(url: string): Promise<{ killed: number; problems: string[] }>
