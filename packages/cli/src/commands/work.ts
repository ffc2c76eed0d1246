import { workBatches } from '@kith/pipelines/batches'
import { jobDefaults } from '@kith/pipelines/job'
import { defineCommand } from '../options/command.ts'
import { workerOption } from '../options/shared-options.ts'
import { databaseOption, readDatabase } from '../options/store-options.ts'
import { isSet, optionalText, optionalWhole } from '../options/values.ts'
import { Stopped } from '../terminal/stop.ts'

/** `kith work`: does the jobs of submitted batches, on this machine. */
export const workCommand = defineCommand({
  name: 'work',
  description:
    'Takes job after job, on all cores, until it is told to stop: then it finishes what it has\n' +
    'begun. Start it on as many machines as there are. It may be killed, and the database may go\n' +
    'away and come back: a job whose worker was not heard of for a while goes to another one, and\n' +
    'every query has one result in the end. A job that fails three times is set aside; kith jobs\n' +
    'shows why. Ctrl-C and SIGTERM end it with exit code 0; with --until-empty and jobs left, with\n' +
    '130 and 143.',
  example: 'kith work --store postgres://localhost/kith',
  options: {
    ...databaseOption,
    batch: { value: 'NAME', help: 'do the jobs of this batch only', default: 'all batches' },
    'until-empty': { help: 'end when no job is left, instead of waiting for new ones' },
    lease: {
      value: 'SECONDS',
      help: 'without a sign of life for so long, a job goes to another worker',
      default: String(jobDefaults.lease),
    },
    ...workerOption,
  },
  async run(values, output, stop) {
    const inputs = {
      store: readDatabase(values),
      batch: optionalText(values, 'batch'),
      workers: optionalWhole(values, 'workers'),
      lease: optionalWhole(values, 'lease'),
      untilEmpty: isSet(values, 'until-empty'),
    }
    const { queries, failures, left } = await stop.heed(
      (signal) => workBatches(inputs, output.hooks(signal)),
      { onStop: () => output.remark('finishing what has begun …'), next: 'no job was begun' },
    )
    output.result({ queries, failures, left }, `${queries} queries done, ${failures} tries failed`)
    if (left > 0)
      throw new Stopped(`stopped; jobs left: ${left}; the same command goes on with them`)
  },
})
