import { spawnSync } from 'node:child_process'

/** A command of a shell program: the program and its arguments. */
export type ShellLine = readonly [program: string, ...args: string[]]

/**
 * What the lines of a shell program call, in their order, as bash reads them: with its comments,
 * quotes, continued lines and variables. The programs themselves are not run; one that is not known is
 * an error, and bash itself does what is left, such as `export`.
 */
export function readLines(code: string, programs: readonly string[]): ShellLine[] {
  const tell = `printf '%s\\0' "$@" >&3; printf '\\1\\0' >&3`
  const told = programs.map((name) => `${name}() { set -- ${name} "$@"; ${tell}; }`)
  const { output, status, stderr } = spawnSync('bash', ['--norc', '-eu'], {
    // Without a path no other program is found.
    input: ['PATH=', ...told, code].join('\n'),
    encoding: 'utf8',
    stdio: ['pipe', 'ignore', 'pipe', 'pipe'],
  })
  if (status !== 0) throw new Error(`bash cannot run this: ${stderr}\n${code}`)
  return output[3]!
    .split('\x01\0')
    .slice(0, -1)
    .map((line) => line.split('\0').slice(0, -1) as unknown as ShellLine)
}
