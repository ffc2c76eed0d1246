import { readFileSync } from 'node:fs'

/** The shells for which the build writes completion scripts beside this module. */
export const shells = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof shells)[number]

/** Returns whether a word names a supported shell. */
export function isShell(word: string | undefined): word is Shell {
  return (shells as readonly unknown[]).includes(word)
}

/**
 * Returns the script that completes `kith` command lines in a shell. It is a prebuilt file, so that
 * no command is loaded.
 */
export function completionScript(shell: Shell): string {
  return readFileSync(scriptFile(shell), 'utf8')
}

/** Returns the path of a shell's completion script. */
export function scriptFile(shell: Shell): URL {
  return new URL(`kith.${shell}`, import.meta.url)
}
