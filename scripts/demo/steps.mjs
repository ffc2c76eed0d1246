import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const program = fileURLToPath(new URL('../../packages/cli/bin/kith.js', import.meta.url))
let step = 0

/** Says what comes next, and what to look at. */
export function say(title, sentence) {
  console.log(`\n${++step}. ${title}. ${sentence}`)
}

/**
 * Shows a command line and runs it; `once` is a file that need not be made again, `rest` an argument
 * before the options.
 */
export function kith(command, options, { once, rest } = {}) {
  const named = Object.entries(options).flatMap(([name, value]) =>
    [value].flat().flatMap((one) => [`--${name}`, String(one)]),
  )
  const args = rest === undefined ? named : [rest, ...named]
  const shown = args.map((word) => (word.startsWith('/') ? relative(process.cwd(), word) : word))
  console.log(`   $ npx kith ${command} ${shown.join(' ')}`)
  if (once && existsSync(once)) {
    console.log('   (kept from an earlier demo)')
    return
  }
  const { status, stdout } = spawnSync(
    process.execPath,
    [program, ...command.split(' '), ...args],
    {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  if (status !== 0) process.exit(status ?? 1)
  console.log(stdout.trimEnd().replace(/^/gm, '   '))
}

/** Rows as aligned lines, the first column to the left. */
export function table(rows) {
  const widths = rows[0].map((_, c) => Math.max(...rows.map((row) => row[c].length)))
  return rows
    .map((row) =>
      row
        .map((cell, c) => (c === 0 ? cell.padEnd(widths[c]) : cell.padStart(widths[c])))
        .join('   ')
        .trimEnd(),
    )
    .join('\n')
}
