import { KithError } from '@kith/core'
import { allCommands, commandNames, loadCommand } from './command-list.ts'
import { helpOf, parseOptions } from './options/command.ts'
import { refuseClashes, writesToStandardOutput } from './options/file-clashes.ts'
import { UsageError } from './options/usage-error.ts'
import { legible } from './terminal/legible.ts'
import { Output } from './terminal/output.ts'
import { print } from './terminal/print.ts'
import { Stop, Stopped } from './terminal/stop.ts'
import { version } from './version.ts'

/** Runs `kith` with some arguments; returns its exit code: 0, 1 for bad data, 2 for bad usage, 130 or 143 for a signal. */
export async function main(args: readonly string[]): Promise<number> {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // A reader that stops early, such as `head`, is no error.
    process.exit(error.code === 'EPIPE' ? 0 : complain(`standard output: ${error.message}`, '', 1))
  })
  const stop = new Stop()
  try {
    return await runCommand(args, stop)
  } finally {
    stop.close()
  }
}

async function runCommand(args: readonly string[], stop: Stop): Promise<number> {
  const { name, rest } = split(args)
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    const asked = await loadCommand(rest.join(' '))
    print(asked ? helpOf(asked) : await overview())
    return name === undefined ? 2 : 0
  }
  if (name === '--version' || name === '-v') {
    print(`${version}\n`)
    return 0
  }
  const command = await loadCommand(name)
  if (!command) {
    const known = commandNames.join(', ')
    return complain(`no command ${JSON.stringify(name)}; there are: ${known}`, '', 2)
  }
  try {
    const values = parseOptions(command, rest)
    if (values['help']) {
      print(helpOf(command))
      return 0
    }
    const output = new Output({
      json: values['json'] === true,
      quiet: values['quiet'] === true,
      stdoutTaken: writesToStandardOutput(command, values),
    })
    refuseClashes(command, values)
    await command.run(values, output, stop).finally(() => output.endProgress())
    return 0
  } catch (error) {
    if (error instanceof Stopped) {
      process.stderr.write(`\n${error.message}\n`)
      return stop.code
    }
    if (error instanceof UsageError) return complain(error.message, command.name, 2)
    if (error instanceof KithError) {
      const usage = error.code === 'BAD_SETTING'
      return complain(error.message, usage ? command.name : '', usage ? 2 : 1)
    }
    throw error
  }
}

/** The command's name, of one word or two, and the arguments behind it. */
function split(args: readonly string[]): { name: string | undefined; rest: readonly string[] } {
  const two = args.slice(0, 2).join(' ')
  const words = commandNames.includes(two) ? 2 : 1
  return { name: words === 2 ? two : args[0], rest: args.slice(words) }
}

function complain(message: string, command: string, code: number): number {
  process.stderr.write(`kith: ${legible(message)}\n`)
  if (code === 2) process.stderr.write(`Try: kith ${command ? `${command} ` : ''}--help\n`)
  return code
}

async function overview(): Promise<string> {
  const commands = await allCommands()
  const width = Math.max(...commands.map(({ name }) => name.length))
  return [
    'kith: better rankings from reciprocal nearest neighbours',
    '',
    'Commands:',
    ...commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`),
    '',
    'kith COMMAND --help says what a command takes, with an example.',
    '',
    'From texts to a better ranking:',
    '  kith encode --input corpus.jsonl --out docs.npy',
    '  kith encode --input queries.jsonl --role query --out queries.npy',
    '  kith search --queries queries.npy --docs docs.npy --top 200 --out run.trec',
    '  kith rerank --run run.trec --queries queries.npy --docs docs.npy --out better.trec',
    '  kith eval --qrels qrels.trec --run run.trec --run better.trec',
    '',
  ].join('\n')
}
