import type { Command } from './options/command.ts'

/**
 * Every command by its name, in the order of the overview. A command is loaded when it is run:
 * most commands need few of the packages, and a shell runs many commands. For the same reason
 * commands import pipelines by their modules: the index of @kith/pipelines loads all of them.
 */
const loaders: Readonly<Record<string, () => Promise<Command>>> = {
  encode: async () => (await import('./commands/encode.ts')).encodeCommand,
  search: async () => (await import('./commands/search.ts')).searchCommand,
  rerank: async () => (await import('./commands/rerank.ts')).rerankCommand,
  eval: async () => (await import('./commands/eval.ts')).evalCommand,
  tune: async () => (await import('./commands/tune.ts')).tuneCommand,
  'tune --train': async () => (await import('./commands/tune-train.ts')).tuneTrainCommand,
  sweep: async () => (await import('./commands/sweep.ts')).sweepCommand,
  report: async () => (await import('./commands/report.ts')).reportCommand,
  labels: async () => (await import('./commands/labels.ts')).labelsCommand,
  'labels merge': async () => (await import('./commands/labels-merge.ts')).mergeCommand,
  audit: async () => (await import('./commands/audit.ts')).auditCommand,
  train: async () => (await import('./commands/train.ts')).trainCommand,
  'train compare': async () => (await import('./commands/train-compare.ts')).trainCompareCommand,
  adapt: async () => (await import('./commands/adapt.ts')).adaptCommand,
  load: async () => (await import('./commands/load.ts')).loadCommand,
  work: async () => (await import('./commands/work.ts')).workCommand,
  jobs: async () => (await import('./commands/jobs.ts')).jobsCommand,
  'jobs export': async () => (await import('./commands/jobs-export.ts')).jobsExportCommand,
  'jobs retry': async () => (await import('./commands/jobs-retry.ts')).jobsRetryCommand,
  'jobs remove': async () => (await import('./commands/jobs-remove.ts')).jobsRemoveCommand,
  serve: async () => (await import('./commands/serve.ts')).serveCommand,
  studio: async () => (await import('./commands/studio.ts')).studioCommand,
  'collection wordnet': async () => (await import('./commands/collection.ts')).wordnetCommand,
  terms: async () => (await import('./commands/terms.ts')).termsCommand,
  convert: async () => (await import('./commands/convert.ts')).convertCommand,
}

/** The names of all commands. */
export const commandNames: readonly string[] = Object.keys(loaders)

/** The command of a name. */
export async function loadCommand(name: string): Promise<Command | undefined> {
  return Object.hasOwn(loaders, name) ? await loaders[name]!() : undefined
}

/** Every command, for the overview and the documentation. */
export function allCommands(): Promise<Command[]> {
  return Promise.all(Object.values(loaders).map((load) => load()))
}
