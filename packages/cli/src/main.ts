import { KithError } from '@kith/core'
import { discardUnfinished, resumableFiles } from '@kith/ir'
import { type Command, helpOf, parseOptions } from './command.ts'
import { adaptCommand } from './commands/adapt.ts'
import { auditCommand } from './commands/audit.ts'
import { wordnetCommand } from './commands/collection.ts'
import { convertCommand } from './commands/convert.ts'
import { encodeCommand } from './commands/encode.ts'
import { evalCommand } from './commands/eval.ts'
import { jobsCommand } from './commands/jobs.ts'
import { jobsExportCommand } from './commands/jobs-export.ts'
import { jobsRemoveCommand } from './commands/jobs-remove.ts'
import { jobsRetryCommand } from './commands/jobs-retry.ts'
import { labelsCommand } from './commands/labels.ts'
import { mergeCommand } from './commands/labels-merge.ts'
import { loadCommand } from './commands/load.ts'
import { reportCommand } from './commands/report.ts'
import { rerankCommand } from './commands/rerank.ts'
import { searchCommand } from './commands/search.ts'
import { serveCommand } from './commands/serve.ts'
import { studioCommand } from './commands/studio.ts'
import { sweepCommand } from './commands/sweep.ts'
import { trainCommand } from './commands/train.ts'
import { trainCompareCommand } from './commands/train-compare.ts'
import { tuneCommand } from './commands/tune.ts'
import { tuneTrainCommand } from './commands/tune-train.ts'
import { workCommand } from './commands/work.ts'
import { Output } from './output.ts'
import { UsageError } from './usage-error.ts'
import { version } from './version.ts'

/** Every command, in the order of the overview; the documentation lists them too. */
export const commands: readonly Command[] = [
  encodeCommand,
  searchCommand,
  rerankCommand,
  evalCommand,
  tuneCommand,
  tuneTrainCommand,
  sweepCommand,
  reportCommand,
  labelsCommand,
  mergeCommand,
  auditCommand,
  trainCommand,
  trainCompareCommand,
  adaptCommand,
  loadCommand,
  workCommand,
  jobsCommand,
  jobsExportCommand,
  jobsRetryCommand,
  jobsRemoveCommand,
  serveCommand,
  studioCommand,
  wordnetCommand,
  convertCommand,
]

/** Runs `kith` with some arguments; returns its exit code: 0, 1 for bad data, 2 for bad usage. */
export async function main(args: readonly string[]): Promise<number> {
  // A reader that stops early, such as `head`, is no error.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0)
    throw error
  })
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const) {
    process.once(signal, () => {
      discardUnfinished()
      for (const file of resumableFiles()) {
        process.stderr.write(`\nstopped; the same command goes on with ${file}\n`)
      }
      process.exit(code)
    })
  }
  const { name, rest } = split(args)
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    const asked = commands.find((command) => command.name === rest.join(' '))
    process.stdout.write(asked ? helpOf(asked) : overview())
    return name === undefined ? 2 : 0
  }
  if (name === '--version' || name === '-v') {
    process.stdout.write(`${version}\n`)
    return 0
  }
  const command = commands.find((candidate) => candidate.name === name)
  if (!command) {
    const known = commands.map((candidate) => candidate.name).join(', ')
    return complain(`no command ${JSON.stringify(name)}; there are: ${known}`, '', 2)
  }
  try {
    const values = parseOptions(command, rest)
    if (values['help']) {
      process.stdout.write(helpOf(command))
      return 0
    }
    const output = new Output({ json: values['json'] === true, quiet: values['quiet'] === true })
    await command.run(values, output)
    return 0
  } catch (error) {
    if (error instanceof UsageError) return complain(error.message, command.name, 2)
    if (error instanceof KithError) {
      const usage = error.code === 'BAD_SETTING'
      return complain(
        error.message.replace(/^kith: /, ''),
        usage ? command.name : '',
        usage ? 2 : 1,
      )
    }
    throw error
  }
}

/** The command's name, of one word or two, and what follows it. */
function split(args: readonly string[]): { name: string | undefined; rest: readonly string[] } {
  const two = args.slice(0, 2).join(' ')
  const words = commands.some(({ name }) => name === two) ? 2 : 1
  return { name: words === 2 ? two : args[0], rest: args.slice(words) }
}

function complain(message: string, command: string, code: number): number {
  process.stderr.write(`kith: ${message}\n`)
  if (code === 2) process.stderr.write(`Try: kith ${command ? `${command} ` : ''}--help\n`)
  return code
}

function overview(): string {
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
