import { existsSync } from 'node:fs'
import { commandNames, overview, version } from './command-list.ts'
import { completionScript, isShell } from './completion/completion-script.ts'
import { nearestWord } from './options/nearest-word.ts'
import { printError, standardOutputIsFile } from './terminal/standard-streams.ts'

/**
 * Runs `kith` with some arguments and returns its exit code: 0 for success, 1 for bad data, 2 for
 * bad usage, 130 or 143 for a signal. A server or worker that shuts down cleanly after a signal
 * returns 0. Calls without a command load no command and no package.
 */
export async function main(args: readonly string[]): Promise<number> {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // A reader that closes the pipe early, such as `head`, is not an error.
    process.exit(
      error.code === 'EPIPE' ? 0 : printError(`standard output: ${error.message}`, '', 1),
    )
  })
  const { name, rest } = split(args)
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    const asked = rest.join(' ')
    if (commandNames.includes(asked)) return run(asked, ['--help'])
    await printAlone(overview())
    return name === undefined ? 2 : 0
  }
  if (name === '--version' || name === '-v') {
    await printAlone(`${version()}\n`)
    return 0
  }
  const [shell, ...more] = rest
  if (name === 'completion' && isShell(shell) && more.length === 0) {
    await printAlone(completionScript(shell))
    return 0
  }
  const [wanted, meant] = misspelled(name, rest)
  if (commandNames.includes(wanted)) return run(name, rest)
  const help = meant ? `did you mean kith ${meant}?` : `commands: ${commandNames.join(', ')}`
  return printError(`unknown command ${JSON.stringify(wanted)}; ${help}`, '', 2)
}

/**
 * Splits the arguments into the command's name, of one or two words, and the arguments after it.
 */
function split(args: readonly string[]): { name: string | undefined; rest: readonly string[] } {
  const two = args.slice(0, 2).join(' ')
  const words = commandNames.includes(two) ? 2 : 1
  return { name: words === 2 ? two : args[0], rest: args.slice(words) }
}

/**
 * Returns the name that the user typed and, if no command has that name, the command that was
 * probably meant.
 */
function misspelled(name: string, [next = '-']: readonly string[]): [string, string | undefined] {
  const two = `${name} ${next}`
  const known = commandNames.includes(name)
  // The next word may be a misspelled second word of a command, unless it is the folder of a
  // dataset.
  const others = known ? commandNames.filter((other) => other.startsWith(`${name} `)) : commandNames
  const meant =
    next.startsWith('-') || (known && existsSync(next)) ? undefined : nearestWord(two, others)
  if (meant !== undefined) return [two, meant]
  return [name, known ? undefined : nearestWord(name, commandNames)]
}

async function run(name: string, args: readonly string[]): Promise<number> {
  const { runCommand } = await import('./run-command.ts')
  return await runCommand(name, args)
}

/**
 * Prints a text. The module with `print`, which needs a package, is loaded only if standard output
 * is a file.
 */
async function printAlone(text: string): Promise<void> {
  if (standardOutputIsFile()) (await import('./terminal/output.ts')).print(text)
  else process.stdout.write(text)
}
