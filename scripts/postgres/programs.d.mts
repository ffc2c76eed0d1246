/** The folder with PostgreSQL's programs. */
export function binaries(): string
/** Whether the extension is installed where the server looks for it. */
export function hasVector(): boolean
