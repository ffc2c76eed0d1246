import { readFileSync } from 'node:fs'

/** The shells whose completion the build writes beside this module. */
export const shells = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof shells)[number]

/** Whether a word names one of these shells. */
export function isShell(word: string | undefined): word is Shell {
  return (shells as readonly unknown[]).includes(word)
}

/** The program by which a shell completes command lines of `kith`: a file, so that no command is loaded. */
export function completionScript(shell: Shell): string {
  return readFileSync(scriptFile(shell), 'utf8')
}

/** The path of the completion program of a shell. */
export function scriptFile(shell: Shell): URL {
  return new URL(`kith.${shell}`, import.meta.url)
}
