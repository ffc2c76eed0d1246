import { fstatSync } from 'node:fs'

/** Returns whether standard output is a regular file. */
export function standardOutputIsFile(): boolean {
  try {
    return fstatSync(1).isFile()
  } catch {
    return false
  }
}

/**
 * Escapes the control characters in a message, such as \u0000: a terminal would hide them or obey
 * them. Line breaks and tabs stay.
 */
export function legible(message: string): string {
  return message.replace(/\p{Cc}/gu, (character) => {
    if (character === '\n' || character === '\t') return character
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}

/**
 * Prints an error message and, for bad usage, the command whose help to read; returns the exit
 * code.
 */
export function printError(message: string, command: string, code: number): number {
  process.stderr.write(`kith: ${legible(message)}\n`)
  if (code === 2) process.stderr.write(`Try: kith ${command ? `${command} ` : ''}--help\n`)
  return code
}
