import { commandNames, overview } from './command-list.ts'
import { complain } from './terminal/complain.ts'
import { standardOutputIsFile } from './terminal/standard-output.ts'
import { version } from './version.ts'

/**
 * Runs `kith` with some arguments; returns its exit code: 0, 1 for bad data, 2 for bad usage, 130
 * or 143 for a signal. What needs no command loads none, nor a package.
 */
export async function main(args: readonly string[]): Promise<number> {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // A reader that stops early, such as `head`, is no error.
    process.exit(error.code === 'EPIPE' ? 0 : complain(`standard output: ${error.message}`, '', 1))
  })
  const { name, rest } = split(args)
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    const asked = rest.join(' ')
    if (commandNames.includes(asked)) return run(asked, ['--help'])
    await printAlone(overview())
    return name === undefined ? 2 : 0
  }
  if (name === '--version' || name === '-v') {
    await printAlone(`${version}\n`)
    return 0
  }
  if (commandNames.includes(name)) return run(name, rest)
  const known = commandNames.join(', ')
  return complain(`no command ${JSON.stringify(name)}; there are: ${known}`, '', 2)
}

/** The command's name, of one word or two, and the arguments behind it. */
function split(args: readonly string[]): { name: string | undefined; rest: readonly string[] } {
  const two = args.slice(0, 2).join(' ')
  const words = commandNames.includes(two) ? 2 : 1
  return { name: words === 2 ? two : args[0], rest: args.slice(words) }
}

async function run(name: string, args: readonly string[]): Promise<number> {
  const { runCommand } = await import('./run-command.ts')
  return await runCommand(name, args)
}

/** Prints; `print`, which needs a package, is loaded only where standard output is a file. */
async function printAlone(text: string): Promise<void> {
  if (standardOutputIsFile()) (await import('./terminal/print.ts')).print(text)
  else process.stdout.write(text)
}
