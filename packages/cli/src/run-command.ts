import type { KithError } from '@kith/core'
import { loadCommand } from './command-list.ts'
import { type Options, parseOptions, type Values } from './options/command.ts'
import { fillFromDataset, namesDataset, refuseDatasetOptions } from './options/dataset-options.ts'
import { refuseClashes, writesToStandardOutput } from './options/file-clashes.ts'
import { helpOf } from './options/help.ts'
import { spellOptions } from './options/spell-options.ts'
import { CheckFailed, UsageError } from './options/values.ts'
import { Output, print } from './terminal/output.ts'
import { printError } from './terminal/standard-streams.ts'
import { Stop, Stopped } from './terminal/stop.ts'

/** Runs a command with the arguments after its name; returns the exit code. */
export async function runCommand(name: string, args: readonly string[]): Promise<number> {
  const stop = new Stop()
  let options: Options = {}
  try {
    const command = (await loadCommand(name))!
    options = command.options
    const given = parseOptions(command, args)
    if (given['help'] || given['help-all']) {
      print(helpOf(command, given['help-all'] === true))
      return 0
    }
    const output = new Output({
      json: given['json'] === true,
      quiet: given['quiet'] === true,
      stdoutTaken: writesToStandardOutput(command, given),
      options,
    })
    const run = async (): Promise<void> => {
      const read = (values: Values): unknown => {
        refuseClashes(command, values)
        if (!namesDataset(command, given)) refuseDatasetOptions(command, given)
        return command.read ? command.read(values) : values
      }
      const values = namesDataset(command, given)
        ? await fillFromDataset(command, given, output, read)
        : given
      await command.run(await read(values), output, stop)
    }
    await run().finally(() => output.endProgress())
    return 0
  } catch (error) {
    if (error instanceof Stopped) {
      process.stderr.write(`\n${error.message}\n`)
      return stop.code
    }
    if (error instanceof CheckFailed) return printError(error.message, '', 3)
    if (error instanceof UsageError) return printError(error.message, name, 2)
    if (isKithError(error)) {
      const usage = error.code === 'BAD_SETTING'
      return printError(spellOptions(error.message, options), usage ? name : '', usage ? 2 : 1)
    }
    throw error
  } finally {
    stop.close()
  }
}

/**
 * Recognizes a KithError by its name, because an encoder that is installed globally beside the
 * command line loads its own copy of core.
 */
function isKithError(error: unknown): error is KithError {
  return error instanceof Error && error.name === 'KithError'
}
