/** Whether a module is for Kith's own packages: its first comment says so. */
export function isInternal(code: string): boolean
