import { workBatches } from '@kith/pipelines/internal/batches/work-batches'
import { jobDefaults } from '@kith/pipelines/internal/job-defaults'
import { defineCommand } from '../options/command.ts'
import { workerOption } from '../options/shared-options.ts'
import { databaseOption, readDatabase } from '../options/store-options.ts'
import { isSet, optionalWhole } from '../options/values.ts'

/** `kith work`: does the jobs of submitted batches, on this machine. */
export const workCommand = defineCommand({
  name: 'work',
  description:
    'Takes job after job, on all cores, until it is told to stop: then it finishes what it has\n' +
    'begun. Start it on as many machines as there are. It may be killed, and the database may go\n' +
    'away and come back: a job whose worker was not heard of for a while goes to another one, and\n' +
    'every query has one result in the end. A job that fails three times is set aside; kith jobs\n' +
    'shows why.',
  example: 'kith work --store postgres://localhost/kith',
  options: {
    ...databaseOption,
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
      workers: optionalWhole(values, 'workers'),
      lease: optionalWhole(values, 'lease'),
      untilEmpty: isSet(values, 'until-empty'),
    }
    const { queries, failures } = await stop.heed(
      (signal) => workBatches(inputs, output.hooks(signal)),
      { onStop: () => output.remark('finishing what has begun …'), next: 'no job was begun' },
    )
    output.result({ queries, failures }, `${queries} queries done, ${failures} tries failed`)
  },
})
