import { legible } from './legible.ts'

/** Says what went wrong, and for bad usage of which command the help may be asked; returns the exit code. */
export function complain(message: string, command: string, code: number): number {
  process.stderr.write(`kith: ${legible(message)}\n`)
  if (code === 2) process.stderr.write(`Try: kith ${command ? `${command} ` : ''}--help\n`)
  return code
}
